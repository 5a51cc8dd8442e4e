// Package executor is the executor client-sweep: it runs a script with one number of clients after
// the other, holds all clients of a step at a start line, and measures each step.
//
// An Executor runs a sweepRun, which runs a stepRun for each step, in which each client has a VU.
package executor
