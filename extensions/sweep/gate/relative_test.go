package gate

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// Gates of againstBaseline: the first three are for get with 1 client.
const opsGate, p99Gate, fitGate, everyGate = 0, 2, 12, 13

func TestRelative(t *testing.T) {
	const h, c, u = stats.Held, stats.Crossed, stats.Undecided
	for _, tt := range []struct {
		name     string
		baseline *Baseline
		run      *report.Report
		ops, p99 stats.Outcome
		detail   string // detail of the ops/s gate
		needed   string
	}{
		{"as before", near(t), steady(1), h, h, "1002.5/s, 1.000x (0.970 to 1.031) of the baseline's 1002.5/s in 5 runs", ""},
		{"faster", near(t), steady(2), h, h, "2005.0/s, 2.000x (1.940 to 2.062) of the baseline's 1002.5/s in 5 runs", ""},
		{"slower within the tolerance", near(t), steady(0.95), h, h, "952.4/s, 0.950x (0.922 to 0.979)", ""},
		{"slower", near(t), steady(0.8), c, u, "802.0/s, 0.800x (0.776 to 0.825)", ""},
		{"much slower", near(t), steady(0.5), c, c, "501.2/s, 0.500x (0.485 to 0.515)", ""},
		{
			"near to the bound", near(t), steady(0.9), u, h, "902.2/s, 0.900x (0.873 to 0.928)",
			"the change is near to what is tolerated: it takes more recorded runs, or a duet (sweep.run({ base, change })) or k6 x sweep ab",
		},
		{
			"as before, beside runs that differ", apart(t), steady(1), u, u, "1002.5/s, 1.004x (0.740 to 1.362)",
			"runs differ by 11 %: one beside recorded ones cannot show 10 %, it takes a duet (sweep.run({ base, change })) or k6 x sweep ab",
		},
		{"18 % slower, beside runs that differ", apart(t), steady(0.82), u, u, "822.0/s, 0.823x (0.607 to 1.117)", "cannot show 10 %"},
		{"far slower than runs that differ", apart(t), steady(0.3), c, c, "300.8/s, 0.301x (0.222 to 0.409)", ""},
		{
			"beside too few", recorded(t, 1, 1.03, 0.97), steady(1), u, h, "1002.5/s, 1.000x (0.862 to 1.161)",
			"runs differ by 3.0 %: it takes some 13 recorded runs, or a duet",
		},
		{
			"beside one", recorded(t, 1), steady(1), u, u,
			"1002.5/s, 1.000x of the baseline's 1002.5/s: not judged, 1 recorded run tells nothing of how much runs differ",
			"it takes 2 more recorded runs (k6 x sweep record RUN.json)",
		},
		{"slow beside one", recorded(t, 1), steady(0.3), u, u, "300.8/s, 0.300x of the baseline's 1002.5/s: not judged", "it takes 2 more"},
		{"beside two", recorded(t, 1, 1), steady(1), u, u, "not judged, 2 recorded runs tell nothing", "it takes 1 more recorded run ("},
		{
			"a step is missing", near(t), changed(steady(1), func(r *report.Report) { r.Steps = r.Steps[8:] }), c, c,
			"not judged: there is no such step; there are get with 8 clients", "",
		},
		{
			"a step is incomplete", near(t), changed(steady(1), func(r *report.Report) { r.Steps[2].Complete = false }), c, c,
			"not judged: repeat 2 is incomplete", "",
		},
		{
			"ops/s of zero", near(t), changed(steady(1), func(r *report.Report) {
				for i := range r.Steps {
					r.Steps[i].OpsPerSecond = 0
				}
			}), u, h, "not judged: ops/s is 0.0/s, and the baseline's is 1002.5/s: there is no ratio", "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.run.Params["repeats"] = 4 // parameters ask for more repeats
			f := parsed(t, againstBaseline)
			require.NoError(t, f.setBaseline(tt.baseline))
			verdicts := f.Judge(tt.run)
			require.Len(t, verdicts, len(f.Plan()))
			for i, name := range f.Plan() {
				require.Equal(t, name, verdicts[i].Gate)
			}
			for i, want := range map[int]stats.Outcome{opsGate: tt.ops, p99Gate: tt.p99, fitGate: h} {
				require.Equal(t, want, verdicts[i].Outcome, verdicts[i].Detail)
				require.Equal(t, want == h, verdicts[i].Held)
			}
			require.Contains(t, verdicts[opsGate].Detail, tt.detail)
			require.Contains(t, verdicts[opsGate].Needed, tt.needed)
			require.Equal(t, tt.needed != "", verdicts[opsGate].Needed != "")
			judged := !strings.Contains(tt.detail, "not judged")
			require.Equal(t, judged, verdicts[opsGate].Visible > 0, "what it could see stands beside it")
		})
	}
}

