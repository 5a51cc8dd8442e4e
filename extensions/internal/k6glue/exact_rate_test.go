package k6glue

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"
)

// k6 judges a Rate, and each part of it, by what the Counter has counted, and not by the samples
// that stand for it.
func TestExactRate(t *testing.T) {
	registry := metrics.NewRegistry()
	rate, counter := registry.MustNewMetric("failed", metrics.Rate), registry.MustNewMetric("ops", metrics.Counter)
	before, err := rate.AddSubmetric("op:get")
	require.NoError(t, err)
	for range 2 { // each VU comes there
		ExactRate(rate, counter, registry, func(tags *metrics.TagSet) bool {
			outcome, _ := tags.Get("outcome")

			return outcome == "failed"
		})
	}
	after, err := rate.AddSubmetric("op:set")
	require.NoError(t, err)

	take := func(metric *metrics.Metric, value float64, tags map[string]string) { // as k6's ingester does
		s := metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: metric, Tags: registry.RootTagSet().WithTagsFromMap(tags)}, Time: time.Now(), Value: value,
		}
		metric.Sink.Add(s)
		for _, sub := range metric.Submetrics {
			if s.Tags.Contains(sub.Tags) {
				sub.Metric.Sink.Add(s)
			}
		}
	}
	for range 100 {
		take(rate, 1, map[string]string{"op": "get"})
		take(rate, 0, map[string]string{"op": "set"})
	}
	take(counter, 999_999, map[string]string{"op": "get", "outcome": "ok"})
	take(counter, 1, map[string]string{"op": "get", "outcome": "failed"})
	take(counter, 0, map[string]string{"op": "set", "outcome": "ok"})
	take(counter, 3, map[string]string{"op": "set", "outcome": "failed"})
	require.Equal(t, &metrics.RateSink{Trues: 4, Total: 1_000_003}, rate.Sink)
	require.Equal(t, &metrics.RateSink{Trues: 1, Total: 1_000_000}, before.Metric.Sink)
	require.Equal(t, &metrics.RateSink{Trues: 3, Total: 3}, after.Metric.Sink)
}
