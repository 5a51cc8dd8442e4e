package k6x

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"
)

func TestThresholdsOfTheOptions(t *testing.T) {
	registry := metrics.NewRegistry()
	metric := registry.MustNewMetric("a_metric", metrics.Gauge)
	none := metrics.NewThresholds(nil)
	all := ThresholdsOf(map[string]metrics.Thresholds{
		"a_metric": none, `a_metric{b: 'x', a:y}`: none, "unknown": none, "a_metric{}": none,
	}, registry)
	require.Len(t, all, 2)
	require.Equal(t, Thresholds{
		Name: "a_metric", Parent: "a_metric", Tags: registry.RootTagSet(), Metric: metric, All: none.Thresholds,
	}, all[0])
	require.Equal(t, map[string]string{"a": "y", "b": "x"}, all[1].Tags.Map())
	again, err := metric.AddSubmetric(`b: 'x', a:y`)
	require.NoError(t, err)
	require.Same(t, again.Metric, all[1].Metric, "k6 finds the same one")
}

func TestThresholdsThatK6Judges(t *testing.T) {
	registry := metrics.NewRegistry()
	b, a := registry.MustNewMetric("metric_b", metrics.Gauge), registry.MustNewMetric("metric_a", metrics.Counter)
	sub, err := b.AddSubmetric("x:y")
	require.NoError(t, err)
	require.Empty(t, JudgedThresholds(registry))

	a.Thresholds, sub.Metric.Thresholds = metrics.NewThresholds([]string{"count>0"}), metrics.NewThresholds([]string{"value<1", "value>0"})
	all := JudgedThresholds(registry)
	require.Len(t, all, 2)
	require.Equal(t, "metric_a", all[0].Name)
	require.Equal(t, Thresholds{
		Name: "metric_b{x:y}", Parent: "metric_b", Tags: sub.Tags, Metric: sub.Metric, All: sub.Metric.Thresholds.Thresholds,
	}, all[1])
}