func TestUndecidedThatPasses(t *testing.T) {
	policy := strings.Replace(againstBaseline, `"relative"`, `"undecided": "pass", "relative"`, 1)
	for _, tt := range []struct {
		gates    string
		baseline *Baseline
		run      *report.Report
		outcome  stats.Outcome
		held     bool
	}{
		{againstBaseline, apart(t), steady(1), stats.Undecided, false},
		{policy, apart(t), steady(1), stats.Undecided, true},
		{policy, near(t), steady(1), stats.Held, true},
		{policy, near(t), steady(0.5), stats.Crossed, false},
		{policy, near(t), changed(steady(1), func(r *report.Report) { r.Steps = r.Steps[8:] }), stats.Crossed, false},
		{policy, near(t), changed(steady(1), func(r *report.Report) { r.Scenario = "queue" }), stats.Crossed, false},
	} {
		f := parsed(t, tt.gates)
		require.NoError(t, f.setBaseline(tt.baseline))
		v := f.Judge(tt.run)[opsGate]
		require.Equal(t, tt.outcome, v.Outcome)
		require.Equal(t, tt.held, v.Held)
	}
	f := parsed(t, policy)
	require.NoError(t, f.setBaseline(near(t)))
	v := f.Judge(changed(steady(1), func(r *report.Report) { r.Steps[0].Failed = 1 }))[everyGate]
	require.Equal(t, stats.Crossed, v.Outcome)
	require.False(t, v.Held)
}

func TestRelativeOfFewOperations(t *testing.T) {
	f := parsed(t, againstBaseline)
	enough := near(t)
	for _, r := range enough.Runs {
		operations(260)(r)
	}
	require.NoError(t, f.setBaseline(enough))
	verdicts := f.Judge(changed(steady(1), operations(249)))
	require.Equal(t, stats.Held, verdicts[opsGate].Outcome)
	require.Equal(t, stats.Undecided, verdicts[p99Gate].Outcome)
	require.Equal(t, "not judged: p99 of 996 operations rests on 9 of them, 10 are needed: 1,000 operations or more", verdicts[p99Gate].Detail)
	require.Equal(t, stats.Crossed, f.Judge(changed(steady(0.5), operations(249)))[p99Gate].Outcome)

	v := f.Judge(changed(steady(1), operations(150)))[p99Gate]
	require.Equal(t, stats.Crossed, v.Outcome, "base had the support, and the run lost it")
	require.Equal(t, "the recorded runs had enough operations for it: p99 of 600 operations rests on 6 of them, 10 are needed: 1,000 operations or more", v.Detail)

	few := near(t)
	operations(249)(few.Runs[3])
	require.NoError(t, f.setBaseline(few))
	v = f.Judge(steady(1))[p99Gate]
	require.Equal(t, stats.Undecided, v.Outcome)
	require.Equal(t, "not judged: in the baseline, p99 of 996 operations rests on 9 of them, 10 are needed: 1,000 operations or more", v.Detail)
}

