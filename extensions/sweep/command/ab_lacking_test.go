package command

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// stepOf is a report of a step of one second.
func stepOf(operations int64, failed uint64) *report.Report {
	return &report.Report{Scenario: "x", Steps: []report.Step{{
		Op: "get", Clients: 8, Repeat: 1, Operations: operations, Failed: failed, Seconds: 1, OpsPerSecond: float64(operations), Complete: true,
		Latency: report.LatencyMs{P50: 1, P99: 2, Mean: 1},
	}}}
}

func TestFiguresThatACommandDoesNotHave(t *testing.T) {
	few, many, none := stepOf(500, 0), stepOf(5000, 0), stepOf(0, 40)
	still := stepOf(5000, 0)
	still.Steps[0].Standstill = &report.Standstill{LongestMs: 200, Part: 0.2}
	// k6 was late or paused.
	late, paused := stepOf(5000, 0), stepOf(5000, 0)
	late.Steps[0].OpenLoop = &report.OpenLoop{LateByK6: 0.02}
	late.Steps[0].Latency.P99 = 2000
	paused.Steps[0].Standstill = &report.Standstill{LongestMs: 200, Part: 0.2}
	paused.Steps[0].Witness = &report.Witness{LimitedBy: witness.K6Itself}
	for name, tt := range map[string]struct {
		pairs [][2]*report.Report
		want  map[string]string // outcomes of p99 and ops/s
	}{
		"both have it":                 {[][2]*report.Report{{many, many}, {many, many}, {many, many}, {many, many}}, map[string]string{"p99": "held", "opsPerSecond": "held"}},
		"the change lost p99":          {[][2]*report.Report{{many, few}, {many, few}, {many, few}, {many, few}}, map[string]string{"p99": "crossed", "opsPerSecond": "crossed"}},
		"all of it failed":             {[][2]*report.Report{{many, none}, {many, few}, {many, none}, {many, none}}, map[string]string{"p99": "crossed", "opsPerSecond": "crossed"}},
		"neither has it":               {[][2]*report.Report{{few, few}, {few, few}, {few, few}, {few, few}}, map[string]string{"p99": "undecided", "opsPerSecond": "held"}},
		"the change stood still":       {[][2]*report.Report{{many, still}, {many, still}, {many, still}, {many, still}}, map[string]string{"p99": "crossed", "opsPerSecond": "held"}},
		"base stood still":             {[][2]*report.Report{{still, many}, {still, many}, {still, many}, {still, many}}, map[string]string{"p99": "undecided", "opsPerSecond": "held"}},
		"both stood still":             {[][2]*report.Report{{still, still}, {still, still}, {still, still}, {still, still}}, map[string]string{"p99": "undecided", "opsPerSecond": "held"}},
		"k6 was late in each pair":     {[][2]*report.Report{{many, late}, {many, late}, {many, late}, {many, late}}, map[string]string{"p99": "undecided", "opsPerSecond": "held"}},
		"k6 was late with base":        {[][2]*report.Report{{late, many}, {late, many}, {late, many}, {late, many}}, map[string]string{"p99": "undecided", "opsPerSecond": "held"}},
		"k6 stood still in each pair":  {[][2]*report.Report{{many, paused}, {many, paused}, {many, paused}, {many, paused}}, map[string]string{"p99": "undecided", "opsPerSecond": "held"}},
		"too few pairs without k6's":   {[][2]*report.Report{{many, late}, {many, many}, {many, many}, {many, many}}, map[string]string{"p99": "undecided", "opsPerSecond": "held"}},
		"k6 was late in one of five":   {[][2]*report.Report{{many, late}, {many, many}, {many, many}, {many, many}, {many, many}}, map[string]string{"p99": "held", "opsPerSecond": "held"}},
		"late once, lost in the rest":  {[][2]*report.Report{{many, late}, {many, few}, {many, few}, {many, few}, {many, few}}, map[string]string{"p99": "crossed", "opsPerSecond": "crossed"}},
		"one pair lacks it, by chance": {[][2]*report.Report{{many, many}, {many, few}, {many, many}, {many, many}}, map[string]string{"p99": "undecided", "opsPerSecond": "undecided"}},
	} {
		t.Run(name, func(t *testing.T) {
			trial := &trial{}
			for _, pair := range tt.pairs {
				time := abValue{abFigure: abFigure{Key: "time", name: "time", usual: true}, of: 1} // a common figure is required
				require.NoError(t, trial.add(append(reportValues(pair[0], false, false), time), append(reportValues(pair[1], false, false), time)))
			}
			gates := []abGate{{Figure: "p99", Tolerance: 0.99}, {Figure: "opsPerSecond", Tolerance: 0.05, falls: true}}
			judgements, err := trial.Judge(gates, false)
			require.NoError(t, err)
			got := map[string]string{}
			for _, j := range judgements {
				if j.Gate != "" {
					got[j.Key] = string(j.Outcome)
				}
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// Without gates: ops/s, latency if the rate is given, else time; never setup.
func TestUsualGates(t *testing.T) {
	closed, open, setup := stepOf(5000, 0), stepOf(5000, 0), stepOf(1, 0)
	open.Steps[0].Rate = 5000
	setup.Steps[0].Variant = report.InSetup
	for want, steps := range map[string][]report.Step{
		"opsPerSecond=-5%": {closed.Steps[0], setup.Steps[0]},
		"p50=+5%":          {open.Steps[0], setup.Steps[0]},
		"time=+5%":         {setup.Steps[0]},
	} {
		values := append(reportValues(&report.Report{Scenario: "x", Steps: steps}, false, false), processValues(1, 1)...)
		trial := &trial{}
		require.NoError(t, trial.add(values, values))
		gates := trial.usualGates()
		require.Len(t, gates, 1)
		require.Equal(t, want, gates[0].String())
	}
}
