package gate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func parsed(t *testing.T, raw string) *File {
	t.Helper()
	f, err := Parse([]byte(raw))
	require.NoError(t, err)

	return f
}

// run makes up a run of the scenario cache with operations get and set, each with 1 and 8 clients.
// The speed is the part of the usual one that each repeat came to.
func run(speeds ...float64) *report.Report {
	r := &report.Report{
		Schema: report.Schema, Scenario: "cache", K6: "v2.2.0",
		Host:   report.Host{CPU: "Imaginary 9000", Cores: 8, OS: "linux/amd64"},
		Target: map[string]any{"kind": "memcached", "version": "1.6.38", "driver": "text"},
		Params: map[string]any{"clients": []int64{1, 8}, "repeats": int64(len(speeds))},
	}
	for _, clients := range []int{1, 8} {
		for i, speed := range speeds {
			for at, op := range []string{"get", "set"} {
				ms := float64(clients*(at+1)) / speed
				r.Steps = append(r.Steps, report.Step{
					Clients: clients, Repeat: i + 1, Op: op, Operations: 1000, Complete: true, Seconds: 1,
					OpsPerSecond: 1000 * float64(clients) * speed,
					Latency: report.LatencyMs{
						P50: ms / 2, P90: ms * 0.8, P95: ms * 0.9, P99: ms, P999: 2 * ms, Max: 3 * ms, Mean: ms * 0.6,
					},
				})
			}
		}
	}

	return r
}

func changed(r *report.Report, change func(*report.Report)) *report.Report {
	change(r)

	return r
}

// steady are repeats of which none is like another.
func steady(part float64) *report.Report { return run(part, 1.01*part, 0.99*part, 1.005*part) }

