// Package k6test is what the tests of our modules have in common: a VU that runs JavaScript, a step
// of a sweep, k6's end, the samples that a module has emitted, and the goroutines that are left of
// it.
package k6test
