// Package k6glue is the only place that knows k6's ways: how a module exports functions cheaply,
// reads options, throws errors and emits samples; what a VU shares with the executor that runs it;
// how the progress bar is written.
package k6glue
