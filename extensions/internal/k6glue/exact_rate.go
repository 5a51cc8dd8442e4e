package k6glue

import (
	"time"

	"go.k6.io/k6/v2/metrics"
)

// ExactRate makes k6 know a Rate exactly whose samples are a selection. k6 takes each sample of a
// Rate for one trial, and trials can be millions a second: a Counter has how many there were, by
// outcome. What k6 judges and shows of the Rate is what the Counter has counted; trues tells which
// of the Counter's samples the Rate is of. It has to be called before the first sample is sent.
func ExactRate(rate, counter *metrics.Metric, registry *metrics.Registry, trues func(*metrics.TagSet) bool) {
	hide(rate, registry, onAdd(func(s metrics.Sample) {
		for _, sink := range rateSinks(rate, s.Tags) { // k6 has just added it
			sink.Total--
			if s.Value != 0 {
				sink.Trues--
			}
		}
	}))
	hide(counter, registry, onAdd(func(s metrics.Sample) {
		n := int64(s.Value)
		for _, sink := range rateSinks(rate, s.Tags) {
			sink.Total += n
			if trues(s.Tags) {
				sink.Trues += n
			}
		}
	}))
}

// rateSinks are those of a Rate, and of its parts, that a sample with these tags belongs to.
func rateSinks(rate *metrics.Metric, tags *metrics.TagSet) []*metrics.RateSink {
	sinks := make([]*metrics.RateSink, 0, 1+len(rate.Submetrics))
	add := func(sink metrics.Sink) {
		if s, is := sink.(*metrics.RateSink); is {
			sinks = append(sinks, s)
		}
	}
	add(rate.Sink)
	for _, sub := range rate.Submetrics {
		if tags.Contains(sub.Tags) {
			add(sub.Metric.Sink)
		}
	}

	return sinks
}

// onAdd is a Sink that only tells of each sample.
type onAdd func(metrics.Sample)

// Add implements metrics.Sink.
func (fn onAdd) Add(s metrics.Sample) { fn(s) }

// Format implements metrics.Sink.
func (onAdd) Format(time.Duration) map[string]float64 { return nil }

// IsEmpty implements metrics.Sink.
func (onAdd) IsEmpty() bool { return true }

// hide adds a Sink to a metric that gets each of its samples, from the goroutine on which k6 takes
// them. It is that of a sub-metric without tags that k6 does not know to be one of its own, and
// shows nowhere.
func hide(metric *metrics.Metric, registry *metrics.Registry, sink metrics.Sink) {
	hidden := &metrics.Metric{Name: metric.Name, Type: metric.Type, Contains: metric.Contains, Sink: sink, Observed: true}
	hidden.Sub = &metrics.Submetric{Name: metric.Name, Tags: registry.RootTagSet(), Metric: hidden, Parent: metric}
	metric.Submetrics = append(metric.Submetrics, hidden.Sub)
}
