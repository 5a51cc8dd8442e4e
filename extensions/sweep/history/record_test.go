package history

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// run makes a run of two repeats of 1 and 8 clients.
func run(rate float64, change func(*report.Report)) *report.Report {
	r := &report.Report{
		Schema: report.Schema, Scenario: "cache", K6: "v2.2.0", Started: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Host:   report.Host{CPU: "Imaginary 9000", Cores: 8, MemBytes: 1 << 36, OS: "linux/amd64"},
		Target: map[string]any{"kind": "memcached", "version": "1.6.38", "url": "localhost:11211"},
		Params: map[string]any{"warmup": "2s", "results": "x", "clients": []int{1, 8}},
	}
	for _, clients := range []int{1, 8} {
		for repeat := range 2 {
			r.Steps = append(r.Steps, report.Step{
				Clients: clients, Repeat: repeat + 1, Op: "get", Operations: 600, Complete: true, Seconds: 5, PerClient: 600 / uint64(clients),
				OpsPerSecond: rate * float64(clients), Latency: report.LatencyMs{P50: 1000.123456 / rate, P99: 3000 / rate, P999: 9, Max: 10, Mean: 2},
			})
		}
	}
	if change != nil {
		change(r)
	}

	return r
}

func commit(n int) Commit {
	return Commit{ID: fmt.Sprintf("%040d", n), Time: time.Date(2026, 3, 1, 0, n, 0, 0, time.UTC), Subject: fmt.Sprintf("change %d", n)}
}

func TestRecordIsALine(t *testing.T) {
	r, err := NewRecord(run(100, nil), commit(7), "")
	require.NoError(t, err)
	line, err := r.Line()
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(line), "\n"))
	require.Less(t, len(line), 1000)
	require.Contains(t, string(line), `"commit":"0000000000000000000000000000000000000007","committed":"2026-03-01T00:07:00Z","subject":"change 7"`)
	require.Contains(t, string(line), `{"op":"get","clients":8,"repeats":2,"figures":{"mean":2,"ops_per_second":800,"p50":10.001,"p99":30}}`,
		"no p99.9: 1,200 operations are too few for it")
	require.NotContains(t, string(line), "results")

	back, notes := Parse(line)
	require.Empty(t, notes)
	require.Equal(t, []Record{*r}, back)
}

func TestRecordsOfRunsWithFlaws(t *testing.T) {
	r, err := NewRecord(run(100, func(r *report.Report) { r.Steps[0].Failed = 3 }), commit(1), "")
	require.NoError(t, err)
	require.Equal(t, "3 failed (repeat 1)", r.Steps[0].Flaw)
	require.Empty(t, r.Steps[0].Figures)
	require.NotEmpty(t, r.Steps[1].Figures)

	_, err = NewRecord(run(100, nil), Commit{}, "")
	require.EqualError(t, err, "a record needs a commit")
	_, err = NewRecord(run(100, func(r *report.Report) { r.Steps = nil }), commit(1), "")
	require.EqualError(t, err, "the run has no steps: there is nothing to keep")
}

func TestRecordOfDuets(t *testing.T) {
	duet := func(r *report.Report) {
		for i := range r.Steps {
			r.Steps[i].Variant = [...]string{report.Base, report.Change}[i%2]
			r.Steps[i].Repeat = 1
			r.Steps[i].Witness = &report.Witness{LimitedBy: witness.Neighbour}
		}
		for _, clients := range []int{1, 8} {
			r.Duets = append(r.Duets, report.Duet{Op: "get", Clients: clients, Repeat: 1, Figures: []report.DuetFigure{
				{Figure: "opsPerSecond", Ratio: 0.97}, {Figure: "p99", Ratio: 1.02},
			}})
		}
	}
	r, err := NewRecord(run(100, duet), commit(1), "v1.2.0")
	require.NoError(t, err)
	require.Equal(t, "v1.2.0", r.Setup["duet.base"])
	require.Len(t, r.Steps, 6, "both variants, and one beside the other, of two steps")
	require.Equal(t, Step{
		Key: report.Key{Op: "get", Clients: 8}, Repeats: 1, Figures: map[string]float64{"opsPerSecond_beside_base": 0.97, "p99_beside_base": 1.02},
	}, r.Steps[5])
	h := New([]Record{*r}, Options{})
	require.Len(t, h.Setups[0].Series, 4, "a neighbour slows both variants: the ratios count, the figures do not")
	for _, one := range h.Setups[0].Series {
		require.Equal(t, one.Figure.Key == "opsPerSecond_beside_base", one.Figure.Rate, one.Name())
	}
	require.Equal(t, 4, h.Setups[0].Excluded)
	require.Equal(t, []string{"4 steps of runs left out: a neighbour limited them."}, h.Setups[0].Remarks())

	r, err = NewRecord(run(100, duet), commit(1), "")
	require.NoError(t, err)
	require.Len(t, r.Steps, 4, "nobody knows what base was")
	require.NotContains(t, r.Setup, "duet.base")

	r, err = NewRecord(run(100, func(r *report.Report) { duet(r); r.Steps[0].Failed = 1 }), commit(1), "v1.2.0")
	require.NoError(t, err)
	require.Equal(t, "1 failed (repeat 1)", r.Steps[4].Flaw)
	require.Empty(t, r.Steps[4].Figures)

	_, err = NewRecord(run(100, nil), commit(1), "v1.2.0")
	require.EqualError(t, err, "the run has no duets: there is nothing beside v1.2.0")
}

