package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// timedHalves makes two parts of a step of 2 clients, each with one client, the given operations,
// time and start.
func timedHalves(t *testing.T, each ...struct {
	start, took time.Duration
	ops         int
},
) []*Report {
	t.Helper()
	parts := []*Report{mergePart("0:1/2"), mergePart("1/2:1")}
	for i, e := range each {
		reading := measure.Reading{Complete: true, Started: true, Elapsed: e.took, StartedOn: parts[i].Started.Add(3*time.Second + e.start)}
		var durations measure.Distribution
		for range e.ops {
			durations.Record(e.took / time.Duration(e.ops))
		}
		reading.Ops = []measure.Totals{{Op: "get", Durations: durations}}
		reading.ClientTimes.Record(e.took)
		reading.ClientOps.Record(time.Duration(e.ops))
		steps := NewSteps(&reading, Step{Clients: 2, Repeat: 1}, "", CPUSeconds{})
		parts[i].Steps = steps
	}

	return parts
}

type half = struct {
	start, took time.Duration
	ops         int
}

func TestMergeOfHalvesThatDidNotRunAtTheSameTime(t *testing.T) {
	merged, _, err := Merge(timedHalves(t, half{0, 5 * time.Second, 466_340}, half{23 * time.Second, 5 * time.Second, 508_250})...)
	require.NoError(t, err)
	require.InDelta(t, 97_459, merged.Steps[0].OpsPerSecond, 1e-6)
	require.False(t, merged.Steps[0].Complete)
	require.Zero(t, *merged.Steps[0].Overlap)
	later := timedHalves(t, half{0, time.Second, 10}, half{time.Hour, time.Second, 10})
	later[1].Started = later[1].Started.Add(time.Hour)
	_, _, err = Merge(later...)
	require.ErrorContains(t, err, "parts 1 and 2 did not run at the same time: they started 1h0m0s apart")

	for name, tt := range map[string]struct {
		a, b     half
		overlap  float64
		seconds  float64
		complete bool
	}{
		"at once":                        {half{0, 5 * time.Second, 1000}, half{0, 5 * time.Second, 3000}, 1, 5, true},
		"a little later":                 {half{0, 5 * time.Second, 1000}, half{200 * time.Millisecond, 5 * time.Second, 3000}, 0.96, 5.2, true},
		"too late":                       {half{0, 5 * time.Second, 1000}, half{260 * time.Millisecond, 5 * time.Second, 3000}, 0.948, 5.26, false},
		"the other one":                  {half{time.Second, 5 * time.Second, 1000}, half{0, 5 * time.Second, 3000}, 0.8, 6, false},
		"one ends sooner":                {half{0, 2 * time.Second, 1000}, half{0, 5 * time.Second, 3000}, 1, 5, true},
		"one is within":                  {half{time.Second, 2 * time.Second, 1000}, half{0, 5 * time.Second, 3000}, 1, 5, true},
		"one ends when the other begins": {half{0, 5 * time.Second, 1000}, half{4900 * time.Millisecond, 5 * time.Second, 3000}, 0.02, 9.9, false},
	} {
		parts := timedHalves(t, tt.a, tt.b)
		merged, notes, err := Merge(parts...)
		require.NoError(t, err, name)
		s := merged.Steps[0]
		require.InDelta(t, tt.overlap, *s.Overlap, 1e-9, name)
		require.InDelta(t, tt.seconds, s.Seconds, 1e-9, name)
		require.InDelta(t, 4000/tt.seconds, s.OpsPerSecond, 1e-6, name)
		require.Equal(t, tt.complete, s.Complete, name)
		require.Equal(t, min(parts[0].Steps[0].Started.UnixNano(), parts[1].Steps[0].Started.UnixNano()), s.Started.UnixNano(), name)
		require.Equal(t, !tt.complete, len(notes) == 1, name)
		again, err := merged.JSON()
		require.NoError(t, err)
		_, err = Read(again)
		require.NoError(t, err, name)
	}
}

func TestPartsThatWereApartAreTold(t *testing.T) {
	merged, notes, err := Merge(timedHalves(t, half{0, 5 * time.Second, 1000}, half{time.Second, 5 * time.Second, 3000})...)
	require.NoError(t, err)
	const why = "its parts were at work together for 80 % of the time, and at least 95 % is needed"
	require.Equal(t, []string{"the step of 2 clients, repeat 1 is not complete: " + why}, notes)
	require.Contains(t, merged.Markdown(), "The step of 2 clients is incomplete: "+why+".")
	out, err := merged.JUnit()
	require.NoError(t, err)
	require.Contains(t, string(out), why)
	merged.Steps[0].Complete = true
	require.ErrorContains(t, merged.Validate(), "it is complete, but its parts overlap for 0.8 of their time")
}

// A gap between parts is not step time.
func TestTimeLineOfSeveralParts(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
	var l timeLine
	for _, s := range []Step{
		{Started: at.Add(20 * time.Second), Seconds: 2}, {Started: at, Seconds: 5}, {Started: at.Add(4 * time.Second), Seconds: 3}, {Seconds: 0},
	} {
		l.add(s.Started, s.Seconds)
	}
	require.Equal(t, 9*time.Second, l.elapsed())
	require.Equal(t, at, l.started())
	overlap, known := l.overlap()
	require.True(t, known)
	require.Zero(t, overlap)
}
