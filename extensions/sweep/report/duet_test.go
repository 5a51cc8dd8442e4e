package report

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// duet adds two duets to a report: one of 8 clients, and one of 512 with too few slices.
func duet(r *Report) {
	of := func(variant string) func(*Step) { return func(s *Step) { s.Variant, s.PerClient = variant, 0 } }
	r.Steps = []Step{
		step(8, 1, "get", of(Base)), step(8, 1, "get", of(Change)),
		step(512, 1, "get", of(Base)), step(512, 1, "get", of(Change)),
	}
	r.Duets = []Duet{
		{
			Clients: 8, Repeat: 1, Op: "get", Slices: 400, SliceSeconds: 0.05, Seed: 7, Crossed: 800, Blocks: 100,
			Figures: []DuetFigure{
				{"opsPerSecond", 6315, 6511, 1.031, 1.024, 1.0380477, 0.009},
				{"p99", 7.2, 6.98, 0.97, 0.93, 1.0117204, 0.058},
			},
		},
		{Clients: 512, Repeat: 1, Op: "get", Slices: 4, SliceSeconds: 2.5, Seed: 9, Crossed: 9_000_000, Figures: []DuetFigure{}, Why: "2 pairs"},
	}
}

func TestDuetIsSaidInOneLine(t *testing.T) {
	r := madeUp(duet)
	text := r.Markdown()
	require.Contains(t, "\n"+text, "\n8 clients: change beside base: ops/s same within 3.8 %, 1.031x (1.024 to 1.038); "+
		"p99 cannot tell, 0.970x (0.930 to 1.012); could see 0.90 % of ops/s and 5.8 % of p99\n")
	require.Contains(t, text, "\n512 clients: change beside base: cannot tell, 2 pairs; "+
		"88 % of the operations ended beside the other variant, after their slice: that brings the ratio nearer to 1\n")
	require.Equal(t, 1, strings.Count(text, "ended beside the other variant"), "a few are not worth a word")
	require.Contains(t, r.GitHub(), "\n- 8 clients: change beside base: ops/s same within 3.8 %, 1.031x (1.024 to 1.038); ")
	for range 10 {
		r.Duets = append(r.Duets, r.Duets[0])
	}
	require.Contains(t, r.GitHub(), "\n- and 4 more\n")
}

// The line and the page judge p99 only where a gate may.
func TestDuetOfTwoServersJudgesNoTail(t *testing.T) {
	r := madeUp(duet)
	r.Duets[0].Figures = append(r.Duets[0].Figures, DuetFigure{Figure: "p50", Base: 1, Change: 1, Ratio: 1, Low: 0.99, High: 1.01, Visible: 0.02})
	r.Target = map[string]any{"url": "redis://h:2", "base": map[string]any{"url": "redis://h:1"}}
	require.NotContains(t, r.DuetLine(&r.Duets[0]), "p99")
	require.Contains(t, r.DuetLine(&r.Duets[0]), "; p50 same within 1.0 %, 1.000x (0.990 to 1.010); could see 0.90 % of ops/s and 2.0 % of p50")
}

// The variants are named by the settings, or by the differences of their targets.
func TestNamesOfVariants(t *testing.T) {
	for want, target := range map[string]map[string]any{
		"t4 beside t1":                            {"name": "t4", "base": map[string]any{"name": "t1", "threads": 1}},
		"change beside v1":                        {"base": map[string]any{"name": "v1"}},
		"change beside base":                      {"base": map[string]any{"about": strings.Repeat("long", 20)}, "about": strings.Repeat("other", 20)},
		"127.0.0.1:2 beside 127.0.0.1:1":          {"url": "redis://127.0.0.1:2", "base": map[string]any{"url": "redis://127.0.0.1:1"}},
		"raw, pipeline 4 beside text, pipeline 1": {"driver": "raw", "pipeline": 4, "base": map[string]any{"driver": "text", "pipeline": 1}},
	} {
		r := madeUp(duet)
		r.Target = target
		require.Contains(t, "\n"+r.Markdown(), "\n8 clients: "+want+": ops/s")
		base := strings.SplitAfter(want, " beside ")[1]
		require.Contains(t, r.Markdown(), " stock-rollup "+base+" get ")
	}
}

func TestEstimateOfADuetThatWasRead(t *testing.T) {
	made, err := stats.OfPairs([]stats.Pair{{Base: 1, Change: 1.1}, {Base: 1, Change: 1.2}, {Base: 1, Change: 1.05}, {Base: 1, Change: 1.15}}, DuetConfidence)
	require.NoError(t, err)
	d := Duet{Blocks: made.N}
	read := d.Estimate(&DuetFigure{Ratio: made.Ratio, Low: made.Low, High: made.High})
	require.InDelta(t, made.Low, read.Low, 1e-9)
	require.InDelta(t, made.Visible(), read.Visible(), 1e-9)
	for _, ratio := range []float64{0.9, 1, 1.1, 1.3} {
		require.InDelta(t, made.P(ratio), read.P(ratio), 1e-9)
	}
}

func TestValidateDuets(t *testing.T) {
	for want, change := range map[string]func(*Report){
		`duets[0]: there is no step of its variant "change"`:                    func(r *Report) { r.Steps[1].Variant = "other" },
		`duets[0]: the ratio of opsPerSecond is 1.031, and its interval 1.1 to`: func(r *Report) { r.Duets[0].Figures[0].Low = 1.1 },
		`duets[0]: the ratio of opsPerSecond is 1.031, and its interval 0 to`:   func(r *Report) { r.Duets[0].Figures[0].Low = 0 },
	} {
		r := madeUp(duet)
		require.NoError(t, r.Validate())
		change(r)
		require.ErrorContains(t, r.Validate(), want)
	}
}

func TestHowWellDuetsAreKnown(t *testing.T) {
	of := func(ratio, low, high float64) Duet {
		return Duet{Figures: []DuetFigure{
			{Figure: "opsPerSecond", Ratio: ratio, Low: low, High: high},
			{Figure: "p99", Ratio: 2, Low: 1, High: 2.2},
		}}
	}
	reached := Reached([]Duet{of(1, 0.99, 1.02), of(0.5, 0.48, 0.51)})
	require.InDelta(t, 0.04, reached.OpsPerSecond, 1e-9)
	require.InDelta(t, 0.5, reached.P99, 1e-9)

	require.True(t, math.IsInf(Reached(nil).OpsPerSecond, 1), "nothing has happened yet")
	unknown := Reached([]Duet{of(1, 0.99, 1.02), {Why: "too few"}})
	require.True(t, math.IsInf(unknown.OpsPerSecond, 1) && math.IsInf(unknown.P99, 1))
}
