package report

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// github-action-benchmark has one direction per file, so ops/s and latencies are two files.
func TestBenchmarkActionHasOneDirectionAFile(t *testing.T) {
	r := madeUp(func(r *Report) {
		r.Steps = []Step{
			step(8, 1, "get"), step(8, 2, "get", slower(2)), step(8, 3, "get", slower(4)),
			step(64, 1, "get", func(s *Step) { s.Operations, s.Failed = 0, 7 }),
		}
	})
	read := func(out []byte, err error) (entries []benchmarkActionEntry) {
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(out, &entries))

		return entries
	}

	bigger := read(r.BiggerIsBetter())
	require.Len(t, bigger, 2)
	require.Equal(t, "stock-rollup: get, 8 clients, ops/s", bigger[0].Name)
	require.Equal(t, "ops/s", bigger[0].Unit)
	require.InDelta(t, r.Steps[1].OpsPerSecond, bigger[0].Value, 1e-9, "the median of the repeats")
	require.Equal(t, "3 repeats", bigger[0].Extra)

	names := map[string]float64{}
	for _, e := range read(r.SmallerIsBetter()) {
		require.NotEqual(t, "ops/s", e.Unit)
		names[e.Name] = e.Value
	}
	require.InDelta(t, r.Steps[1].Latency.P99, names["stock-rollup: get, 8 clients, p99"], 1e-9)
	require.NotContains(t, names, "stock-rollup: get, 8 clients, max", "the worst of all operations is chance")
	require.NotContains(t, names, "stock-rollup: get, 64 clients, p99", "no success, no latency")
	require.InDelta(t, 7, names["stock-rollup: get, 64 clients, failed"], 0)
}
