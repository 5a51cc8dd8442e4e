package k6glue

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

func TestInstruments(t *testing.T) {
	runtime := modulestest.NewRuntime(t)
	runtime.VU.InitEnvField.BuiltinMetrics = runtime.BuiltinMetrics
	i, err := NewInstruments(runtime.VU, MetricNames{
		Ops: "cache_ops", Duration: "cache_op_duration", Counts: []string{"cache_hits", "cache_misses"},
	})
	require.NoError(t, err)
	retries, err := i.Counter("cache_retries")
	require.NoError(t, err)
	m := &meterTest{vu: runtime.VU, samples: make(chan metrics.SampleContainer, 100)}
	runtime.MoveToVUContext(&lib.State{
		Samples: m.samples, Tags: lib.NewVUStateTags(runtime.VU.InitEnvField.Registry.RootTagSet().With("scenario", "hot")),
	})

	i.Count("get", OutcomeOK, 1, 0)
	i.Count("get", OutcomeOK, 2, 3)
	i.Count("get", "timeout")
	i.Traffic(5, 7)
	i.Add(retries, 1)
	require.Empty(t, m.sent())
	i.EmitDuration("get", OutcomeOK, 2*time.Millisecond)
	require.ElementsMatch(t, []string{
		"cache_ops 2 map[operation:get outcome:ok scenario:hot]",
		"cache_hits 3 map[operation:get outcome:ok scenario:hot]",
		"cache_misses 3 map[operation:get outcome:ok scenario:hot]",
		"cache_op_duration 2 map[operation:get outcome:ok scenario:hot]",
		"cache_ops 1 map[operation:get outcome:timeout scenario:hot]",
		"data_received 5 map[scenario:hot]",
		"data_sent 7 map[scenario:hot]",
		"cache_retries 1 map[scenario:hot]",
	}, m.sent())
	i.Emit()
	require.Empty(t, m.sent())
}

func TestInstrumentsWithoutDurations(t *testing.T) {
	runtime := modulestest.NewRuntime(t)
	runtime.VU.InitEnvField.BuiltinMetrics = runtime.BuiltinMetrics
	_, err := NewInstruments(runtime.VU, MetricNames{Ops: "ops"})
	require.NoError(t, err)
	names := map[string]bool{}
	for _, metric := range runtime.VU.InitEnvField.Registry.All() {
		names[metric.Name] = true
	}
	require.True(t, names["ops"])
	require.False(t, names[""])
}

// A name that somebody else has registered with another type is an error, whichever it is.
func TestInstrumentsWhoseNamesAreTaken(t *testing.T) {
	for _, names := range []MetricNames{
		{Ops: "taken"}, {Ops: "ops", Duration: "taken"}, {Ops: "ops", Duration: "durations", Counts: []string{"hits", "taken"}},
	} {
		runtime := modulestest.NewRuntime(t)
		runtime.VU.InitEnvField.BuiltinMetrics = runtime.BuiltinMetrics
		runtime.VU.InitEnvField.Registry.MustNewMetric("taken", metrics.Gauge)
		_, err := NewInstruments(runtime.VU, names)
		require.ErrorContains(t, err, "taken")
	}
	runtime := modulestest.NewRuntime(t)
	runtime.VU.InitEnvField.BuiltinMetrics = runtime.BuiltinMetrics
	runtime.VU.InitEnvField.Registry.MustNewMetric("taken", metrics.Gauge)
	i, err := NewInstruments(runtime.VU, MetricNames{Ops: "ops"})
	require.NoError(t, err)
	_, err = i.Counter("taken")
	require.ErrorContains(t, err, "taken")
}