func TestRecordHasProcessorTimeOfAnOperation(t *testing.T) {
	server := 1.2
	r, err := NewRecord(run(100, func(r *report.Report) {
		for i := range r.Steps {
			r.Steps[i].CPU = report.CPUSeconds{K6: 0.6, Server: &server}
		}
		r.Steps[0].CPU.Server = nil
	}), commit(1), "")
	require.NoError(t, err)
	require.InDelta(t, 1, r.Steps[1].Figures["cpu_per_operation"], 0)
	require.InDelta(t, 2, r.Steps[1].Figures["server_cpu_per_operation"], 0)
	require.InDelta(t, 1, r.Steps[0].Figures["cpu_per_operation"], 0)
	require.NotContains(t, r.Steps[0].Figures, "server_cpu_per_operation", "it is not known of all repeats")
}

func TestRunsBesideNeighboursAreLeftOut(t *testing.T) {
	var records []Record
	for i := range 40 {
		beside := i%2 == 1 && i >= 20
		rate := 1000.0
		if beside {
			rate = 500
		}
		r, err := NewRecord(run(rate+float64(i%5), func(r *report.Report) {
			for j := range r.Steps {
				r.Steps[j].Witness = &report.Witness{LimitedBy: witness.Server}
				if beside && j%2 == 0 {
					r.Steps[j].Witness.LimitedBy = witness.Neighbour
				}
			}
		}), commit(i), "")
		require.NoError(t, err)
		records = append(records, *r)
	}
	s := New(records, Options{}).Setups[0]
	require.Equal(t, 20, s.Excluded, "half of the repeats are enough")
	for _, one := range s.Series {
		require.Len(t, one.Points, 30)
		require.Empty(t, one.Changes, one.Name())
	}
}

func TestAppendKeepsARunOnce(t *testing.T) {
	r, err := NewRecord(run(100, nil), commit(1), "")
	require.NoError(t, err)
	line, added, err := Append(nil, r)
	require.NoError(t, err)
	require.True(t, added)
	_, added, err = Append(line, r)
	require.NoError(t, err)
	require.False(t, added, "the same run")

	again := *r
	again.Started = again.Started.Add(time.Hour)
	second, added, err := Append(line[:20], &again) // the record is cut off
	require.NoError(t, err)
	require.True(t, added)
	records, notes := Parse(append(line[:20:20], second...))
	require.Equal(t, []Record{again}, records)
	require.Equal(t, []string{"line 1 is left out: it is no JSON of a record, or was cut off"}, notes)
	_, notes = Parse([]byte(`{"schema":"xk6-sweep-history/2"}` + "\n" + `{"schema":"xk6-sweep-history/1"}`))
	require.Equal(t, []string{
		`line 1 is left out: its schema is "xk6-sweep-history/2", not "xk6-sweep-history/1"`,
		"line 2 is left out: it has no commit, no scenario or no steps",
	}, notes)
}

// Another machine or other parameters make another series; another kernel does not.
func TestSetups(t *testing.T) {
	id := func(change func(*report.Report)) string {
		r, err := NewRecord(run(100, change), commit(1), "")
		require.NoError(t, err)

		return r.SetupID()
	}
	same := id(nil)
	require.Equal(t, same, id(func(r *report.Report) { r.Target["version"], r.Target["url"] = "1.6.39", "other" }))
	require.Equal(t, same, id(func(r *report.Report) { r.Params["results"], r.Host.MemBytes = "elsewhere", 1 }))
	require.Equal(t, same, id(func(r *report.Report) { r.Fingerprint = &report.Fingerprint{Kernel: "6.8"} }))
	require.NotEqual(t, same, id(func(r *report.Report) { r.Params["warmup"] = "3s" }))
	require.NotEqual(t, same, id(func(r *report.Report) { r.Host.Cores = 4 }))
	require.NotEqual(t, same, id(func(r *report.Report) { r.Target["kind"] = "redis" }))
}
