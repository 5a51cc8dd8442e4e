package page

import (
	"fmt"
	"math"
	"math/rand"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// maker makes realistic, reproducible reports.
type maker struct{ random *rand.Rand }

func newMaker() *maker { return &maker{rand.New(rand.NewSource(1))} }

// step makes a step of a server with a capacity in operations a second and log-normal latencies.
func (m *maker) step(clients, repeat, perClient int, op string, capacity float64, change ...func(*report.Step)) report.Step {
	n := float64(clients)
	rate := capacity * n / (n + 4) * (1 - n/6000) * (0.98 + 0.04*m.random.Float64())
	middle := n / rate * 0.8 * float64(time.Second)
	var latencies, times, shares measure.Distribution
	for range min(clients*perClient, 60_000) {
		v := middle * math.Exp(m.random.NormFloat64()*(0.3+0.05*math.Log2(n)))
		latencies.Record(time.Duration(v))
	}
	seconds := n * float64(perClient) / rate
	for range clients {
		part := 1 - 0.12*math.Log2(n+1)*m.random.Float64()*m.random.Float64()
		times.Record(time.Duration(seconds * part * float64(time.Second)))
		shares.Record(time.Duration(float64(perClient) * (0.9 + 0.2*m.random.Float64())))
	}
	histogram := latencies.Encode()
	s := report.Step{
		Clients: clients, Repeat: repeat, PerClient: uint64(perClient), Op: op,
		Operations: int64(clients * perClient), Complete: true, Seconds: seconds, OpsPerSecond: rate,
		Client: report.Clients{
			Min: times.Min.Seconds(), Max: times.Max.Seconds(), Avg: times.Mean().Seconds(),
			P25: times.Quantile(0.25).Seconds(), P50: times.Quantile(0.5).Seconds(), P75: times.Quantile(0.75).Seconds(),
			Ops: report.ClientOps{
				Min: int64(shares.Min), Max: int64(shares.Max),
				P25: int64(shares.Quantile(0.25)), P50: int64(shares.Quantile(0.5)), P75: int64(shares.Quantile(0.75)),
			},
		},
		Latency: report.Latency(&latencies),
		Rows:    uint64(clients*perClient) * 60, BytesSent: uint64(clients*perClient) * 120, BytesReceived: uint64(clients*perClient) * 4000,
		CPU:       report.CPUSeconds{K6: seconds * 0.8},
		Histogram: histogram,
	}
	for _, c := range change {
		c(&s)
	}

	return s
}

func (m *maker) madeUp(steps []report.Step, change ...func(*report.Report)) *report.Report {
	r := &report.Report{
		Schema: report.Schema, Scenario: "stock-rollup", Started: time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC),
		Host: report.Host{CPU: "Imaginary 9000", Cores: 8, MemBytes: 64 << 30, OS: "linux/amd64"}, K6: "v2.2.0",
		Target: map[string]any{"kind": "machbase", "version": "v8.0.67", "driver": "machgo", "url": "machbase://sys@db:5656"},
		Params: map[string]any{"clients": []int{1, 8, 16, 32, 64, 128, 512}, "iterations": 500, "warmup": "2s", "reuse": false},
		Steps:  steps,
	}
	for _, c := range change {
		c(r)
	}

	return r
}

func (m *maker) small() *report.Report {
	server := 1.5

	return m.madeUp([]report.Step{
		m.step(1, 1, 200, "rollup", 9000, func(s *report.Step) { s.CPU.Server, s.Witness = &server, aWitness() }),
		m.step(8, 1, 200, "rollup", 9000, m.stalled),
		m.step(64, 1, 200, "rollup", 9000, failing),
	}, func(r *report.Report) {
		r.Published = []report.Series{{
			Label: "machgo", Source: "somewhere", Machine: "an M5", Op: "rollup",
			Points: []report.Point{{Clients: 1, OpsPerSecond: 1105}, {Clients: 8, OpsPerSecond: 6777}, {Clients: 64, OpsPerSecond: 21031}},
		}}
		r.Gates = []report.Verdict{
			{Gate: "p99 of rollup with 64 clients <= 50ms", Held: true, Detail: "12.3ms", Outcome: "held"},
			{Gate: "failed operations == 0", Detail: "3 operations failed", Outcome: "crossed"},
		}
		r.Search = &report.Search{Of: "clients", Bound: "p99 <= 5ms", Max: 64, Found: 8}
		r.Marks = []report.Mark{{At: r.Steps[1].Started.Add(250 * time.Millisecond), Text: "failover", Times: 3}}
	})
}

// known gives a step intervals of ±2 %.
func known(s *report.Step) {
	around := func(v float64) report.Range { return report.Range{Low: v * 0.98, High: v * 1.02} }
	s.Intervals = &report.Intervals{Coverage: 0.95, OpsPerSecond: around(s.OpsPerSecond), Latency: map[string]report.Range{}}
	for _, f := range report.Latencies() {
		if !f.Chance {
			s.Intervals.Latency[f.Key] = around(f.Of(s))
		}
	}
}

