// Package sweep registers the executor client-sweep and the JavaScript module k6/x/sweep with k6.
// The executor runs a script with one number of clients after the other and measures each step. Its
// packages:
//
//	options      options of a scenario, and its steps
//	search       finds the highest number within a bound
//	executor     runs the steps of a sweep
//	portable     the steps as scenarios of k6's own executors
//	jsmodule     the JavaScript module
//	testrun      the reports of one run of k6, and its thresholds
//	stream       metrics and figures sent while a step runs
//	host         CPU time, memory, idle detection
//	measure      histograms, steps and clients; without k6
//	report       results in all formats; without k6
//	stats        intervals, ratios, and the judgement of gates; without k6
//	gate         gate files; without k6
//	command      k6 x sweep
package sweep
