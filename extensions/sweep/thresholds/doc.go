// Package thresholds judges k6's thresholds on the metrics of sweeps. Those that cannot hold are
// refused before the run; at its end, the others are judged by the worst of all steps that they are
// for, and never by a figure that rests on nothing.
package thresholds
