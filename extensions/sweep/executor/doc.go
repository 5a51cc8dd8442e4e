// Package executor is the executor client-sweep. It runs a script in steps with different numbers
// of clients, starts all clients of a step together, and measures each step.
//
// Config has the options and returns the steps. An Executor runs a sweepRun, which runs a stepRun
// for each step, in which each client has a VU. A search chooses the next step by the results.
// Portable steps are stepRuns whose VUs belong to k6's own executors.
package executor