func TestAlpha(t *testing.T) {
	gates := `{"scenario": "cache", "relative": {"baseline": "b.json", "opsPerSecond": "-10%", "alpha": ALPHA}}`
	for alpha, want := range map[string]stats.Outcome{"0.05": stats.Crossed, "0.00001": stats.Undecided} {
		f := parsed(t, strings.Replace(gates, "ALPHA", alpha, 1))
		require.NoError(t, f.setBaseline(near(t)))
		require.Equal(t, want, f.Judge(steady(0.7))[0].Outcome)
	}
}

func TestBaselineThatDoesNotFit(t *testing.T) {
	fingerprinted := func(r *report.Report) {
		r.Fingerprint = &report.Fingerprint{Go: "go1.26", GoMaxProcs: 2, Build: "abc"}
	}
	for _, tt := range []struct {
		detail, short string
		change        func(*report.Report)
	}{
		{`host.cpu differs: "Imaginary 9000" and "Other"`, "", func(r *report.Report) { r.Host.CPU = "Other" }},
		{`host.cores differs: 8 and 4`, "", func(r *report.Report) { r.Host.Cores = 4 }},
		{`host.os differs: "linux/amd64" and "linux/arm64"`, "", func(r *report.Report) { r.Host.OS = "linux/arm64" }},
		{`target.kind differs: "memcached" and "redis"`, "", func(r *report.Report) { r.Target["kind"] = "redis" }},
		{`target.version differs: "1.6.38" and nothing`, "", func(r *report.Report) { delete(r.Target, "version") }},
		{`target.driver differs: "text" and "meta"`, "", func(r *report.Report) { r.Target["driver"] = "meta" }},
		{`params.code differs: nothing and "WISH"`, "", func(r *report.Report) { r.Params["code"] = "WISH" }},
		{`params.segment differs: nothing and "0:1/2"`, "", func(r *report.Report) { r.Params["segment"] = "0:1/2" }},
		{`fingerprint.gomaxprocs differs: "2" and "1"`, "", func(r *report.Report) { r.Fingerprint.GoMaxProcs = 1 }},
		{`fingerprint.cpuQuota differs: nothing and "1.5"`, "", func(r *report.Report) { r.Fingerprint.CPUQuota = 1.5 }},
		{
			`params.code differs: nothing and 1; host.cores differs: 8 and 2`, `params.code differs: nothing and 1 and 1 more`,
			func(r *report.Report) { r.Host.Cores, r.Params["code"] = 2, 1 },
		},
	} {
		f := parsed(t, againstBaseline)
		b := near(t)
		for _, r := range b.Runs {
			fingerprinted(r)
		}
		require.NoError(t, f.setBaseline(b))
		if tt.short == "" {
			tt.short = tt.detail
		}
		verdicts := f.Judge(changed(changed(steady(1), fingerprinted), tt.change))
		require.Equal(t, report.Verdict{Gate: "baseline fits", Outcome: stats.Undecided, Detail: tt.detail}, verdicts[fitGate])
		for _, v := range verdicts[:fitGate] {
			require.Equal(t, report.Verdict{
				Gate: v.Gate, Outcome: stats.Undecided, Detail: "not judged: the baseline does not fit, " + tt.short,
			}, v)
		}
		v := f.Judge(changed(steady(1), fingerprinted))[fitGate]
		require.Equal(t, report.Verdict{
			Gate: "baseline fits", Held: true, Outcome: stats.Held, Detail: "same class of host, target and parameters",
		}, v)
	}
	for name, change := range map[string]func(*report.Report){
		"results":            func(r *report.Report) { r.Params["results"] = "elsewhere" },
		"types of numbers":   func(r *report.Report) { r.Params["clients"] = []any{1.0, 8.0} },
		"memory and address": func(r *report.Report) { r.Host.MemBytes, r.Target["url"] = 1, "memcached://other" },
	} {
		f := parsed(t, againstBaseline)
		require.NoError(t, f.setBaseline(near(t)))
		require.True(t, f.Judge(changed(steady(1), change))[fitGate].Held, name)
	}
}