func TestAbsolute(t *testing.T) {
	for _, tt := range []struct {
		name, gate, detail string
		run                *report.Report
		held               bool
	}{
		{"ops/s of get with 8 clients >= 8000", `"clients": 8, "opsPerSecond": 8000`, "8000.0/s with 8 clients", run(1), true},
		{"ops/s of get with 8 clients >= 8000.5", `"clients": 8, "opsPerSecond": 8000.5`, "8000.0/s with 8 clients", run(1), false},
		{"p50 of get with 8 clients <= 4ms", `"clients": 8, "p50": "4ms"`, "4.000ms with 8 clients", run(1), true},
		{"p50 of get with 8 clients <= 3.9ms", `"clients": 8, "p50": "3.9ms"`, "4.000ms with 8 clients", run(1), false},
		{"p90 of get with 1 client <= 0.7ms", `"clients": 1, "p90": "0.7ms"`, "0.800ms with 1 client", run(1), false},
		{"p95 of get with 1 client <= 0.8ms", `"clients": 1, "p95": "0.8ms"`, "0.900ms with 1 client", run(1), false},
		{"p99 of get with 1 client <= 0.9ms", `"clients": 1, "p99": "0.9ms"`, "1.000ms with 1 client", run(1), false},
		{"p99.9 of get with 1 client <= 1.9ms", `"clients": 1, "p999": "1.9ms"`, "2.000ms with 1 client", run(1), false},
		{"mean of get with 1 client <= 0.5ms", `"clients": 1, "mean": "0.5ms"`, "0.600ms with 1 client", run(1), false},
		{"p99 of get in every step <= 8ms", `"p99": "8ms"`, "8.000ms with 8 clients", run(1), true},
		{"p99 of get in every step <= 5ms", `"p99": "5ms"`, "8.000ms with 8 clients", run(1), false},
		{
			"p99 of get in every step <= 0.5ms", `"p99": "0.5ms"`,
			"1.000ms with 1 client; 8.000ms with 8 clients", run(1), false,
		},
		{"ops/s of get in every step >= 900", `"opsPerSecond": 900`, "1000.0/s with 1 client", run(1), true},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`,
			"8.000ms with 8 clients (median of 3 repeats)", run(0.1, 1, 1), true,
		},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`,
			"16.0ms with 8 clients (median of 3 repeats)", run(1, 0.5, 0.5), false,
		},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`,
			"not judged: p99 of 500 operations rests on 5 of them, 10 are needed: 1,000 operations or more with 8 clients",
			changed(run(1), operations(500)), false,
		},
		{"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`, "8.000ms with 8 clients (median of 2 repeats)", changed(run(1, 1), operations(500)), true},
		{
			"p99 of get with 8 clients <= 7ms", `"clients": 8, "p99": "7ms"`, "8.000ms with 8 clients",
			changed(run(1), operations(500)), false,
		},
		{
			"p99.9 of get with 8 clients <= 99ms", `"clients": 8, "p999": "99ms"`,
			"not judged: p99.9 of 1,000 operations rests on 1 of them, 10 are needed: 10,000 operations or more with 8 clients", run(1), false,
		},
		{
			"p50 of get with 8 clients <= 9ms", `"clients": 8, "p50": "9ms"`,
			"not judged: p50 of 19 operations rests on 9 of them, 10 are needed: 20 operations or more with 8 clients", changed(run(1), operations(19)), false,
		},
		{"p90 of get with 8 clients <= 9ms", `"clients": 8, "p90": "9ms"`, "6.400ms with 8 clients", changed(run(1), operations(100)), true},
		{"mean of get with 8 clients <= 9ms", `"clients": 8, "mean": "9ms"`, "4.800ms with 8 clients", changed(run(1), operations(10)), true},
		{
			"mean of get with 8 clients <= 9ms", `"clients": 8, "mean": "9ms"`,
			"not judged: too short to measure: 9 operations, at least 10 are needed with 8 clients", changed(run(1), operations(9)), false,
		},
		{
			"p50 of get with 8 clients <= 9ms", `"clients": 8, "p50": "9ms"`,
			"not judged: repeat 1 is too short to measure: 2 operations, at least 10 are needed with 8 clients",
			changed(run(1), func(r *report.Report) { r.Steps[2].Complete, r.Steps[2].TooShort = false, new(uint64(2)) }), false,
		},
		{
			"ops/s of get with 8 clients >= 100", `"clients": 8, "opsPerSecond": 100`,
			"not judged: ops/s of 9 operations in 1.000s: at least 10 operations and 0.1s are needed with 8 clients", changed(run(1), operations(9)), false,
		},
		{
			"ops/s of get with 8 clients >= 100", `"clients": 8, "opsPerSecond": 100`,
			"not judged: ops/s of 1,000 operations in 0.099s: at least 10 operations and 0.1s are needed with 8 clients",
			changed(run(1), func(r *report.Report) { r.Steps[2].Seconds = 0.099 }), false,
		},
		{
			"p99 of get with 16 clients <= 9ms", `"clients": 16, "p99": "9ms"`,
			"not judged: there is no such step; there are get with 1 client, get with 8 clients", run(1), false,
		},
		{
			"p99 of get at 500 a second <= 9ms", `"rate": 500, "p99": "9ms"`,
			"not judged: there is no such step; there are get with 1 client, get with 8 clients", run(1), false,
		},
		{
			"p99 of get with 8 clients at 500 a second <= 9ms", `"clients": 8, "rate": 500, "p99": "9ms"`, "8.000ms with 8 clients at 500 a second",
			changed(run(1), func(r *report.Report) { r.Steps[2].Rate = 500 }), true,
		},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`, `not judged: there is no operation "get"; there are "read", "set"`,
			changed(run(1), func(r *report.Report) { r.Steps[0].Op, r.Steps[2].Op = "read", "read" }), false,
		},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`, "not judged: the run has no steps",
			changed(run(1), func(r *report.Report) { r.Steps = nil }), false,
		},
		{
			"p99 of get in every step <= 9ms", `"p99": "9ms"`, "not judged: repeat 1 is incomplete with 8 clients",
			changed(run(1), func(r *report.Report) { r.Steps[2].Complete = false }), false,
		},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`, "not judged: no operation succeeded in repeat 1 with 8 clients",
			changed(run(1), func(r *report.Report) { r.Steps[2].Operations = 0 }), false,
		},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`, `not judged: the run is of scenario "queue", the gates are of "cache"`,
			changed(run(1), func(r *report.Report) { r.Scenario = "queue" }), false,
		},
	} {
		f := parsed(t, `{"scenario": "cache", "absolute": [{"op": "get", `+tt.gate+`}]}`)
		verdicts := f.Judge(tt.run)
		require.Len(t, verdicts, 2)
		require.Equal(t, report.Verdict{Gate: tt.name, Held: tt.held, Detail: tt.detail}, verdicts[0])
	}
}

// operations makes each step one of so many successful operations.
func operations(n int64) func(*report.Report) {
	return func(r *report.Report) {
		for i := range r.Steps {
			r.Steps[i].Operations = n
		}
	}
}

