// Package k6glue connects modules to k6: exports, options, errors, samples, the session that a VU
// shares with its executor, and the progress bar. All knowledge of k6's internals is here.
package k6glue
