package k6x

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/metrics"
)

func TestInstrumentsWithoutDurations(t *testing.T) {
	runtime := modulestest.NewRuntime(t)
	runtime.VU.InitEnvField.BuiltinMetrics = runtime.BuiltinMetrics
	_, err := NewInstruments(runtime.VU, &Metrics{Ops: "ops"}, nil)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, metric := range runtime.VU.InitEnvField.Registry.All() {
		names[metric.Name] = true
	}
	require.True(t, names["ops"])
	require.False(t, names[""])
}

func TestInstrumentNamesTaken(t *testing.T) {
	for _, names := range []Metrics{
		{Ops: "taken"}, {Ops: "taken_ops"}, {Ops: "ops", Duration: "taken"}, {Ops: "ops", Duration: "durations", Counts: []string{"hits", "taken"}},
		{Ops: "ops", Tagged: []string{"taken"}},
	} {
		runtime := modulestest.NewRuntime(t)
		runtime.VU.InitEnvField.BuiltinMetrics = runtime.BuiltinMetrics
		runtime.VU.InitEnvField.Registry.MustNewMetric("taken", metrics.Gauge)
		runtime.VU.InitEnvField.Registry.MustNewMetric("taken_failed", metrics.Gauge)
		_, err := NewInstruments(runtime.VU, &names, nil)
		require.ErrorContains(t, err, "taken")
	}
}