// stalled makes a step of half a second with a pause of a third, then failures and a GC pause.
func (m *maker) stalled(s *report.Step) {
	elapsed := 500 * time.Millisecond
	over := &measure.OverTime{Width: 10 * time.Millisecond}
	var durations measure.Distribution
	record := func(took *measure.Coarse, d time.Duration) {
		took.Record(d)
		durations.Record(d)
	}
	for i := range 50 {
		var took measure.Coarse
		failed := uint64(0)
		switch {
		case i == 33:
			for client := range 8 {
				d := 170*time.Millisecond + time.Duration(client)*time.Millisecond
				record(&took, d)
				over.Slowest = append([]measure.Slow{{Began: 160 * time.Millisecond, Client: client, Took: d}}, over.Slowest...)
			}
		case i < 16 || i > 33:
			for range 40 {
				record(&took, time.Duration(2e6*math.Exp(m.random.NormFloat64()*0.4)))
			}
		}
		if i == 34 {
			failed = 2
		}
		over.Slots = append(over.Slots, measure.NewSlot(failed, &took))
	}
	woken := 3 * time.Millisecond
	over.Slowest[0].Woken, over.Slowest[1].Waited = &woken, 20*time.Millisecond
	r := measure.Reading{Started: true, Complete: true, Elapsed: elapsed, Ops: []measure.Totals{{Op: s.Op, Durations: durations, Failed: 2, OverTime: over}}}
	made := report.NewSteps(&r, *s, "", report.CPUSeconds{})
	s.OverTime, s.Slowest, s.Seconds, s.Failed = made[0].OverTime, made[0].Slowest, made[0].Seconds, 2
	s.Operations, s.Histogram, s.Latency = made[0].Operations, made[0].Histogram, made[0].Latency
	s.Started = time.Date(2026, 3, 1, 12, 30, 10, 0, time.UTC)
	s.Witness = aWitness()
	s.Witness.OverTime = &report.WitnessOverTime{
		EverySeconds: 0.1, Idle: make([]float64, 5), K6: make([]float64, 5), Stolen: []float64{0, 0.2, 0.5, 0, 0},
		GCPauseMs: []float64{0.1, 0, 0, 1, 0}, LateMs: []float64{0, 0, 30, 0, 0},
	}
}

func aWitness() *report.Witness {
	return &report.Witness{
		LimitedBy: witness.Clients, Why: "The client waited 0.1 ms for each answer.",
		Evidence: map[string]float64{witness.Processors: 8, witness.K6: 0.8, witness.Idle: 6.25},
	}
}

func (m *maker) twoKinds() *report.Report {
	return m.madeUp([]report.Step{
		m.step(1, 1, 100, "get", 900), m.step(1, 1, 100, "set", 900), m.step(8, 1, 100, "get", 900), m.step(8, 1, 100, "set", 900),
	})
}

func failing(s *report.Step) {
	s.Complete, s.Failed = false, 3
	s.Extra.Errors = map[string]uint64{"timeout after 5s": 2, "connection refused": 1}
}

func published() []report.Series {
	clients := []int{1, 8, 16, 32, 64, 128, 512}
	one := func(label string, rates ...float64) report.Series {
		s := report.Series{Label: label, Source: "machbase/neo-tester", Machine: "not told; the micro benchmark beside it ran on an Apple M5", Op: "rollup"}
		for i, v := range rates {
			s.Points = append(s.Points, report.Point{Clients: clients[i], OpsPerSecond: v})
		}

		return s
	}

	return []report.Series{
		one("2026/02/20, api/machcli", 827, 6030, 10641, 15877, 18289, 17141, 24157),
		one("2026/02/20, api/machgo, titled stmt-reuse", 1828, 11586, 22420, 28869, 29689, 29273, 29874),
		one("2026/02/23, api/machcli", 824, 5946, 10512, 15898, 18314, 17043, 24264),
		one("2026/02/23, api/machgo", 1105, 6777, 12847, 19333, 21031, 24891, 25132),
		one("2026/02/20, api/machgo, stmt-reuse (-reuse)", 1719, 11443, 20843, 29231, 29594, 29497, 29725),
	}
}

