package report

import (
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

func TestValidateRefuses(t *testing.T) {
	const step64 = `stock-rollup, 8 clients, repeat 1: `
	change := func(change func(*Step)) func(*Report) {
		return func(r *Report) { change(&r.Steps[1]) }
	}
	for _, tt := range []struct {
		name   string
		change func(*Report)
		want   string
	}{
		{"another schema", func(r *Report) { r.Schema = "" }, `not a report: the key "schema" is to be "xk6-sweep/1"`},
		{"no scenario", func(r *Report) { r.Scenario = "" }, `scenario: minLength: got 0, want 1`},
		{"no op", change(func(s *Step) { s.Op = "" }), `steps[1].op: minLength: got 0, want 1`},
		{"no clients", change(func(s *Step) { s.Clients = 0 }), `steps[1].clients: minimum: got 0, want 1`},
		{"no repeat", change(func(s *Step) { s.Repeat = 0 }), `steps[1].repeat: minimum: got 0, want 1`},
		{
			"too short and complete", change(func(s *Step) { s.TooShort = new(uint64(2)) }),
			step64 + "it is complete, but tooShort says that it is not",
		},
		{"negative ops", change(func(s *Step) { s.Operations = -1 }), `steps[1].ops: minimum: got -1, want 0`},
		{"a negative rate", change(func(s *Step) { s.Rate = -1 }), `steps[1].rate: minimum: got -1, want 0`},
		{"ops/s that do not agree", change(func(s *Step) { s.OpsPerSecond *= 1.0015 }), step64 + "opsPerSecond is 6325.26"},
		{"negative processor time", change(func(s *Step) { s.CPU.K6 = -1 }), `steps[1].cpuSeconds.k6: minimum: got -1, want 0`},
		{"negative processor time of the server", func(r *Report) { *r.Steps[0].CPU.Server = -1 }, `steps[0].cpuSeconds.server: minimum: got -1, want 0`},
		{"a negative p50", change(func(s *Step) { s.Latency.P50 = -1 }), `steps[1].latencyMs.p50: minimum: got -1, want 0`},
		{"p50 above p90", change(func(s *Step) { s.Latency.P50 = 3 }), step64 + `latencyMs.p50 is 3, but 1.424383 in its histogram`},
		{"p90 above p95", change(func(s *Step) { s.Latency.P90 = 4 }), step64 + `latencyMs.p90 is 4, but 2.400255 in its histogram`},
		{"p95 above p99", change(func(s *Step) { s.Latency.P95 = 8 }), step64 + `latencyMs.p95 is 8, but 3.201023 in its histogram`},
		{"p99 above p999", change(func(s *Step) { s.Latency.P99 = 30 }), step64 + `latencyMs.p99 is 30, but 7.200767 in its histogram`},
		{"p999 above max", change(func(s *Step) { s.Latency.P999 = 330 }), step64 + `latencyMs.p999 is 330, but 20.004863 in its histogram`},
		{"no histogram", change(func(s *Step) { s.Histogram = "" }), `steps[1].histogram: '' does not match pattern '^[A-Za-z0-9+/]+={0,2}$'`},
		{"a histogram of others", change(func(s *Step) { s.Histogram = s.Client.Histogram }), step64 + "histogram counts 8 operations, but ops are 80000"},
		{"p50 beside the histogram", change(func(s *Step) { s.Latency.P50 *= 1.003 }), step64 + "latencyMs.p50 is 1.4282719999999998, but 1.424383 in its histogram"},
		{"p90 beside the histogram", change(func(s *Step) { s.Latency.P90 *= 0.997 }), "latencyMs.p90 is"},
		{"p95 beside the histogram", change(func(s *Step) { s.Latency.P95 *= 1.003 }), "latencyMs.p95 is"},
		{"p99 beside the histogram", change(func(s *Step) { s.Latency.P99 *= 1.003 }), "latencyMs.p99 is"},
		{"p999 beside the histogram", change(func(s *Step) { s.Latency.P999 *= 1.003 }), "latencyMs.p999 is"},
		{"percentiles of nothing", change(func(s *Step) {
			s.Operations, s.OpsPerSecond = 0, 0
			s.Histogram = histogramOf(s)
		}), "latencyMs.p50 is 1.424, but 0 in its histogram"},
		{"a client time below none", change(func(s *Step) { s.Client.Min = -1 }), `steps[1].client.min: minimum: got -1, want 0`},
		{"no histogram of client times", change(func(s *Step) { s.Client.Histogram = "" }), `steps[1].client.histogram: '' does not match pattern '^[A-Za-z0-9+/]+={0,2}$'`},
		{"no histogram of clients' ops", change(func(s *Step) { s.Client.Ops.Histogram = "?" }), `steps[1].client.ops.histogram: '?' does not match pattern '^[A-Za-z0-9+/]+={0,2}$'`},
		{"more clients than there are", func(r *Report) { r.Steps[1].Client = r.Steps[2].Client }, "client.histogram counts 512 clients and client.ops.histogram 512, of 8"},
		{"histograms of different clients", func(r *Report) { r.Steps[1].Client.Ops.Histogram = r.Steps[0].Client.Ops.Histogram }, "client.histogram counts 8 clients and client.ops.histogram 1, of 8"},
		{"the same step twice", func(r *Report) { r.Steps[2] = r.Steps[1] }, step64 + "there are two of it"},
		{"a search for something else", func(r *Report) { r.Search = &Search{Of: "rows"} }, `search.of: value must be one of 'clients', 'rate'`},
		{"a published point of no clients", func(r *Report) { r.Published = []Series{{Label: "a", Points: []Point{{0, 1}}}} }, `published[0].points[0].clients: minimum: got 0, want 1`},
		{"a negative published point", func(r *Report) { r.Published = []Series{{Label: "a", Points: []Point{{1, -1}}}} }, `published[0].points[0].opsPerSecond: minimum: got -1, want 0`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read([]byte(jsonOf(t, madeUp(tt.change))))
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestValidateAccepts(t *testing.T) {
	for name, change := range map[string]func(*Report){
		"nothing out of the ordinary": nil,
		"the same step at other rates": func(r *Report) {
			r.Steps = []Step{step(8, 1, "get"), step(8, 1, "get", open(1, 0)), step(8, 1, "get", open(2, 0)), step(8, 2, "get", open(2, 0))}
		},
		"figures within the tolerance": func(r *Report) {
			r.Steps[1].OpsPerSecond *= 1.0009
			r.Steps[1].Latency.P50 *= 1.0005
			r.Steps[1].Client.P50 *= 0.9995
		},
		"no time that has passed":    func(r *Report) { r.Steps[1] = step(8, 1, "stock-rollup", nothingDone, timeless) },
		"clients that never started": func(r *Report) { r.Steps[1].Clients, r.Steps[1].Complete = 16, false },
		"seconds of a ramp": func(r *Report) {
			r.Steps[1] = step(8, 1, "stock-rollup", func(s *Step) { s.PerClient, s.Client = 0, noClients() })
		},
		"a part of a run": func(r *Report) { r.Params["segment"], r.Steps[1].Clients = "0:1/2", 16 },
		"a share that failed in part": func(r *Report) {
			r.Steps[1].PerClient, r.Steps[1].Failed, r.Steps[1].Extra.Errors = 10_001, 8, map[string]uint64{"a": 3, "other errors": 5}
		},
		"a share of two kinds": func(r *Report) {
			r.Steps[1].PerClient = 20_000
			r.Steps = append(r.Steps, step(8, 1, "set", func(s *Step) { s.PerClient = 20_000 }))
		},
		"failures without a text":    func(r *Report) { r.Steps[1].Failed = 8 },
		"a client that ended last":   func(r *Report) { r.Steps[1].Client.Max *= 1.0005 },
		"a search that found a step": func(r *Report) { r.Search = &Search{Of: "clients", Max: 512, Found: 8} },
		"a search that is sure": func(r *Report) {
			r.Search = &Search{Of: "clients", Max: 512, Found: 8, Bracket: &Bracket{Low: 8, High: 512}}
		},
		"a search that found none": func(r *Report) { r.Search = &Search{Of: "rate", Max: 512} },
	} {
		t.Run(name, func(t *testing.T) { require.NoError(t, madeUp(change).Validate()) })
	}
}

func timeless(s *Step) { s.Seconds, s.Client = 0, noClients() }

func noClients() Clients {
	none := encode(hdrhistogram.New(1, int64(measure.Highest), 3))

	return Clients{Histogram: none, Ops: ClientOps{Histogram: none}}
}

// A histogram ends at 1 h; the report's figures do not.
func TestValidateOfDurationsAboveAnHour(t *testing.T) {
	var times, ops measure.Distribution
	times.Record(3 * time.Hour)
	times.Record(5 * time.Hour)
	ops.Record(1)
	ops.Record(1)
	reading := measure.Reading{
		Elapsed: 5 * time.Hour, Complete: true, ClientTimes: times, ClientOps: ops,
		Ops: []measure.Totals{{Op: "backup", Durations: times}},
	}
	steps := NewSteps(&reading, Step{Clients: 2, Repeat: 1, PerClient: 1}, "backup", CPUSeconds{})
	require.NoError(t, steps[0].validate())
	steps[0].Latency.P50 = 1000
	require.ErrorContains(t, steps[0].validate(), "latencyMs.p50 is 1000, but")
}
