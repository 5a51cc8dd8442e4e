package report_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// madeUp makes a run of 1 and 8 clients with the rates as repeats.
func madeUp(change func(*report.Report), rates ...float64) *report.Report {
	r := &report.Report{
		Schema: report.Schema, Scenario: "cache", K6: "v2.2.0",
		Host:   report.Host{CPU: "Imaginary 9000", Cores: 8, OS: "linux/amd64"},
		Target: map[string]any{"kind": "memcached", "version": "1.6.38"}, Params: map[string]any{"warmup": "2s", "results": "a"},
	}
	for _, clients := range []int{1, 8} {
		for i, rate := range rates {
			ms := 1000 * float64(clients) / rate
			r.Steps = append(r.Steps, report.Step{
				Clients: clients, Repeat: i + 1, Op: "get", Operations: 100_000, Complete: true, OpsPerSecond: rate * float64(clients),
				Seconds: 100_000 / rate / float64(clients), Latency: report.LatencyMs{P50: ms, P99: 3 * ms},
			})
		}
	}
	if change != nil {
		change(r)
	}

	return r
}

func TestRatiosAndVerdicts(t *testing.T) {
	c, err := report.NewBeside([]report.NamedRun{
		{"old", madeUp(nil, 100, 101, 102, 103)},
		{"fast", madeUp(nil, 120, 121, 122, 123)},
		{"slow", madeUp(nil, 80, 81, 82, 83)},
		{"alike", madeUp(nil, 100.5, 101.5, 100, 103)},
		{"once", madeUp(nil, 120)},
		{"failed", madeUp(func(r *report.Report) { r.Steps[0].Failed = 3 }, 100, 101, 102, 103)},
	})
	require.NoError(t, err)
	require.Len(t, c.Steps, 2)
	cells := c.Steps[0].Cells[0]
	require.Empty(t, cells[0].Verdict)
	require.InDelta(t, 101.5, cells[0].Median, 1e-9)
	require.Equal(t, "1.197x (1.173 to 1.222) better", cells[1].Text())
	require.Equal(t, report.Worse, cells[2].Verdict)
	require.True(t, cells[2].LostTo)
	require.Less(t, cells[2].High, 1.0)
	require.Equal(t, report.Same, cells[3].Verdict)
	require.True(t, cells[3].Low < 1 && cells[3].High > 1)
	require.Equal(t, report.Undecided, cells[4].Verdict)
	require.Equal(t, "1.182x ?", cells[4].Text())
	require.False(t, cells[4].Sure())
	require.Equal(t, report.NotComparable, cells[5].Verdict)
	require.Equal(t, "3 failed (repeat 1) in new", cells[5].Reason)
	require.Equal(t, report.Worse, c.Steps[1].Cells[2][2].Verdict)

	require.Equal(t, []report.BesideWarning{{"failed", "3 operations failed"}}, c.Warnings)
	require.Equal(t, "of 6 figures, 6 better, 0 worse, 0 alike, 0 that cannot be judged; best: p50 of get, 1 client, 0.835x", c.Summary(1))
	require.Equal(t, []string{
		"too few repeats: ops/s of get, 1 client in once, and 5 more",
		"3 failed (repeat 1) in new: ops/s of get, 1 client in failed, and 2 more",
	}, c.Reasons())
	require.Contains(t, c.Markdown(), "| step           |   old |  fast |                     fast / old |")
	require.Contains(t, c.Markdown(), "| get, 8 clients | 812/s | 972/s | 1.197x (1.173 to 1.222) better |")
}

