// Package testrun is what one run of k6 measures. Whoever measures a scenario, the executor
// client-sweep or one of k6's own, begins it here: its report is put together, kept on the disk
// after each step, judged, and written when the test ends.
package testrun