// limited sets the bottleneck of some repeats of get with 1 client.
func limited(word witness.Word, repeats ...int) func(*report.Report) {
	return func(r *report.Report) {
		for i := range r.Steps {
			s := &r.Steps[i]
			for _, repeat := range repeats {
				if s.Op == "get" && s.Clients == 1 && s.Repeat == repeat {
					s.Witness = &report.Witness{LimitedBy: word, Why: "So it was."}
				}
			}
		}
	}
}

func TestStepsThatGatesRefuse(t *testing.T) {
	f := parsed(t, againstBaseline)
	require.NoError(t, f.setBaseline(near(t)))
	for word, want := range map[witness.Word]string{
		witness.K6Itself:  "not judged: limited by k6: So it was",
		witness.Neighbour: "not judged: limited by neighbour",
		witness.Unsteady:  "not judged: the step is unsteady: So it was",
		witness.Short:     "not judged: the step is short: So it was",
		witness.Server:    "", witness.Host: "", witness.Rate: "", witness.Clients: "", witness.Network: "", witness.Unknown: "",
	} {
		for _, speed := range []float64{1, 0.5} {
			verdicts := f.Judge(changed(steady(speed), limited(word, 1, 3)))
			if want == "" {
				require.NotEqual(t, stats.Undecided, verdicts[opsGate].Outcome, word)

				continue
			}
			require.Equal(t, stats.Undecided, verdicts[opsGate].Outcome, word)
			require.Equal(t, want, verdicts[opsGate].Detail)
			require.NotEqual(t, stats.Undecided, verdicts[6].Outcome, "of 8 clients")
		}
		require.Equal(t, stats.Held, f.Judge(changed(steady(1), limited(word, 2)))[opsGate].Outcome, "the median rests on the others")
	}
}

// disturbed sets how many of four processors others used during get with 1 client.
func disturbed(others float64) func(*report.Report) {
	return func(r *report.Report) {
		limited(witness.Neighbour, 1, 2, 3, 4)(r)
		for i := range r.Steps {
			if w := r.Steps[i].Witness; w != nil {
				w.Evidence = map[string]float64{witness.Others: others, witness.Processors: 4}
			}
		}
	}
}

func TestWhatANeighbourDoesNotExplain(t *testing.T) {
	policy := strings.Replace(againstBaseline, `"relative"`, `"undecided": "pass", "relative"`, 1)
	for _, tt := range []struct {
		run  *report.Report
		want stats.Outcome
		held bool
	}{
		{changed(steady(0.4), disturbed(2)), stats.Crossed, false}, // a neighbour explains half of the speed
		{changed(steady(0.6), disturbed(2)), stats.Undecided, false},
		{changed(steady(1), disturbed(2)), stats.Undecided, true},
		{changed(steady(0.01), limited(witness.K6Itself, 1, 2, 3, 4)), stats.Undecided, false},
	} {
		f := parsed(t, policy)
		require.NoError(t, f.setBaseline(near(t)))
		v := f.Judge(tt.run)[opsGate]
		require.Equal(t, tt.want, v.Outcome, v.Detail)
		require.Equal(t, tt.held, v.Held, v.Detail)
	}
	f := parsed(t, `{"scenario": "cache", "undecided": "pass", "absolute": [{"op": "get", "clients": 1, "opsPerSecond": 1000}]}`)
	for speed, want := range map[float64]stats.Outcome{0.4: stats.Crossed, 0.6: stats.Undecided} {
		v := f.Judge(changed(steady(speed), disturbed(2)))[0]
		require.Equal(t, want, v.Outcome)
		require.Equal(t, want == stats.Crossed, strings.HasSuffix(v.Detail, "limited by neighbour, which does not explain so much"), v.Detail)
	}
}

