package gate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

const ofDuets = `{"scenario": "cache", "relative": {"opsPerSecond": "-5%", "p99": "+10%"}}`

// duet makes a run with a step of 8 clients for each ratio of ops/s, known to ±half.
func duet(half float64, ratios ...float64) *report.Report {
	r := run(1)
	r.Params = map[string]any{}
	r.Steps = nil
	for i, ratio := range ratios {
		clients := 1 << i
		for _, variant := range []string{report.Base, report.Change} {
			r.Steps = append(r.Steps, report.Step{
				Clients: clients, Repeat: 1, Op: "get", Variant: variant, Operations: 10_000, Complete: true, Seconds: 20, OpsPerSecond: 1000,
				Latency: report.LatencyMs{P50: 1, P99: 2},
			})
		}
		figure := func(key string, ratio float64) report.DuetFigure {
			return report.DuetFigure{
				Figure: key, Base: 1000, Change: 1000 * ratio, Ratio: ratio, Low: ratio / (1 + half), High: ratio * (1 + half), Visible: half,
			}
		}
		r.Duets = append(r.Duets, report.Duet{
			Clients: clients, Repeat: 1, Op: "get", Slices: 400, SliceSeconds: 0.05, Blocks: 100,
			Figures: []report.DuetFigure{figure("opsPerSecond", ratio), figure("p99", 1/ratio)},
		})
	}

	return r
}

// limitedChange sets the bottleneck of the first step's change.
func limitedChange(word witness.Word) func(*report.Report) {
	return func(r *report.Report) { r.Steps[1].Witness = &report.Witness{LimitedBy: word, Why: "So it was."} }
}

func TestGatesOfADuet(t *testing.T) {
	const h, c, u = stats.Held, stats.Crossed, stats.Undecided
	f := parsed(t, ofDuets)
	require.Equal(t, []string{
		"ops/s of every step >= 0.95x of base", "p99 of every step <= 1.1x of base", "every step complete and no operation failed",
	}, f.Plan())
	for _, tt := range []struct {
		name     string
		run      *report.Report
		ops, p99 stats.Outcome
		detail   string
		needed   string
	}{
		{"the same", duet(0.01, 1), h, h, "change is 1.000x (0.990 to 1.010) of base with 1 client", ""},
		{"faster", duet(0.01, 1.5), h, h, "change is 1.500x", ""},
		{"slower within", duet(0.01, 0.97), h, h, "change is 0.970x (0.960 to 0.980) of base with 1 client", ""},
		{"slower", duet(0.01, 0.93), c, h, "change is 0.930x (0.921 to 0.939) of base with 1 client", ""},
		{"much slower", duet(0.01, 0.8), c, c, "change is 0.800x", ""},
		{"the same, unsurely", duet(0.12, 1), u, u, "change is 1.000x (0.893 to 1.120) of base with 1 client", "it takes a step of some 220 s instead of 20 s"},
		{"near to the bound", duet(0.01, 0.95), u, h, "change is 0.950x", "the change is near to what is tolerated: it takes a longer step"},
		{"one of two is slower", duet(0.01, 1, 0.9), c, u, "change is 0.900x (0.891 to 0.909) of base with 2 clients", ""},
		{
			"one is slower, the other is known badly", changed(duet(0.01, 0.9, 1), func(r *report.Report) {
				f := &r.Duets[1].Figures[0]
				f.Low, f.High, f.Visible = 0.8, 1.25, 0.25
			}), c, u, "change is 0.900x (0.891 to 0.909) of base with 1 client; change is 1.000x (0.800 to 1.250) of base with 2 clients", "",
		},
		{"both are the same", duet(0.01, 1, 1), h, h, "of base with 1 client; change is 1.000x (0.990 to 1.010) of base with 2 clients", ""},
		{"no duet", run(1), c, c, "not judged: relative gates need a duet or a baseline, and this run is no duet: add \"baseline\": \"baselines/cache.json\" to \"relative\", ", ""},
		{
			"too few slices", changed(duet(0.01, 1), func(r *report.Report) { r.Duets[0].Figures, r.Duets[0].Why = nil, "2 pairs of slices" }), u, u,
			"not judged: 2 pairs of slices with 1 client", "",
		},
		{
			"another figure is missing", changed(duet(0.01, 1), func(r *report.Report) { r.Duets[0].Figures = r.Duets[0].Figures[1:] }), u, h,
			"not judged: a duet does not tell ops/s with 1 client", "",
		},
		{
			"limited by k6", changed(duet(0.01, 1), limitedChange(witness.K6Itself)), u, u,
			"not judged: with 1 client of change limited by k6: So it was", "",
		},
		{"slower, although limited by k6", changed(duet(0.01, 0.8), limitedChange(witness.K6Itself)), c, c, "change is 0.800x", ""},
		{"beside a neighbour", changed(duet(0.01, 1), limitedChange(witness.Neighbour)), h, h, "change is 1.000x", ""},
		{"unsteady", changed(duet(0.01, 0.8), limitedChange(witness.Unsteady)), c, c, "change is 0.800x", ""},
		{
			"base is incomplete", changed(duet(0.01, 1), func(r *report.Report) { r.Steps[0].Complete = false }), c, c,
			"not judged: repeat 1 is incomplete with 1 client of base", "",
		},
		{
			"few operations of both", changed(duet(0.01, 1), func(r *report.Report) { r.Steps[0].Operations, r.Steps[1].Operations = 950, 900 }), h, u, "change is 1.000x", "",
		},
		{
			"a few operations less", changed(duet(0.01, 1), func(r *report.Report) { r.Steps[0].Operations, r.Steps[1].Operations = 1010, 990 }), h, u, "change is 1.000x", "",
		},
		{"so slow that p99 is lost", changed(duet(0.01, 0.5), func(r *report.Report) {
			r.Steps[1].Operations, r.Duets[0].Figures = 900, r.Duets[0].Figures[:1]
		}), c, c, "change is 0.500x", ""},
		{
			"two servers", changed(duet(0.01, 1), func(r *report.Report) { r.Target = map[string]any{"url": "a", "base": map[string]any{"url": "b"}} }), h, u,
			"change is 1.000x (0.990 to 1.010) of base with 1 client, of these two processes", "",
		},
		{
			"two settings of a server", changed(duet(0.01, 1), func(r *report.Report) { r.Target = map[string]any{"url": "a", "base": map[string]any{"url": "a"}} }), h, h,
			"of base with 1 client", "",
		},
	} {
		verdicts := f.Judge(tt.run)
		require.Equal(t, []stats.Outcome{tt.ops, tt.p99}, []stats.Outcome{verdicts[0].Outcome, verdicts[1].Outcome}, tt.name)
		require.Contains(t, verdicts[0].Detail, tt.detail, tt.name)
		require.Equal(t, tt.needed, verdicts[0].Needed, tt.name)
		require.Equal(t, tt.ops == h, verdicts[0].Held)
	}
}

