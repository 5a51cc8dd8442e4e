// Package thresholds finds thresholds that k6 would judge wrongly: it takes missing samples for 0,
// and judges a Gauge by its last value. Some are refused before the run. [Judged] finds the others
// at its end, and returns the results of all.
package thresholds