// The server slept, and hardly waited for the processors that a neighbour used.
func TestASleepingServerNextToANeighbour(t *testing.T) {
	for _, tt := range []struct {
		bound    string
		evidence witness.Evidence
		rate     float64
		want     stats.Outcome
	}{
		{`"opsPerSecond": 8000`, witness.Evidence{witness.Waited: 0.3, witness.ServerHere: 1}, 0, stats.Crossed},
		{`"mean": "0.1ms"`, witness.Evidence{witness.Waited: 0.3, witness.ServerHere: 1}, 0, stats.Crossed},
		{`"p50": "0.1ms"`, witness.Evidence{witness.Waited: 0.3, witness.ServerHere: 1}, 0, stats.Undecided}, // no histogram
		{`"opsPerSecond": 2500`, witness.Evidence{witness.Waited: 0.3, witness.ServerHere: 1}, 0, stats.Undecided},
		{`"opsPerSecond": 8000`, witness.Evidence{witness.Waited: 0.9, witness.ServerHere: 1}, 0, stats.Undecided},
		{`"opsPerSecond": 8000`, witness.Evidence{witness.Waited: 0.3, witness.Stolen: 0.3, witness.Throttled: 0.3, witness.ServerHere: 1}, 0, stats.Undecided},
		{`"opsPerSecond": 8000`, witness.Evidence{witness.Waited: 1.2, witness.ServerHere: 1}, 0, stats.Undecided},
		{`"opsPerSecond": 8000`, witness.Evidence{witness.Waited: 0.3, witness.ServerHere: 0}, 0, stats.Undecided},
		{`"opsPerSecond": 8000`, witness.Evidence{witness.ServerHere: 1}, 0, stats.Undecided},
		{`"opsPerSecond": 8000`, witness.Evidence{witness.Waited: 0.3, witness.ServerHere: 1}, 9000, stats.Undecided},
	} {
		r := changed(steady(1), disturbed(3.9)) // 1,003/s
		r = changed(r, func(r *report.Report) {
			for i := range r.Steps {
				s := &r.Steps[i]
				s.Rate = tt.rate
				if s.Witness != nil {
					s.Witness.Evidence = maps.Clone(s.Witness.Evidence)
					maps.Copy(s.Witness.Evidence, tt.evidence)
				}
			}
		})
		f := parsed(t, `{"scenario": "cache", "absolute": [{"op": "get", "clients": 1, `+tt.bound+`}]}`)
		v := f.Judge(r)[0]
		require.Equal(t, tt.want, v.Outcome, "%+v: %s", tt, v.Detail)
	}
}

