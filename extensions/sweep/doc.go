// Package sweep is the executor client-sweep, which runs a script with one number of clients after
// the other and measures each, and the JavaScript module k6/x/sweep, with which scripts take part
// in it. Importing it registers both with k6. Its rooms:
//
//	options      what a scenario may say, and which steps come of it
//	search       the highest number that keeps a bound
//	executor     the steps of a sweep, one after the other
//	portable     the same steps as scenarios of k6's own executors
//	jsmodule     what scripts import
//	testrun      the reports of one run of k6, from their beginning to their end
//	thresholds   k6's thresholds on the metrics of sweeps
//	fault        why operations fail
//	stream       the metrics and figures that go out while a step runs
//	host         the machine: processor time, memory, a server at rest
//	measure      histograms, steps and clients; without k6
//	report       what was measured, in all its formats; without k6
//	gate         gates and their judgement; without k6
//	command      k6 x sweep
package sweep
