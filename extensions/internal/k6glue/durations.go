package k6glue

import (
	"sync"

	"go.k6.io/k6/v2/metrics"
)

// singleDurations has the names of the metrics of single durations.
var singleDurations sync.Map //nolint:gochecknoglobals // a module's name of it is always the same

// NewDurations registers a Trend of single durations that go through Meter.Emit.
func NewDurations(registry *metrics.Registry, name string) (*metrics.Metric, error) {
	singleDurations.Store(name, nil)

	return registry.NewMetric(name, metrics.Trend, metrics.Time)
}

// SentInSweep tells whether a metric has samples in a sweep. Those of NewDurations have none.
func SentInSweep(metric string) bool {
	_, single := singleDurations.Load(metric)

	return !single
}