// Waiting explains a high percentile only if all of the lost time can be in the operations above
// the bound. The machine alone, of which others used nearly all, would explain a factor of 20.
func TestLatenciesNextToANeighbour(t *testing.T) {
	all := func(ms float64) []float64 { return slices.Repeat([]float64{ms}, 1000) }
	tail := func(ms float64) []float64 {
		return append(slices.Repeat([]float64{1}, 980), slices.Repeat([]float64{ms}, 20)...)
	}
	here := func(waited float64) witness.Evidence {
		return witness.Evidence{witness.Waited: waited, witness.ServerHere: 1}
	}
	crossed, undecided, held := stats.Crossed, stats.Undecided, stats.Held
	for name, tt := range map[string]struct {
		ms       []float64
		bound    string
		clients  int
		evidence witness.Evidence
		rate     float64
		want     stats.Outcome
	}{
		"a server that sleeps":           {all(200), `"p50": "20ms"`, 1, here(0.3), 0, crossed},
		"its tail":                       {all(200), `"p99": "20ms"`, 1, here(0.3), 0, crossed},
		"half of the time was lost":      {all(200), `"p50": "20ms"`, 1, here(0.45), 0, undecided}, // 500 of 1,000 operations were longer
		"p99 needs nearly all of it":     {all(200), `"p99": "20ms"`, 1, here(0.45), 0, crossed},
		"caches, or unseen processes":    {all(39), `"p50": "20ms"`, 1, here(0.001), 0, undecided},
		"a longer tail":                  {tail(200), `"p99": "20ms"`, 1, here(0.35), 0, undecided}, // 1.6 s of 5 s
		"too long a tail":                {tail(200), `"p99": "20ms"`, 1, here(0.3), 0, crossed},
		"a tail that the bound allows":   {tail(200), `"p95": "20ms"`, 1, here(0.3), 0, held},
		"clients that mostly did else":   {tail(200), `"p99": "20ms"`, 10, here(0.3), 0, undecided},
		"stolen and throttled":           {all(200), `"p50": "20ms"`, 1, witness.Evidence{witness.Stolen: 0.3, witness.Throttled: 0.3, witness.Waited: 0, witness.ServerHere: 1}, 0, undecided},
		"threads waited all the time":    {all(200), `"p50": "20ms"`, 1, here(1.2), 0, undecided},
		"a server on another machine":    {all(200), `"p50": "20ms"`, 1, witness.Evidence{witness.Waited: 0.1, witness.ServerHere: 0}, 0, undecided},
		"an unknown server":              {all(200), `"p50": "20ms"`, 1, witness.Evidence{witness.Waited: 0.1}, 0, undecided},
		"an open loop, with its queue":   {all(200), `"p50": "20ms"`, 1, here(0.3), 9000, undecided},
		"more than the machine explains": {all(900), `"p50": "20ms"`, 1, here(1.2), 0, crossed},
	} {
		step := withLatencies(tt.ms, tt.clients)
		step.Rate = tt.rate
		step.Witness = &report.Witness{LimitedBy: witness.Neighbour, Why: "Because.", Evidence: witness.Evidence{
			witness.Processors: 4, witness.Others: 3.9,
		}}
		maps.Copy(step.Witness.Evidence, tt.evidence)
		f := parsed(t, `{"scenario": "cache", "absolute": [{"op": "get", `+tt.bound+`}]}`)
		v := f.Judge(&report.Report{Scenario: "cache", Steps: []report.Step{step}})[0]
		require.Equal(t, tt.want, v.Outcome, "%s: %s", name, v.Detail)
	}
}

// withLatencies is a step of operations one after another, but for idle clients.
func withLatencies(ms []float64, clients int) report.Step {
	var durations measure.Distribution
	for _, d := range ms {
		durations.Record(time.Duration(d * float64(time.Millisecond)))
	}
	reading := measure.Reading{
		Complete: true, Elapsed: durations.Sum, Ops: []measure.Totals{{Op: "get", Durations: durations}},
	}

	return report.NewSteps(&reading, report.Step{Clients: clients, Repeat: 1}, "", report.CPUSeconds{})[0]
}

// A bound that is met counts, whatever limited the step.
func TestBoundsOfStepsThatAreLimited(t *testing.T) {
	for _, tt := range []struct {
		word   witness.Word
		bound  string
		want   stats.Outcome
		detail string
	}{
		{witness.K6Itself, "900", stats.Held, "1002.5/s with 1 client (median of 4 repeats), limited by k6: So it was"},
		{witness.K6Itself, "1100", stats.Undecided, "not judged: 1002.5/s with 1 client (median of 4 repeats), limited by k6: So it was"},
		{witness.Neighbour, "1100", stats.Undecided, "limited by neighbour"},
		{witness.Unsteady, "1100", stats.Crossed, "1002.5/s with 1 client (median of 4 repeats)"},
		{witness.Server, "1100", stats.Crossed, "1002.5/s with 1 client (median of 4 repeats)"},
		{witness.Server, "900", stats.Held, "1002.5/s with 1 client (median of 4 repeats)"},
	} {
		f := parsed(t, `{"scenario": "cache", "absolute": [{"op": "get", "clients": 1, "opsPerSecond": `+tt.bound+`}]}`)
		v := f.Judge(changed(steady(1), limited(tt.word, 1, 2, 3)))[0]
		require.Equal(t, tt.want, v.Outcome, tt)
		require.Contains(t, v.Detail, tt.detail)
	}
}
