package k6glue

import (
	"math"
	"slices"
	"sync"
	"time"

	"go.k6.io/k6/v2/metrics"
)

// ExactRate makes k6 know a Rate exactly whose samples are a selection. k6 takes each sample of a
// Rate for one trial, and trials can be millions a second: a Counter has how many there were, by
// outcome. What k6 judges and shows of the Rate is what the Counter has counted; trues tells which
// of the Counter's samples the Rate is of. It has to be called before the first sample is sent. A
// second call does nothing.
func ExactRate(rate, counter *metrics.Metric, registry *metrics.Registry, trues func(*metrics.TagSet) bool) {
	exactRates.Lock()
	defer exactRates.Unlock()
	if isExact(rate) {
		return
	}
	hide(rate, registry, onAdd(func(s metrics.Sample) {
		eachRateSink(rate, s.Tags, func(sink *metrics.RateSink) { // k6 has just added it
			sink.Total--
			if s.Value != 0 {
				sink.Trues--
			}
		})
	}))
	hide(counter, registry, onAdd(func(s metrics.Sample) {
		n, is := int64(s.Value), trues(s.Tags)
		eachRateSink(rate, s.Tags, func(sink *metrics.RateSink) {
			sink.Total += n
			if is {
				sink.Trues += n
			}
		})
	}))
}

// exactRates guards ExactRate, to which each VU comes.
var exactRates sync.Mutex //nolint:gochecknoglobals // metrics have no lock of their own

// isExact tells whether a Rate has been made exact before.
func isExact(rate *metrics.Metric) bool {
	return slices.ContainsFunc(rate.Submetrics, func(sub *metrics.Submetric) bool {
		_, is := sub.Metric.Sink.(onAdd)

		return is
	})
}

// eachRateSink calls fn with those of a Rate, and of its parts, that a sample with these tags
// belongs to.
func eachRateSink(rate *metrics.Metric, tags *metrics.TagSet, fn func(*metrics.RateSink)) {
	if sink, is := rate.Sink.(*metrics.RateSink); is {
		fn(sink)
	}
	for _, sub := range rate.Submetrics {
		if sink, is := sub.Metric.Sink.(*metrics.RateSink); is && tags.Contains(sub.Tags) {
			fn(sink)
		}
	}
}

// mostTrials bounds how many samples of a Rate stand for the operations of a second.
const mostTrials = 100

// Trials are samples of a Rate for outputs: as many as there were operations, or mostTrials of
// them, among which a failure is never missing. What k6 itself judges and shows is exact: see
// ExactRate. Each has a time of its own, because some outputs keep one value of each moment.
func Trials(rate *metrics.Metric, tags *metrics.TagSet, at time.Time, operations, failed uint64) metrics.Samples {
	if operations == 0 {
		return nil
	}
	n := min(operations, mostTrials)
	trues := uint64(math.Ceil(float64(failed) * float64(n) / float64(operations)))
	samples := make(metrics.Samples, n, n+2) // sweep_ops appends two
	for i := range samples {
		value := 0.0
		if uint64(i) < trues {
			value = 1
		}
		samples[i] = metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: rate, Tags: tags}, Time: at.Add(time.Duration(i)), Value: value,
		}
	}

	return samples
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
