// Package testrun manages the reports of one run of k6. The executor client-sweep and portable
// steps begin their reports here; they are saved after each step, judged, and written at the end of
// the test. It also has the errors of operations: exceptions of scripts, operations that were cut
// off, their log, and the end of a sweep in which no operation can succeed.
package testrun
