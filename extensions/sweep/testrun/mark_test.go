package testrun

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// A threshold decides only if it sees all failures of the scenario.
func TestWhatJudgesFailures(t *testing.T) {
	for metric, want := range map[string]bool{
		"sweep_failed": true, "sweep_failed{scenario:rollup}": true,
		"sweep_failed{scenario:other}": false, "sweep_failed{scenario:rollup,op:get}": false, "sweep_failed{op:get}": false,
	} {
		registry := metrics.NewRegistry()
		m, err := stream.Register(registry)
		require.NoError(t, err)
		if name, tags, sub := strings.Cut(metric, "{"); sub {
			sub, err := registry.Get(name).AddSubmetric(strings.TrimSuffix(tags, "}"))
			require.NoError(t, err)
			require.False(t, judged(m.Failed, "rollup"), "only shown")
			sub.Metric.Thresholds = metrics.NewThresholds([]string{"count==0"})
		} else {
			m.Failed.Thresholds = metrics.NewThresholds([]string{"count==0"})
		}
		require.Equal(t, want, judged(m.Failed, "rollup"), metric)
	}
}