// Where everything failed, or nothing succeeded, no figure keeps a bound, whatever the bound is.
func TestNoFigureOfARunThatFailedHolds(t *testing.T) {
	f := parsed(t, `{"scenario": "cache", "absolute": [{"op": "get", "opsPerSecond": 0.001, "p50": "100000h", "p90": "100000h", "p95": "100000h",
		"p99": "100000h", "p999": "100000h", "mean": "100000h"}],
		"relative": {"baseline": "b.json", "opsPerSecond": "-99%", "p50": "+900000000%", "p99": "+900000000%"}}`)
	require.NoError(t, f.SetBaseline(steady(1)))
	for name, failed := range map[string]func(*report.Step){
		"all failed": func(s *report.Step) {
			s.Failed, s.Operations, s.OpsPerSecond, s.Latency = 1000, 0, 0, report.LatencyMs{}
		},
		"nothing done": func(s *report.Step) { s.Operations, s.OpsPerSecond, s.Latency = 0, 0, report.LatencyMs{} },
		"all of a repeat": func(s *report.Step) {
			if s.Repeat == 2 {
				s.Failed, s.Operations, s.OpsPerSecond, s.Latency = 1000, 0, 0, report.LatencyMs{}
			}
		},
	} {
		verdicts := f.Judge(changed(steady(1), func(r *report.Report) {
			for i := range r.Steps {
				failed(&r.Steps[i])
			}
		}))
		for _, v := range verdicts {
			require.Equal(t, v.Gate == "baseline fits", v.Held, "%s: %s (%s)", name, v.Gate, v.Detail)
		}
	}
	for _, v := range f.Judge(changed(steady(1), func(r *report.Report) { // 1 of 1,000 succeeded, in each repeat
		for i := range r.Steps {
			r.Steps[i].Failed, r.Steps[i].Operations = 999, 1
		}
	})) {
		require.Equal(t, v.Gate == "baseline fits", v.Held, "%s (%s)", v.Gate, v.Detail)
	}
}

// Against a baseline, both sides need operations beyond a percentile: what is worse is worse, and
// nothing else is judged.
func TestRelativeOfFewOperations(t *testing.T) {
	f := parsed(t, againstBaseline)
	require.NoError(t, f.SetBaseline(steady(1)))
	verdicts := f.Judge(changed(steady(1), operations(249)))
	require.True(t, verdicts[0].Held, "ops/s")
	require.Equal(t, report.Verdict{
		Gate: "p99 of get with 1 client <= 125 % of baseline", Detail: "not judged: p99 of 996 operations rests on 9 of them, 10 are needed: 1,000 operations or more",
	}, verdicts[2])
	require.Equal(t, "1.995ms, 200.0 % of the baseline's 0.998ms (p=0.029)", f.Judge(changed(steady(0.5), operations(249)))[2].Detail)
	require.NoError(t, f.SetBaseline(changed(steady(1), operations(249))))
	verdicts = f.Judge(steady(1))
	require.False(t, verdicts[2].Held)
	require.Equal(t, "not judged: in the baseline, p99 of 996 operations rests on 9 of them, 10 are needed: 1,000 operations or more", verdicts[2].Detail)
}

func TestEveryStep(t *testing.T) {
	f := parsed(t, `{"scenario": "cache", "absolute": [{"op": "get", "p99": "100ms"}]}`)
	for _, tt := range []struct {
		detail string
		held   bool
		change func(*report.Report)
	}{
		{"4 of 4", true, func(*report.Report) {}},
		{"the run was interrupted", false, func(r *report.Report) { r.Interrupted = true }},
		{"the run has no steps", false, func(r *report.Report) { r.Steps = nil }},
		{"it is the part 0:1/2 of a run: merge the parts first", false, func(r *report.Report) {
			r.Params["segment"] = "0:1/2"
			r.Steps = r.Steps[2:] // its segment has no client of the first step
		}},
		{"get with 1 client (repeat 1): incomplete", false, func(r *report.Report) { r.Steps[0].Complete = false }},
		{"get with 1 client (repeat 1): incomplete, its parts were at work together for 80 % of the time, and at least 95 % is needed", false, func(r *report.Report) {
			overlap := 0.8
			r.Steps[0].Complete, r.Steps[0].Overlap = false, &overlap
		}},
		{"set with 8 clients (repeat 1): 1 of 1,001 operations failed", false, func(r *report.Report) { r.Steps[3].Failed = 1 }},
		{"set with 8 clients (repeat 1): 1 of 1 operation failed", false, func(r *report.Report) {
			r.Steps[3].Operations, r.Steps[3].Failed = 0, 1
		}},
		{"get with 1 client (repeat 1): no operation succeeded; set with 1 client (repeat 1): incomplete", false, func(r *report.Report) {
			r.Steps[0].Operations, r.Steps[1].Complete = 0, false
		}},
	} {
		verdicts := f.Judge(changed(run(1), tt.change))
		require.Equal(t, report.Verdict{
			Gate: "every step complete and no operation failed", Held: tt.held, Detail: tt.detail,
		}, verdicts[1])
	}
}

