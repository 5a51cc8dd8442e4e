// Package k6test helps to test modules: a VU that runs JavaScript, a step of a sweep, k6's exit,
// emitted samples, and leaked goroutines.
package k6test
