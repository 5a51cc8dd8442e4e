package command

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

func TestRecord(t *testing.T) {
	k := newK6(t)
	var names []string
	for i, part := range []float64{1, 1.02, 0.98, 1.01} {
		r := steady(t, part)
		r.Started = r.Started.Add(time.Duration(i) * time.Hour)
		r.Gates = []report.Verdict{{Gate: "p99", Held: true, Detail: "1ms", Outcome: "held"}}
		names = append(names, fmt.Sprintf("run%d.json", i))
		k.writeReport(names[i], r)
	}
	const file, machine = "thresholds/baselines/cache.json", " of 2 steps, on Imaginary 9000 (8 cores, linux/amd64)"
	runs := func(file string) int {
		b, err := gate.ReadBaseline([]byte(k.file(file)))
		require.NoError(t, err)
		for _, r := range b.Runs {
			require.Empty(t, r.Gates)
		}

		return len(b.Runs)
	}

	out, message, code := k.run("record", names[0])
	require.Empty(t, message)
	require.Zero(t, code)
	require.Equal(t, file+": baseline of cache: 1 run"+machine+"; it takes 2 more runs to judge by it\n", out)
	require.Equal(t, 1, runs(file))

	out, message, code = k.run("record", names[1], names[2])
	require.Empty(t, message)
	require.Zero(t, code)
	require.Contains(t, out, file+": baseline of cache: 3 runs"+machine+"\n  get with 1 client: ops/s differs by 2.0 %, a gate could see 13 %")
	require.Equal(t, 3, runs(file), "they are added")

	out, message, code = k.run("record", names[1])
	require.Empty(t, out)
	require.Equal(t, names[1]+": the run of 2026-03-01T13:30:00Z is in the baseline already", message)
	require.Equal(t, 104, code)
	other := steady(t, 1)
	other.Host.Cores, other.Started = 2, other.Started.Add(-time.Hour)
	k.writeReport("other.json", other)
	_, message, code = k.run("record", "other.json")
	require.Equal(t, "other.json: it does not fit to the recorded runs: host.cores differs: 8 and 2; --force begins a new baseline", message)
	require.Equal(t, 104, code)
	require.Equal(t, 3, runs(file))

	_, message, code = k.run("record", names[3], "--last", "2")
	require.Empty(t, message)
	require.Zero(t, code)
	require.Equal(t, 2, runs(file))
	_, message, code = k.run("record", names[3], "--last", "0")
	require.Contains(t, message, "--last of 0 is impossible: it must be a positive integer")
	require.Equal(t, 104, code)

	_, message, code = k.run("record", "other.json", "--force")
	require.Empty(t, message)
	require.Zero(t, code)
	require.Equal(t, 1, runs(file))

	_, message, code = k.run("record", names[1], "-o", names[0])
	require.Equal(t, names[0]+": it is a report, and not a baseline: k6 x sweep record REPORT makes one of it", message)
	require.Equal(t, 104, code)

	k.write("b.json", "precious")
	_, message, code = k.run("record", names[0], "-o", "b.json")
	require.Contains(t, message, "b.json: not JSON")
	require.Equal(t, 104, code)
	require.Equal(t, "precious", k.file("b.json"))
}

func TestRecordRefuses(t *testing.T) {
	k := newK6(t)
	for message, change := range map[string]func(*report.Report){
		"cache is no baseline: the run was interrupted":                                     func(r *report.Report) { r.Interrupted = true },
		"cache is no baseline: get with 1 client (repeat 1): incomplete":                    func(r *report.Report) { r.Steps[0].Complete = false },
		"cache is no baseline: get with 8 clients (repeat 4): 1 of 2,001 operations failed": func(r *report.Report) { r.Steps[7].Failed = 1 },
		"cache is no baseline: the run has no steps":                                        func(r *report.Report) { r.Steps = []report.Step{} },
		`the scenario's name "../../cache" cannot be a file's: choose one with -o`:          func(r *report.Report) { r.Scenario = "../../cache" },
		`the scenario's name ".." cannot be a file's: choose one with -o`:                   func(r *report.Report) { r.Scenario = ".." },
		`the scenario's name "." cannot be a file's: choose one with -o`:                    func(r *report.Report) { r.Scenario = "." },
		`the scenario's name "a/b" cannot be a file's: choose one with -o`:                  func(r *report.Report) { r.Scenario = "a/b" },
	} {
		r := steady(t, 1)
		change(r)
		k.writeReport("run.json", r)
		out, got, code := k.run("record", "run.json")
		require.Empty(t, out)
		require.Equal(t, "run.json: "+message, got)
		require.Equal(t, 104, code)
	}
}

func TestRecordOfADisturbedRun(t *testing.T) {
	k := newK6(t)
	r := steady(t, 1)
	for i := range r.Steps {
		if r.Steps[i].Clients == 8 && r.Steps[i].Repeat%2 == 0 {
			r.Steps[i].Witness = &report.Witness{
				LimitedBy: witness.Neighbour, Why: "Others used 1 of 2 processors.", Evidence: witness.Evidence{witness.Others: 1},
			}
		}
	}
	k.writeReport("run.json", r)
	_, message, code := k.run("record", "run.json")
	require.Equal(t, "run.json: the run was disturbed: get with 8 clients was limited by neighbour: Others used 1 of 2 processors. "+
		"Measure it again, or record it with --disturbed", message)
	require.Equal(t, 104, code)
	_, message, code = k.run("record", "run.json", "--disturbed")
	require.Empty(t, message)
	require.Zero(t, code)
}
