package gate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

func parsed(t *testing.T, raw string) *File {
	t.Helper()
	f, err := Parse([]byte(raw))
	require.NoError(t, err)

	return f
}

// run makes a run of the scenario cache with operations get and set, each with 1 and 8 clients.
// speeds are relative, one for each repeat.
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

// steady has repeats that differ slightly.
func steady(part float64) *report.Report { return run(part, 1.01*part, 0.99*part, 1.005*part) }

// recorded makes runs of these speeds, with several repeats each.
func recorded(t *testing.T, speeds ...float64) *Baseline {
	t.Helper()
	b := &Baseline{}
	for i, speed := range speeds {
		r := steady(speed)
		r.Started = time.Date(2026, 3, 1+i, 12, 0, 0, 0, time.UTC)
		require.NoError(t, b.Add(r))
	}

	return b
}

func near(t *testing.T) *Baseline {
	t.Helper()

	return recorded(t, 1, 1.01, 0.99, 1.01, 0.99)
}

func apart(t *testing.T) *Baseline {
	t.Helper()

	return recorded(t, 1, 1.1, 0.9, 1.1, 0.9)
}

func TestAbsolute(t *testing.T) {
	for _, tt := range []struct {
		name, gate, detail string
		run                *report.Report
		outcome            stats.Outcome
	}{
		{"ops/s of get with 8 clients >= 8000", `"clients": 8, "opsPerSecond": 8000`, "8000.0/s with 8 clients", run(1), stats.Held},
		{"ops/s of get with 8 clients >= 8000.5", `"clients": 8, "opsPerSecond": 8000.5`, "8000.0/s with 8 clients", run(1), stats.Crossed},
		{"p50 of get with 8 clients <= 4ms", `"clients": 8, "p50": "4ms"`, "4.000ms with 8 clients", run(1), stats.Held},
		{"p50 of get with 8 clients <= 3.9ms", `"clients": 8, "p50": "3.9ms"`, "4.000ms with 8 clients", run(1), stats.Crossed},
		{"p90 of get with 1 client <= 0.7ms", `"clients": 1, "p90": "0.7ms"`, "0.800ms with 1 client", run(1), stats.Crossed},
		{"p95 of get with 1 client <= 0.8ms", `"clients": 1, "p95": "0.8ms"`, "0.900ms with 1 client", run(1), stats.Crossed},
		{"p99 of get with 1 client <= 0.9ms", `"clients": 1, "p99": "0.9ms"`, "1.000ms with 1 client", run(1), stats.Crossed},
		{"p99.9 of get with 1 client <= 1.9ms", `"clients": 1, "p999": "1.9ms"`, "2.000ms with 1 client", run(1), stats.Crossed},
		{"mean of get with 1 client <= 0.5ms", `"clients": 1, "mean": "0.5ms"`, "0.600ms with 1 client", run(1), stats.Crossed},
		{"p99 of get in every step <= 8ms", `"p99": "8ms"`, "8.000ms with 8 clients", run(1), stats.Held},
		{"p99 of get in every step <= 5ms", `"p99": "5ms"`, "8.000ms with 8 clients", run(1), stats.Crossed},
		{
			"p99 of get in every step <= 0.5ms", `"p99": "0.5ms"`,
			"1.000ms with 1 client; 8.000ms with 8 clients", run(1), stats.Crossed,
		},
		{"ops/s of get in every step >= 900", `"opsPerSecond": 900`, "1000.0/s with 1 client", run(1), stats.Held},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`,
			"8.000ms with 8 clients (median of 3 repeats)", run(0.1, 1, 1), stats.Held,
		},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`,
			"16.0ms with 8 clients (median of 3 repeats)", run(1, 0.5, 0.5), stats.Crossed,
		},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`,
			"not judged: p99 of 500 operations rests on 5 of them, 10 are needed: 1,000 operations or more with 8 clients",
			changed(run(1), operations(500)), stats.Undecided,
		},
		{"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`, "8.000ms with 8 clients (median of 2 repeats)", changed(run(1, 1), operations(500)), stats.Held},
		{
			"p99 of get with 8 clients <= 7ms", `"clients": 8, "p99": "7ms"`, "8.000ms with 8 clients",
			changed(run(1), operations(500)), stats.Crossed,
		},
		{
			"p99.9 of get with 8 clients <= 99ms", `"clients": 8, "p999": "99ms"`,
			"not judged: p99.9 of 1,000 operations rests on 1 of them, 10 are needed: 10,000 operations or more with 8 clients", run(1), stats.Undecided,
		},
		{
			"p50 of get with 8 clients <= 9ms", `"clients": 8, "p50": "9ms"`,
			"not judged: p50 of 19 operations rests on 9 of them, 10 are needed: 20 operations or more with 8 clients", changed(run(1), operations(19)), stats.Undecided,
		},
		{"p90 of get with 8 clients <= 9ms", `"clients": 8, "p90": "9ms"`, "6.400ms with 8 clients", changed(run(1), operations(100)), stats.Held},
		{"mean of get with 8 clients <= 9ms", `"clients": 8, "mean": "9ms"`, "4.800ms with 8 clients", changed(run(1), operations(10)), stats.Held},
		{
			"mean of get with 8 clients <= 9ms", `"clients": 8, "mean": "9ms"`,
			"not judged: too short to measure: 9 operations, at least 10 are needed with 8 clients", changed(run(1), operations(9)), stats.Undecided,
		},
		{
			"p50 of get with 8 clients <= 9ms", `"clients": 8, "p50": "9ms"`,
			"not judged: repeat 1 is too short to measure: 2 operations, at least 10 are needed with 8 clients",
			changed(run(1), func(r *report.Report) { r.Steps[2].Complete, r.Steps[2].TooShort = false, new(uint64(2)) }), stats.Crossed,
		},
		{
			"ops/s of get with 8 clients >= 100", `"clients": 8, "opsPerSecond": 100`,
			"not judged: ops/s of 9 operations in 1.000s: at least 10 operations and 0.1s are needed with 8 clients", changed(run(1), operations(9)), stats.Undecided,
		},
		{
			"ops/s of get with 8 clients >= 100", `"clients": 8, "opsPerSecond": 100`,
			"not judged: ops/s of 1,000 operations in 0.099s: at least 10 operations and 0.1s are needed with 8 clients",
			changed(run(1), func(r *report.Report) { r.Steps[2].Seconds = 0.099 }), stats.Undecided,
		},
		{
			"p99 of get with 16 clients <= 9ms", `"clients": 16, "p99": "9ms"`,
			"not judged: there is no such step; there are get with 1 client, get with 8 clients", run(1), stats.Crossed,
		},
		{
			"p99 of get at 500 a second <= 9ms", `"rate": 500, "p99": "9ms"`,
			"not judged: there is no such step; there are get with 1 client, get with 8 clients", run(1), stats.Crossed,
		},
		{
			"p99 of get with 8 clients at 500 a second <= 9ms", `"clients": 8, "rate": 500, "p99": "9ms"`, "8.000ms with 8 clients at 500 a second",
			changed(run(1), func(r *report.Report) { r.Steps[2].Rate = 500 }), stats.Held,
		},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`, `not judged: there is no operation "get"; there are "read", "set"`,
			changed(run(1), func(r *report.Report) { r.Steps[0].Op, r.Steps[2].Op = "read", "read" }), stats.Crossed,
		},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`, "not judged: the run has no steps",
			changed(run(1), func(r *report.Report) { r.Steps = nil }), stats.Crossed,
		},
		{
			"p99 of get in every step <= 9ms", `"p99": "9ms"`, "not judged: repeat 1 is incomplete with 8 clients",
			changed(run(1), func(r *report.Report) { r.Steps[2].Complete = false }), stats.Crossed,
		},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`, "not judged: no operation succeeded in repeat 1 with 8 clients",
			changed(run(1), func(r *report.Report) { r.Steps[2].Operations = 0 }), stats.Crossed,
		},
		{
			"p99 of get with 8 clients <= 9ms", `"clients": 8, "p99": "9ms"`, `not judged: the run is of scenario "queue", the gates are of "cache"`,
			changed(run(1), func(r *report.Report) { r.Scenario = "queue" }), stats.Crossed,
		},
	} {
		f := parsed(t, `{"scenario": "cache", "absolute": [{"op": "get", `+tt.gate+`}]}`)
		verdicts := f.Judge(tt.run)
		require.Len(t, verdicts, 2)
		require.Equal(t, report.Verdict{Gate: tt.name, Held: tt.outcome == stats.Held, Outcome: tt.outcome, Detail: tt.detail}, verdicts[0])
	}
}

func operations(n int64) func(*report.Report) {
	return func(r *report.Report) {
		for i := range r.Steps {
			r.Steps[i].Operations = n
		}
	}
}

func TestNoFigureOfARunThatFailedHolds(t *testing.T) {
	f := parsed(t, `{"scenario": "cache", "absolute": [{"op": "get", "opsPerSecond": 0.001, "p50": "100000h", "p90": "100000h", "p95": "100000h",
		"p99": "100000h", "p999": "100000h", "mean": "100000h"}],
		"relative": {"baseline": "b.json", "opsPerSecond": "-99%", "p50": "+900000000%", "p99": "+900000000%"}}`)
	require.NoError(t, f.setBaseline(near(t)))
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
		outcome := stats.Crossed
		if tt.held {
			outcome = stats.Held
		}
		require.Equal(t, report.Verdict{
			Gate: "every step complete and no operation failed", Held: tt.held, Outcome: outcome, Detail: tt.detail,
		}, verdicts[1])
	}
}

const againstBaseline = `{"scenario": "cache",
	"relative": {"baseline": "b.json", "opsPerSecond": "-10%", "p50": "+120%", "p99": "+25%"}}`

func TestRelativePlan(t *testing.T) {
	f := parsed(t, againstBaseline)
	require.Equal(t, []string{"baseline fits", "every step complete and no operation failed"}, f.Plan(), "before the baseline is there")

	require.NoError(t, f.setBaseline(near(t)))
	require.Equal(t, []string{
		"ops/s of get with 1 client >= 0.9x of baseline",
		"p50 of get with 1 client <= 2.2x of baseline",
		"p99 of get with 1 client <= 1.25x of baseline",
		"ops/s of set with 1 client >= 0.9x of baseline",
		"p50 of set with 1 client <= 2.2x of baseline",
		"p99 of set with 1 client <= 1.25x of baseline",
		"ops/s of get with 8 clients >= 0.9x of baseline",
		"p50 of get with 8 clients <= 2.2x of baseline",
		"p99 of get with 8 clients <= 1.25x of baseline",
		"ops/s of set with 8 clients >= 0.9x of baseline",
		"p50 of set with 8 clients <= 2.2x of baseline",
		"p99 of set with 8 clients <= 1.25x of baseline",
		"baseline fits",
		"every step complete and no operation failed",
	}, f.Plan())
}
