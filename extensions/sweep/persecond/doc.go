// Package persecond measures what sweep.op counts in scenarios of k6's own executors: each second
// becomes a step of the report.
package persecond
