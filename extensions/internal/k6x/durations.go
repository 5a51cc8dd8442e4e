package k6x

import (
	"sync"

	"go.k6.io/k6/v2/metrics"
)

// absentInSweep maps metrics that have no samples in a sweep to the sweep's metrics to use instead.
var absentInSweep sync.Map //nolint:gochecknoglobals // a module's name of it is always the same

// NewDurations registers a Trend of durations for Meter.Emit.
func NewDurations(registry *metrics.Registry, name string) (*metrics.Metric, error) {
	return NewTimes(registry, name, "sweep_p50 to sweep_max, with the tag op, have the durations of its operations")
}

// NewTimes registers a Trend of other durations that go through Meter.Emit, and what a sweep has
// instead.
func NewTimes(registry *metrics.Registry, name, instead string) (*metrics.Metric, error) {
	absentInSweep.Store(name, instead)

	return registry.NewMetric(name, metrics.Trend, metrics.Time)
}

// NewShare registers a Rate of failed operations: see Meter.Share.
func NewShare(registry *metrics.Registry, name string) (*metrics.Metric, error) {
	absentInSweep.Store(name, "sweep_failed, with the tag op, counts its operations that failed")

	return registry.NewMetric(name, metrics.Rate)
}

// AbsentInSweep reports whether a metric has no samples in a sweep, and which metric to use
// instead.
func AbsentInSweep(metric string) (instead string, absent bool) {
	value, absent := absentInSweep.Load(metric)
	instead, _ = value.(string)

	return instead, absent
}
