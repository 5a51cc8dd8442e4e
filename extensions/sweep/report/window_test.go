package report

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// reading makes a step of 2 clients and 5 s with 100 operations of 1 ms. Of these, within ended in
// the window.
func reading(within int64) measure.Reading {
	r := measure.Reading{
		Started: true, StartedOn: time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC), Elapsed: 5 * time.Second, Ended: 2, Complete: true,
		Ops: []measure.Totals{{Op: "get", Within: within}},
	}
	for range 100 {
		r.Ops[0].Durations.Record(time.Millisecond)
	}
	for range 2 {
		r.ClientTimes.Record(5 * time.Second)
		r.ClientOps.Record(50)
	}

	return r
}

func stepOf(t *testing.T, r *measure.Reading) *Step {
	t.Helper()
	steps := NewSteps(r, Step{Clients: 2, Repeat: 1, Rate: rateOf(r)}, "get", CPUSeconds{})
	require.NoError(t, steps[0].validate())

	return &steps[0]
}

func rateOf(r *measure.Reading) float64 {
	if r.OpenLoop == nil {
		return 0
	}

	return 100
}

func TestRateOfAWindow(t *testing.T) {
	r := reading(98)
	r.Window = time.Second
	s := stepOf(t, &r)
	require.Equal(t, &Window{Seconds: 1, Ops: 98, TailSeconds: 4, TailOps: 2}, s.Window)
	require.InDelta(t, 98, s.OpsPerSecond, 1e-9)
	require.InDelta(t, 5, s.Seconds, 1e-9, "the step time is what it was")
	require.InDelta(t, 1e9/98, nsPerOp(s), 1e-6)
	require.Contains(t, stepNotes(s, false),
		"2 clients: ops/s is of the window of 1.000s; what was under way then ended within another 4.000s.")

	s.OpsPerSecond = 20
	require.ErrorContains(t, s.validate(), "opsPerSecond is 20")
}

func TestAnInterruptedWindowHasNoTail(t *testing.T) {
	r := reading(98)
	r.Window = time.Second
	before, last := stepOf(t, &r), stepOf(t, &r)
	last.Clients = 4
	rep := &Report{Scenario: "look", Steps: []Step{*before, *last}}
	const tail = "what was under way then ended within another 4.000s"
	require.Equal(t, 2, strings.Count(rep.Markdown(), tail))
	rep.Interrupted = true
	require.Equal(t, 1, strings.Count(rep.Markdown(), tail), "the step that was interrupted is the last one")
	require.Contains(t, rep.Markdown(), "2 clients: ops/s is of the window")
}

func TestRateOfAllClients(t *testing.T) {
	r := reading(80)
	r.AllAtWork = 2 * time.Second
	s := stepOf(t, &r)
	require.Equal(t, &AllClients{Seconds: 2, Ops: 80, OpsPerSecond: 40}, s.AllClients)
	require.InDelta(t, 20, s.OpsPerSecond, 1e-9)
	require.Contains(t, stepNotes(s, false), "2 clients: all clients were at work for 2.000s of 5.000s, with 40/s.")
}

func TestMissedRate(t *testing.T) {
	r := reading(60)
	r.Window, r.Unstarted, r.Complete = time.Second, 35, false
	r.OpenLoop = &measure.OpenLoop{Due: 100, Started: 65, LongestQueue: 35, AllBusy: 900 * time.Millisecond}
	for range 65 {
		r.OpenLoop.Lateness.Record(30 * time.Microsecond)
	}
	s := stepOf(t, &r)
	const missed = "asked 100/s, served 65/s (65 of 100 operations started in that time)"
	require.Equal(t, missed, s.missed())
	require.Contains(t, stepNotes(s, false), "The step of 2 clients at 100/s is incomplete: "+missed+".")
	require.Equal(t, "rate not kept", s.Flaw())
	require.InDelta(t, 0.03, s.OpenLoop.Lateness.P50, 1e-4)

	s.OpenLoop.Started, s.Extra.Unstarted, s.Complete = 98, 0, true
	require.Contains(t, s.missed(), "asked 100/s")
	s.OpenLoop.Started = 99
	require.Empty(t, s.missed())
}

func TestMergeOfWindows(t *testing.T) {
	parts := []*Report{mergePart("0:1/2"), mergePart("1/2:1")}
	for i, part := range parts {
		r := reading(90)
		r.StartedOn = r.StartedOn.Add(time.Duration(i) * 20 * time.Millisecond)
		r.Window = time.Second
		r.OpenLoop = &measure.OpenLoop{
			Due: 50, Started: 40, LongestQueue: 7, AllBusy: time.Duration(i+1) * 255 * time.Millisecond,
			InTime: 0.5 + 0.3*float64(i), LateByK6: 0.1 * float64(i),
		}
		r.Standstill = &measure.Standstill{Longest: time.Duration(5-i) * time.Second, Part: 0.2 + 0.3*float64(i)}
		r.Ops[0].Shared = 40
		r.OpenLoop.Lateness.Record(time.Duration(i+1) * time.Millisecond)
		step := *stepOf(t, &r)
		step.Clients = 4
		part.Steps = []Step{step}
	}
	merged, _, err := Merge(parts...)
	require.NoError(t, err)
	s := merged.Steps[0]
	require.Equal(t, &Window{Seconds: 1.02, Ops: 180, TailSeconds: 4, TailOps: 20}, s.Window)
	require.InDelta(t, 180/1.02, s.OpsPerSecond, 1e-9)
	o := s.OpenLoop
	require.EqualValues(t, 100, o.Due)
	require.EqualValues(t, 80, o.Started)
	require.EqualValues(t, 14, o.LongestQueue)
	require.InDelta(t, 80/1.02, o.AchievedRate, 1e-9)
	require.InDelta(t, 0.255, o.AllBusy, 1e-6)
	require.InDelta(t, 0.65, o.InTime, 1e-9)
	require.InDelta(t, 0.05, o.LateByK6, 1e-9)
	require.Equal(t, &Standstill{LongestMs: 4000, Part: 0.2}, s.Standstill, "no longer than any of its parts")
	require.EqualValues(t, s.Operations-80, s.Timings())
	require.InDelta(t, 2, o.Lateness.Max, 1e-9)
	require.InDelta(t, 1, o.Lateness.P50, 1e-3)
}

func TestTotalOfWindows(t *testing.T) {
	r := reading(90)
	r.Window = time.Second
	kinds := []Step{*stepOf(t, &r), *stepOf(t, &r)}
	total := totalOf(kinds)
	require.Equal(t, &Window{Seconds: 1, Ops: 180, TailSeconds: 4, TailOps: 20}, total.Window)
	require.EqualValues(t, 90, kinds[1].Window.Ops, "what it is the sum of is as it was")
	require.InDelta(t, 180, total.OpsPerSecond, 1e-9)

	r.Window, r.AllAtWork = 0, 2*time.Second
	total = totalOf([]Step{*stepOf(t, &r), *stepOf(t, &r)})
	require.Equal(t, &AllClients{Seconds: 2, Ops: 180, OpsPerSecond: 90}, total.AllClients)
}
