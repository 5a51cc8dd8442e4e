// Package executor is the executor client-sweep. It runs a script in steps with different numbers
// of clients, starts all clients of a step together, and measures each step.
//
// An Executor runs a sweepRun, which runs a stepRun for each step, in which each client has a VU.
package executor
