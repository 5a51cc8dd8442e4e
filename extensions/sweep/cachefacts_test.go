package sweep

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
)

// The peak counts anew for each scenario, when it begins.
func TestPeakMemoryOfEachScenario(t *testing.T) {
	runtime, results := newModule(t)
	_, err := runtime.VU.Runtime().RunString(fmt.Sprintf(
		`sweep.meta({ scenario: 'one', cache: { memory: 1, item: 2, pids: [%d] } })`, os.Getpid()))
	require.NoError(t, err)
	for range 2 {
		rep := results.newReport("one", map[string]any{})
		require.False(t, results.peaks["one"].Before(rep.Started.Truncate(0)))
	}
	results.newReport("other", map[string]any{})
	require.NotContains(t, results.peaks, "other")
}

func TestMetaOfACache(t *testing.T) {
	runtime, results := newModule(t)
	for facts, want := range map[string]string{
		`{ memory: 1 }`:                                "sweep.meta: cache must have memory and item",
		`{ memory: 1, item: 1, pids: [0] }`:            "sweep.meta: cache.pids must be process ids, and 0 is none",
		`{ memory: 1, item: 1, vmHwm: 1, pids: [1] }`:  "sweep.meta: cache.vmHwm and cache.pids exclude each other",
		`{ memory: 1, item: 1, vmHwm: -1, pids: [1] }`: "sweep.meta: cache must have memory and item",
	} {
		name, message := thrownBy(t, runtime, fmt.Sprintf(`sweep.meta({ cache: %s })`, facts))
		require.Equal(t, "TypeError", name)
		require.Contains(t, message, want)
	}
	_, err := runtime.VU.Runtime().RunString(`
		sweep.meta({ params: { who: "all" }, cache: { memory: 1, item: 2, vmHwm: 3 } })
		sweep.meta({ scenario: "one", target: { kind: "cache" }, cache: { memory: 4, item: 5, pids: [6] } })`)
	require.NoError(t, err)
	_, cache := results.server("other")
	require.Equal(t, &host.Cache{Memory: 1, Item: 2, VMHWM: 3}, cache)
	_, cache = results.server("one")
	require.Equal(t, &host.Cache{Memory: 4, Item: 5, PIDs: []int32{6}}, cache)
	require.Empty(t, results.newReport("other", map[string]any{}).Target)
	one := results.newReport("one", map[string]any{})
	require.Equal(t, map[string]any{"kind": "cache"}, one.Target)
	require.Equal(t, map[string]any{"who": "all"}, one.Params)
}
