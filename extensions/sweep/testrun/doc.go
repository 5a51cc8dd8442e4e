// Package testrun is what the sweeps of one run of k6 measure. The executor client-sweep and
// portable steps begin theirs here: its report is put together, kept on the disk after each step,
// judged, and written when the test ends.
package testrun