// Parameters come first; the results folder is left out.
func TestWhatDiffers(t *testing.T) {
	c, err := report.NewBeside([]report.NamedRun{
		{"a", madeUp(nil, 100)},
		{"b", madeUp(func(r *report.Report) {
			r.Scenario, r.Params["results"], r.Params["keys"] = "cache-redis", "b", 10
			r.Target["kind"], r.Host.Cores = "redis", 4
			r.Started = time.Now()
			r.Fingerprint = &report.Fingerprint{Go: "go1.26", Build: "abc"}
		}, 100)},
	})
	require.NoError(t, err)
	var facts []string
	for _, f := range c.Facts {
		facts = append(facts, f.Name+": "+f.Values[0].Short()+", "+f.Values[1].Short())
	}
	require.Equal(t, []string{
		"scenario: cache, cache-redis", "params.keys: , 10", "target.kind: memcached, redis", "host.cores: 8, 4",
		"fingerprint.build: , abc", "fingerprint.go: , go1.26",
	}, facts)
	require.Equal(t, report.Undecided, c.Steps[0].Cells[0][1].Verdict, "scenarios of two names are compared")
	require.Contains(t, c.Markdown(), "| params.keys       |         - |          10 |")
}

func TestRunsThatCannotStandSideBySide(t *testing.T) {
	one := report.NamedRun{Name: "a", Report: madeUp(nil, 100)}
	nine := make([]report.NamedRun, 9)
	for i := range nine {
		nine[i] = report.NamedRun{Name: fmt.Sprint(i), Report: one.Report}
	}
	for want, runs := range map[string][]report.NamedRun{
		"1 runs cannot be set side by side: it must be from 2 to 8":         {one},
		"9 runs cannot be set side by side: it must be from 2 to 8":         nine,
		`two runs have the name "a": names tell them apart`:                 {one, one},
		"there is nothing to set side by side: none of the runs has a step": {{"a", madeUp(nil)}, {"b", madeUp(nil)}},
	} {
		_, err := report.NewBeside(runs)
		require.EqualError(t, err, want)
	}
}

func TestStepsThatNotAllRunsHave(t *testing.T) {
	c, err := report.NewBeside([]report.NamedRun{
		{"a", madeUp(func(r *report.Report) { r.Steps = r.Steps[:4] }, 100, 101, 102, 103)},
		{"b", madeUp(func(r *report.Report) { r.Steps = r.Steps[4:] }, 100, 101, 102, 103)},
	})
	require.NoError(t, err)
	require.Len(t, c.Steps, 2)
	require.Equal(t, 1, c.Steps[0].Clients)
	require.Contains(t, c.Steps[0].Cells[0][1].Reason, "missing in new")
	require.Contains(t, c.Steps[1].Cells[0][1].Reason, "missing in new", "one reason stands for all")
}

func TestVariantsWithinAReport(t *testing.T) {
	r := madeUp(func(r *report.Report) {
		for i := range r.Steps {
			r.Steps[i].Variant = []string{"machgo", "native"}[i%2]
			r.Steps[i].Op = r.Steps[i].Variant
		}
	}, 100, 120, 101, 121, 102, 122, 103, 123)
	runs := r.Variants()
	require.Len(t, runs, 2)
	require.Equal(t, "machgo", runs[0].Name)
	require.Len(t, runs[0].Report.Steps, 8)
	require.Equal(t, report.Key{Op: "cache", Clients: 1}, runs[1].Report.Steps[0].Key())
	require.Equal(t, "machgo", r.Steps[0].Op, "the report stays as it is")
	c, err := report.NewBeside(runs)
	require.NoError(t, err)
	require.Equal(t, report.Better, c.Steps[0].Cells[0][1].Verdict)

	require.Nil(t, madeUp(nil, 100).Variants())
	r.Duets = []report.Duet{{}}
	require.Nil(t, r.Variants(), "a duet has ratios of its own")
}

func TestSigns(t *testing.T) {
	for verdict, want := range map[string]string{
		report.Better: "better", report.Worse: "worse", report.Same: "~", report.NotComparable: "?", "undecided": "?", "": "",
	} {
		require.Equal(t, want, (&report.BesideCell{Verdict: verdict}).Text(), verdict)
	}
}
