package command

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestRecord(t *testing.T) {
	k := newK6(t)
	r := steady(t, 1)
	plain, err := r.JSON()
	require.NoError(t, err)
	r.Gates = []report.Verdict{{Gate: "p99", Held: true, Detail: "1ms"}}
	k.writeReport("run.json", r)

	out, message, code := k.run("record", "run.json")
	require.Empty(t, message)
	require.Zero(t, code)
	require.Equal(t,
		"thresholds/baselines/cache.json: baseline of cache: 2 steps, 4 repeats on Imaginary 9000 (8 cores, linux/amd64)\n", out)
	require.Equal(t, string(plain), k.file("thresholds/baselines/cache.json"), "the run without its gates")

	k.write("thresholds/baselines/cache.json", "precious")
	out, message, code = k.run("record", "run.json")
	require.Empty(t, out)
	require.Equal(t, "thresholds/baselines/cache.json: there is a baseline already: --force replaces it", message)
	require.Equal(t, 104, code)
	require.Equal(t, "precious", k.file("thresholds/baselines/cache.json"))

	_, message, code = k.run("record", "run.json", "--force")
	require.Empty(t, message)
	require.Zero(t, code)
	require.Equal(t, string(plain), k.file("thresholds/baselines/cache.json"))

	more := sweep(t, nil, 1, 2, 3, 4, 5)
	more.Steps = more.Steps[:9]
	k.writeReport("more.json", more)
	out, _, code = k.run("record", "more.json", "-o", "elsewhere/b.json")
	require.Zero(t, code)
	require.Equal(t, "elsewhere/b.json: baseline of cache: 2 steps, 4 to 5 repeats on Imaginary 9000 (8 cores, linux/amd64)\n", out)
}

func TestRecordRefuses(t *testing.T) {
	k := newK6(t)
	for message, change := range map[string]func(*report.Report){
		"cache is no baseline: the run was interrupted":                                        func(r *report.Report) { r.Interrupted = true },
		"cache is no baseline: get with 1 client (repeat 1): incomplete":                       func(r *report.Report) { r.Steps[0].Complete = false },
		"cache is no baseline: get with 8 clients (repeat 4): 1 of 2,001 operations failed":    func(r *report.Report) { r.Steps[7].Failed = 1 },
		"cache is no baseline: the run has no steps":                                           func(r *report.Report) { r.Steps = []report.Step{} },
		"cache is no baseline: get with 8 clients was run with 3 repeats, it needs at least 4": func(r *report.Report) { r.Steps = r.Steps[:7] },
		`the scenario's name "../../cache" cannot be a file's: choose one with -o`:             func(r *report.Report) { r.Scenario = "../../cache" },
		`the scenario's name ".." cannot be a file's: choose one with -o`:                      func(r *report.Report) { r.Scenario = ".." },
		`the scenario's name "." cannot be a file's: choose one with -o`:                       func(r *report.Report) { r.Scenario = "." },
		`the scenario's name "a/b" cannot be a file's: choose one with -o`:                     func(r *report.Report) { r.Scenario = "a/b" },
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