func TestRepeatsOfADuetAreJudgedTogether(t *testing.T) {
	r := duet(0.1, 1, 1, 1, 1, 1, 1, 1, 1)
	for i := range r.Duets {
		r.Duets[i].Clients, r.Duets[i].Repeat = 1, i+1
		for j := range 2 {
			r.Steps[2*i+j].Clients, r.Steps[2*i+j].Repeat = 1, i+1
		}
	}
	v := parsed(t, ofDuets).Judge(r)[0]
	require.Equal(t, stats.Held, v.Outcome, v.Detail)
	require.Equal(t, "change is 1.000x (0.967 to 1.034) of base with 1 client", v.Detail)
}

// An asymmetric interval counts with its wider side.
func TestWiderHalfOfADuetCounts(t *testing.T) {
	r := duet(0.01, 1)
	r.Duets[0].Figures[0].Low = 0.9
	v := parsed(t, ofDuets).Judge(r)[0]
	require.Equal(t, stats.Undecided, v.Outcome, v.Detail)
	require.Equal(t, "change is 1.000x (0.900 to 1.111) of base with 1 client", v.Detail)
}

// A duet does not use the recorded runs, except for the names of steps.
func TestDuetOfAScenarioThatHasABaseline(t *testing.T) {
	f := parsed(t, `{"scenario": "cache", "absolute": [{"op": "get", "opsPerSecond": 900}],
		"relative": {"baseline": "b.json", "opsPerSecond": "-5%"}}`)
	require.NoError(t, f.setBaseline(apart(t)))
	r := duet(0.01, 0.9, 1)
	r.Duets[1].Clients, r.Steps[2].Clients, r.Steps[3].Clients = 8, 8, 8
	r.Steps[0].OpsPerSecond = 1 // base, which has no bound
	outcomes := map[string]stats.Outcome{}
	for _, v := range f.Judge(r) {
		outcomes[v.Gate] = v.Outcome
	}
	require.Equal(t, map[string]stats.Outcome{
		"ops/s of get in every step >= 900":                stats.Held,
		"ops/s of get with 1 client >= 0.95x of baseline":  stats.Crossed,
		"ops/s of get with 8 clients >= 0.95x of baseline": stats.Held,
		"ops/s of set with 1 client >= 0.95x of baseline":  stats.Crossed, // missing in the run
		"ops/s of set with 8 clients >= 0.95x of baseline": stats.Crossed,
		"baseline fits": stats.Held,
		"every step complete and no operation failed": stats.Held,
	}, outcomes)
}
