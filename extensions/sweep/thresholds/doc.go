// Package thresholds finds the thresholds on which k6 would say nothing: k6 takes what has no
// sample for 0, and judges a Gauge by its last value. What is known before the run is refused
// then. At the end of the test, [Judged] has the outcomes of all thresholds and says which rest on
// nothing.
package thresholds
