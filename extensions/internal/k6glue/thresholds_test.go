package k6glue

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"
)

func TestNeverHoldsOfEachTypeOfMetric(t *testing.T) {
	for name, tt := range map[string]struct {
		kind  metrics.MetricType
		holds []string // of a metric without samples
	}{
		"counter": {metrics.Counter, []string{"count==0", "rate<1"}},
		"gauge":   {metrics.Gauge, []string{"value<10", "value!=1"}},
		"trend":   {metrics.Trend, []string{"p(99)<1", "avg<1", "max==0"}},
		"rate":    {metrics.Rate, []string{"rate<0.01", "rate>0.99"}},
	} {
		t.Run(name, func(t *testing.T) {
			metric := metrics.NewRegistry().MustNewMetric("a_metric", tt.kind)
			thresholds := metrics.NewThresholds(tt.holds)
			require.NoError(t, thresholds.Parse())
			held, err := thresholds.Run(metric.Sink, time.Second)
			require.NoError(t, err)
			require.True(t, held, "this is what k6 makes of no samples")

			for _, threshold := range thresholds.Thresholds {
				require.NoError(t, NeverHolds(threshold, metric))
			}
			held, err = thresholds.Run(metric.Sink, time.Second)
			require.NoError(t, err)
			require.False(t, held)
			for i, threshold := range thresholds.Thresholds {
				require.True(t, threshold.LastFailed)
				require.Equal(t, tt.holds[i], threshold.Source, "it is shown as it was written")
			}
			metric.Sink.Add(metrics.Sample{Value: 1, Time: time.Now()})
			held, err = thresholds.Run(metric.Sink, time.Second)
			require.NoError(t, err)
			require.False(t, held, "nor does it with any")
		})
	}
}

func TestLastSampleComesAfterAllOthers(t *testing.T) {
	registry := metrics.NewRegistry()
	metric := registry.MustNewMetric("a_metric", metrics.Counter)
	last := NewLastSample(metric, registry)
	sub, err := metric.AddSubmetric("a:b")
	require.NoError(t, err)
	require.Len(t, metric.Submetrics, 2)
	take := func(at time.Time) { // what k6 does
		sample := metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: metric, Tags: registry.RootTagSet()}, Time: at, Value: 1}
		metric.Sink.Add(sample)
		for _, sm := range metric.Submetrics {
			if sample.Tags.Contains(sm.Tags) {
				require.True(t, sm.Metric.Observed, "k6 does not show it")
				sm.Metric.Sink.Add(sample)
			}
		}
	}

	var seen []float64
	at := time.Now()
	take(at)
	last.Then(at.Add(2), func() { seen = append(seen, metric.Sink.(*metrics.CounterSink).Value) })
	take(at.Add(1))
	require.Empty(t, seen)
	take(at.Add(2))
	take(at.Add(2))
	require.Equal(t, []float64{3}, seen)
	require.True(t, sub.Metric.Sink.IsEmpty())
}

func TestThresholdsOfTheOptions(t *testing.T) {
	registry := metrics.NewRegistry()
	metric := registry.MustNewMetric("a_metric", metrics.Gauge)
	none := metrics.NewThresholds(nil)
	all := ThresholdsOf(map[string]metrics.Thresholds{
		"a_metric": none, `a_metric{b: 'x', a:y}`: none, "unknown": none, "a_metric{}": none,
	}, registry)
	require.Len(t, all, 2)
	require.Equal(t, Thresholds{Name: "a_metric", Parent: "a_metric", Tags: registry.RootTagSet(), Metric: metric}, all[0])
	require.Equal(t, map[string]string{"a": "y", "b": "x"}, all[1].Tags.Map())
	again, err := metric.AddSubmetric(`b: 'x', a:y`)
	require.NoError(t, err)
	require.Same(t, again.Metric, all[1].Metric, "k6 finds the same one")
}
