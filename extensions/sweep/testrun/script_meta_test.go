package testrun

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
)

// The peak is measured again from the start of each scenario.
func TestPeakMemoryOfEachScenario(t *testing.T) {
	results := Of(metrics.NewRegistry())
	results.Meta(&Facts{Scenario: "one", Cache: &host.Cache{Memory: 1, Item: 2, PIDs: []int32{int32(os.Getpid())}}})
	for range 2 {
		rep := results.addReport("one", map[string]any{})
		require.False(t, results.peaks["one"].Before(rep.Started.Truncate(0)))
	}
	results.addReport("other", map[string]any{})
	require.NotContains(t, results.peaks, "other")
}

func TestFactsOfACache(t *testing.T) {
	results := Of(metrics.NewRegistry())
	all, own := &host.Cache{Memory: 1, Item: 2, VMHWM: 3}, &host.Cache{Memory: 4, Item: 5, PIDs: []int32{6}}
	results.Meta(&Facts{Params: map[string]any{"who": "all"}, Cache: all})
	results.Meta(&Facts{Scenario: "one", Target: map[string]any{"kind": "cache"}, Cache: own})
	_, cache := results.server("other")
	require.Equal(t, all, cache)
	_, cache = results.server("one")
	require.Equal(t, own, cache)
	require.Empty(t, results.addReport("other", map[string]any{}).Target)
	one := results.addReport("one", map[string]any{})
	require.Equal(t, map[string]any{"kind": "cache"}, one.Target)
	require.Equal(t, map[string]any{"who": "all"}, one.Params)
}
