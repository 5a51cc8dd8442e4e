package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
)

type parsed struct {
	results []*benchfmt.Result
	units   benchfmt.UnitMetadataMap
}

func parseBench(tb testing.TB, text string) parsed {
	tb.Helper()
	reader := benchfmt.NewReader(strings.NewReader(text), "bench.txt")
	var out parsed
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.Result:
			out.results = append(out.results, rec.Clone())
		case *benchfmt.SyntaxError:
			tb.Fatal(rec)
		}
	}
	require.NoError(tb, reader.Err())
	out.units = reader.Units()

	return out
}

func TestGoBench(t *testing.T) {
	r := reports()["repeats"]
	p := parseBench(t, r.GoBench())
	require.Len(t, p.results, len(r.Steps))
	first := p.results[0]
	for key, want := range map[string]string{
		"goos": "linux", "goarch": "amd64", "pkg": "stock-rollup", "cpu": "Imaginary 9000", "k6": "", "target-version": "",
	} {
		require.Equal(t, want, first.GetConfig(key), key)
	}
	require.Equal(t, "StockRollup/op=stock-rollup/clients=1-8", string(first.Name))
	require.Equal(t, first.Name, p.results[2].Name, "repeats are samples of one benchmark")
	require.Equal(t, "StockRollup/op=stock-rollup/clients=512-8", string(p.results[5].Name))
	base, parts := first.Name.Parts()
	require.Equal(t, "StockRollup", string(base))
	require.Len(t, parts, 3)

	for i, s := range r.Steps {
		require.EqualValues(t, s.Operations, p.results[i].Iters)
		for unit, want := range map[string]float64{
			"sec/op": s.Seconds / float64(s.Operations), "ops/s": s.OpsPerSecond, "failed": 0,
			"p50-sec/op": s.Latency.P50 / 1000, "p90-sec/op": s.Latency.P90 / 1000, "p95-sec/op": s.Latency.P95 / 1000,
			"p99-sec/op": s.Latency.P99 / 1000, "p999-sec/op": s.Latency.P999 / 1000,
			"max-sec/op": s.Latency.Max / 1000, "mean-sec/op": s.Latency.Mean / 1000,
		} {
			got, found := p.results[i].Value(unit)
			require.True(t, found, unit)
			require.InDelta(t, want, got, want*1e-12, unit)
		}
		require.Len(t, p.results[i].Values, 10)
	}
	require.Equal(t, 1, p.units.GetBetter("ops/s"))
	for _, v := range first.Values {
		if v.Unit != "ops/s" {
			require.Equal(t, -1, p.units.GetBetter(v.Unit), v.Unit)
		}
	}
}

// benchstat only compares results with the same configuration.
func TestGoBenchOfOtherVersionsIsCompared(t *testing.T) {
	before := madeUp(nil)
	after := madeUp(func(r *Report) { r.K6, r.Target = "v2.3.0", map[string]any{"kind": "other", "version": "9.0.0"} })
	require.Equal(t, parseBench(t, before.GoBench()).results[0].Config, parseBench(t, after.GoBench()).results[0].Config)
	for _, fact := range []string{"k6: v2.2.0", "target-kind: machbase", "target-version: 8.5.2", "target-driver: cmi"} {
		require.Contains(t, before.GoBench(), "\n# "+fact+"\n", "for people")
	}
}

func TestGoBenchOfNothing(t *testing.T) {
	r := madeUp(func(r *Report) {
		r.Steps[1].Operations = 0
		r.Host, r.K6, r.Target = Host{}, "", map[string]any{"version": 3}
	})
	p := parseBench(t, r.GoBench())
	require.Len(t, p.results, 2, "a step without a successful operation is left out")
	require.Equal(t, "StockRollup/op=stock-rollup/clients=512", string(p.results[1].Name), "no number of processors")
	require.Equal(t, []benchfmt.Config{{Key: "pkg", Value: []byte("stock-rollup"), File: true}}, p.results[0].Config)

	require.Empty(t, parseBench(t, reports()["empty"].GoBench()).results)
}

func TestGoBenchNames(t *testing.T) {
	for _, tt := range []struct{ scenario, op, want string }{
		{"stock-rollup", "rollup", "StockRollup/op=rollup/clients=8-8"},
		{"kv layout_2", "get", "KvLayout2/op=get/clients=8-8"},
		{"Ünder/über", "get", "ÜnderÜber/op=get/clients=8-8"},
		{"a", "get hot", "A/op=get%20hot/clients=8-8"},
		{"a", "get/hot=1\n", "A/op=get%2Fhot%3D1%0A/clients=8-8"},
		{"a", "get-16", "A/op=get-16/clients=8-8"},
		{"a", "\x00\u2028\xff", "A/op=%00%E2%80%A8%EF%BF%BD/clients=8-8"},
		{"--", "é", "/op=é/clients=8-8"},
	} {
		r := madeUp(func(r *Report) { r.Scenario, r.Steps = tt.scenario, []Step{step(8, 1, tt.op)} })
		p := parseBench(t, r.GoBench())
		require.Len(t, p.results, 1)
		require.Equal(t, tt.want, string(p.results[0].Name))
	}
	rate := parseBench(t, reports()["rates"].GoBench()).results
	require.Equal(t, "StockRollup/op=get/clients=8/rate=0.5-8", string(rate[0].Name))
	require.Equal(t, "StockRollup/op=set/clients=8/rate=25000-8", string(rate[5].Name))
}

// A text from outside cannot add a line.
func TestGoBenchOfHostileTexts(t *testing.T) {
	r := madeUp(func(r *Report) {
		r.Target["version"] = "1\nBenchmarkX 1 1 ns/op\ncpu: other"
		r.Steps = r.Steps[:1]
	})
	p := parseBench(t, r.GoBench())
	require.Len(t, p.results, 1)
	require.Contains(t, r.GoBench(), "\n# target-version: 1 BenchmarkX 1 1 ns/op cpu: other\n")
	require.Equal(t, "Imaginary 9000", p.results[0].GetConfig("cpu"))
}