const againstBaseline = `{"scenario": "cache",
	"relative": {"baseline": "b.json", "opsPerSecond": "-10%", "p50": "+120%", "p99": "+25%"}}`

func TestRelativePlan(t *testing.T) {
	f := parsed(t, againstBaseline)
	require.Equal(t, []string{"baseline fits", "every step complete and no operation failed"}, f.Plan(), "before SetBaseline")
	verdicts := f.Judge(run(1))
	require.Equal(t, report.Verdict{Gate: "baseline fits", Detail: "not judged: there is no baseline"}, verdicts[0])

	require.NoError(t, f.SetBaseline(steady(1)))
	require.Equal(t, []string{
		"ops/s of get with 1 client >= 90 % of baseline",
		"p50 of get with 1 client <= 220 % of baseline",
		"p99 of get with 1 client <= 125 % of baseline",
		"ops/s of set with 1 client >= 90 % of baseline",
		"p50 of set with 1 client <= 220 % of baseline",
		"p99 of set with 1 client <= 125 % of baseline",
		"ops/s of get with 8 clients >= 90 % of baseline",
		"p50 of get with 8 clients <= 220 % of baseline",
		"p99 of get with 8 clients <= 125 % of baseline",
		"ops/s of set with 8 clients >= 90 % of baseline",
		"p50 of set with 8 clients <= 220 % of baseline",
		"p99 of set with 8 clients <= 125 % of baseline",
		"baseline fits",
		"every step complete and no operation failed",
	}, f.Plan())
}

func TestRelative(t *testing.T) {
	for _, tt := range []struct {
		name             string
		run              *report.Report
		opsHeld, p99Held bool
		ops, p99         string
	}{
		{
			"as before", steady(1), true, true,
			"1002.5/s, 100.0 % of the baseline's 1002.5/s (p=1.000)", "0.998ms, 100.0 % of the baseline's 0.998ms (p=1.000)",
		},
		{
			"faster", steady(2), true, true,
			"2005.0/s, 200.0 % of the baseline's 1002.5/s (p=0.029)", "0.499ms, 50.0 % of the baseline's 0.998ms (p=0.029)",
		},
		{
			"slower, but within the tolerance", steady(0.92), true, true,
			"922.3/s, 92.0 % of the baseline's 1002.5/s (p=0.029)", "1.084ms, 108.7 % of the baseline's 0.998ms (p=0.029)",
		},
		{
			"slower", steady(0.85), false, true,
			"852.1/s, 85.0 % of the baseline's 1002.5/s (p=0.029)", "1.174ms, 117.6 % of the baseline's 0.998ms (p=0.029)",
		},
		{
			"much slower", steady(0.5), false, false,
			"501.2/s, 50.0 % of the baseline's 1002.5/s (p=0.029)", "1.995ms, 200.0 % of the baseline's 0.998ms (p=0.029)",
		},
		{
			"slower, but who knows", run(0.3, 0.31, 0.32, 2), true, true,
			"315.0/s, 31.4 % of the baseline's 1002.5/s (p=0.343): worse, but not significantly",
			"3.175ms, 318.3 % of the baseline's 0.998ms (p=0.343): worse, but not significantly",
		},
		{
			"too few repeats", run(1, 1, 1), false, false,
			"cannot be judged: the baseline has 4 repeats and the run 3 repeats, both need at least 4",
			"cannot be judged: the baseline has 4 repeats and the run 3 repeats, both need at least 4",
		},
		{
			"a step is missing", changed(steady(1), func(r *report.Report) { r.Steps = r.Steps[8:] }), false, false,
			"not judged: there is no such step; there are get with 8 clients",
			"not judged: there is no such step; there are get with 8 clients",
		},
		{
			"a step is incomplete", changed(steady(1), func(r *report.Report) { r.Steps[2].Complete = false }), false, false,
			"not judged: repeat 2 is incomplete", "not judged: repeat 2 is incomplete",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.run.Params["repeats"] = 4 // those that are missing were asked for
			f := parsed(t, againstBaseline)
			require.NoError(t, f.SetBaseline(steady(1)))
			verdicts := f.Judge(tt.run)
			require.Len(t, verdicts, len(f.Plan()))
			for i, name := range f.Plan() {
				require.Equal(t, name, verdicts[i].Gate)
			}
			require.Equal(t, report.Verdict{Gate: verdicts[0].Gate, Held: tt.opsHeld, Detail: tt.ops}, verdicts[0])
			require.Equal(t, report.Verdict{Gate: verdicts[2].Gate, Held: tt.p99Held, Detail: tt.p99}, verdicts[2])
			require.Equal(t, report.Verdict{Gate: "baseline fits", Held: true, Detail: "same class of host, target and parameters"}, verdicts[12])
		})
	}
}