// examples are reports of every kind that needs a sensible page.
var examples = sync.OnceValue(func() map[string]*report.Report {
	m := newMaker()
	sweep := []int{1, 8, 16, 32, 64, 128, 512}
	var plain, repeated, several, rates, ramp, many, timed []report.Step
	for _, clients := range sweep {
		plain = append(plain, m.step(clients, 1, 500, "rollup", 8500))
		timed = append(timed, m.step(clients, 1, 500, "rollup", 8500, func(s *report.Step) { s.PerClient = 0 }))
		for repeat := range 3 {
			repeated = append(repeated, m.step(clients, repeat+1, 100, "rollup", 8500))
		}
		for i, op := range []string{"get", "set", "a rather long name of an operation"} {
			several = append(several, m.step(clients, 1, 100, op, 8500*float64(i+1)))
		}
		for i := range 9 {
			many = append(many, m.step(clients, 1, 20, fmt.Sprintf("op-%d", i), 2000*float64(i+1)))
		}
	}
	for i := range 8 {
		asked := 1000 * float64(i+1)
		rates = append(rates, m.step(64, 1, 100, "rollup", 8500, func(s *report.Step) {
			s.Rate, s.OpsPerSecond, s.PerClient = asked, min(asked, 5600), 0
			s.Extra.Unstarted = uint64(max(asked-5600, 0))
		}))
	}
	for i := range 64 {
		for repeat := range 3 {
			ramp = append(ramp, m.step(i+1, repeat+1, 20, "rollup", 8500))
		}
	}
	nothing := func(s *report.Step) {
		*s = report.Step{Clients: s.Clients, Repeat: 1, PerClient: 500, Op: s.Op, Failed: 500, Seconds: 1,
			Extra: report.Extra{Errors: map[string]uint64{"connection refused": 500}}}
	}

	return map[string]*report.Report{
		"small":       m.small(),
		"plain":       m.madeUp(plain, func(r *report.Report) { r.Published = published() }),
		"timed":       m.madeUp(timed),
		"repeated":    m.madeUp(repeated),
		"several":     m.madeUp(several),
		"many":        m.madeUp(many),
		"rates":       m.madeUp(rates),
		"variants":    m.variants(),
		"ramp":        m.madeUp(ramp),
		"empty":       m.madeUp(nil),
		"bare":        {},
		"single":      m.madeUp(plain[2:3]),
		"oneclient":   m.madeUp([]report.Step{m.step(1, 1, 1, "rollup", 1)}),
		"allfailed":   m.madeUp([]report.Step{m.step(1, 1, 500, "rollup", 1, nothing), m.step(8, 1, 500, "rollup", 1, nothing)}),
		"interrupted": m.madeUp(plain[:3], func(r *report.Report) { r.Interrupted = true }),
		"huge": m.madeUp([]report.Step{
			m.step(1, 1, 10, "rollup", 1, func(s *report.Step) { s.OpsPerSecond, s.Clients = 1e300, math.MaxInt64 }),
			m.step(1, 1, 10, "rollup", 1, func(s *report.Step) { s.OpsPerSecond, s.Latency.Max, s.Client.Max = 4e11, 1e300, 1e300 }),
		}),
		"tiny": m.madeUp([]report.Step{
			m.step(1, 1, 10, "rollup", 0.0004), m.step(2, 1, 10, "rollup", 0.0004),
			m.step(4, 1, 10, "rollup", 1, func(s *report.Step) { s.OpsPerSecond, s.Latency.P50 = 5e-324, 5e-324 }),
		}),
		"negative": m.madeUp([]report.Step{
			m.step(1, 1, 10, "rollup", 1, func(s *report.Step) {
				s.Clients, s.Repeat, s.OpsPerSecond, s.Operations, s.Rate, s.Client.P50 = -1, -2, -3, -4, -5, -6
			}),
		}),
		"weird": m.madeUp([]report.Step{
			m.step(1, 1, 10, weird, 9000, func(s *report.Step) { s.Extra.Errors = map[string]uint64{weird: 1}; s.Failed = 1 }),
			m.step(8, 1, 10, "a|b `c`", 9000, func(s *report.Step) { s.Histogram = "not one" }),
		}, func(r *report.Report) {
			r.Scenario, r.K6, r.Host.CPU = weird, weird, weird
			r.Target = map[string]any{"kind": weird, "version": weird, weird: map[string]any{weird: []any{1, weird, nil}}}
			r.Params = map[string]any{"query": "select *\n  from t where a < 'b' && c > \"d\"", "none": nil, "nested": map[string]any{"a": 1}}
			r.Published = []report.Series{{Label: weird, Source: "javascript:alert(1)", Machine: weird, Op: weird,
				Points: []report.Point{{Clients: 1, OpsPerSecond: 5}, {Clients: -1, OpsPerSecond: -5}}}}
			r.Gates = []report.Verdict{{Gate: weird, Detail: weird, Outcome: "crossed"}}
			r.Tables = []report.Table{{
				Title: weird, Columns: []report.TableColumn{{Name: weird, Unit: weird}}, Rows: []report.TableRow{{weird}}, Notes: []string{weird},
			}}
			r.Search = &report.Search{Of: weird, Bound: weird}
		}),
	}
})

// weird is markup if it is not escaped.
const weird = `</title></script></style><script>alert("1")</script><img src=x onerror='a()'>{{.}} & | "q" 'p' url(http://x) =`
