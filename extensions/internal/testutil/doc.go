// Package testutil has what tests share: real and fake servers that start, stop and pause, a VU
// that runs JavaScript, a step of a sweep, k6's exit, emitted samples, and leaked goroutines.
package testutil