func TestBaselineOfZero(t *testing.T) {
	f := parsed(t, againstBaseline)
	require.NoError(t, f.SetBaseline(changed(steady(1), func(r *report.Report) {
		for i := range r.Steps {
			r.Steps[i].OpsPerSecond = 0
		}
	})))
	verdicts := f.Judge(steady(1))
	require.Equal(t, "cannot be judged: ops/s of the baseline is 0", verdicts[0].Detail)
	require.False(t, verdicts[0].Held)
}

// With a stricter alpha, four repeats cannot tell a difference, so that they must not pass.
func TestAlpha(t *testing.T) {
	f := parsed(t, `{"scenario": "cache", "relative": {"baseline": "b.json", "p99": "+25%", "alpha": 0.01}}`)
	require.NoError(t, f.SetBaseline(steady(1)))
	require.Equal(t, "cannot be judged: the baseline has 4 repeats and the run 4 repeats, both need at least 5", f.Judge(steady(1))[0].Detail)
}

func TestBaselineThatDoesNotFit(t *testing.T) {
	for detail, change := range map[string]func(*report.Report){
		`host.cpu differs: "Imaginary 9000" and "Other"`:                  func(r *report.Report) { r.Host.CPU = "Other" },
		`host.cores differs: 8 and 4`:                                     func(r *report.Report) { r.Host.Cores = 4 },
		`host.os differs: "linux/amd64" and "linux/arm64"`:                func(r *report.Report) { r.Host.OS = "linux/arm64" },
		`target.kind differs: "memcached" and "redis"`:                    func(r *report.Report) { r.Target["kind"] = "redis" },
		`target.version differs: "1.6.38" and nothing`:                    func(r *report.Report) { delete(r.Target, "version") },
		`target.driver differs: "text" and "meta"`:                        func(r *report.Report) { r.Target["driver"] = "meta" },
		`params.code differs: nothing and "WISH"`:                         func(r *report.Report) { r.Params["code"] = "WISH" },
		`params.segment differs: nothing and "0:1/2"`:                     func(r *report.Report) { r.Params["segment"] = "0:1/2" },
		`host.cores differs: 8 and 2; params.code differs: nothing and 1`: func(r *report.Report) { r.Host.Cores, r.Params["code"] = 2, 1 },
	} {
		f := parsed(t, againstBaseline)
		require.NoError(t, f.SetBaseline(steady(1)))
		verdicts := f.Judge(changed(steady(1), change))
		require.Equal(t, report.Verdict{Gate: "baseline fits", Detail: detail}, verdicts[12])
		for _, v := range verdicts[:12] {
			require.Equal(t, report.Verdict{Gate: v.Gate, Detail: "not judged: the baseline does not fit"}, v)
		}
	}
	for name, change := range map[string]func(*report.Report){
		"results":            func(r *report.Report) { r.Params["results"] = "elsewhere" },
		"types of numbers":   func(r *report.Report) { r.Params["clients"] = []any{1.0, 8.0} },
		"memory and address": func(r *report.Report) { r.Host.MemBytes, r.Target["url"] = 1, "memcached://other" },
	} {
		f := parsed(t, againstBaseline)
		require.NoError(t, f.SetBaseline(steady(1)))
		require.True(t, f.Judge(changed(steady(1), change))[12].Held, name)
	}
}

// Operations have the names that scripts give them; those of gates are parts of thresholds of k6.
func TestNames(t *testing.T) {
	for op, want := range map[string]string{
		"get":            "get",
		"größe lesen":    "größe lesen",
		"a,b":            "a%2Cb",
		"{a:'b'}":        "%7Ba%3A%27b%27%7D",
		"a%2Cb":          "a%252Cb",
		"a\nb\t\"c\"":    "a%0Ab%09%22c%22",
		"a\u2028b\u00a0": "a%E2%80%A8b%C2%A0",
		"\xff":           "\ufffd",
	} {
		require.Equal(t, want, tagged(op))
	}
}
