package command

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestCompare(t *testing.T) {
	k := newK6(t)
	k.writeReport("old.json", steady(t, 1))
	k.writeReport("same.json", steady(t, 1))
	k.writeReport("slower.json", steady(t, 0.9))
	k.writeReport("less.json", sweep(t, func(r *report.Report) { r.Steps = r.Steps[:4] }, 1, 1.01, 0.99, 1.005))
	k.writeReport("once.json", sweep(t, nil, 0.5))
	k.writeReport("empty.json", sweep(t, func(r *report.Report) { r.Steps = []report.Step{} }))

	for _, tt := range []struct {
		golden  string
		args    []string
		message string
		code    int
	}{
		{"compare-same.txt", []string{"old.json", "same.json"}, "", 0},
		{"compare-slower.txt", []string{"old.json", "slower.json"}, "slower.json: worse than old.json", 99},
		{"compare-tolerated.txt", []string{"old.json", "slower.json", "--tolerance", "20%"}, "", 0},
		{"compare-less.txt", []string{"old.json", "less.json"}, "less.json: worse than old.json", 99},
		{"compare-once.txt", []string{"old.json", "once.json"}, "once.json: some figures cannot be judged beside old.json", 110},
		{"compare-several.txt", []string{"old.json", "less.json", "same.json", "slower.json"}, "less.json, slower.json: worse than old.json", 99},
		{"compare-several.json", []string{"--json", "old.json", "same.json", "slower.json"}, "slower.json: worse than old.json", 99},
	} {
		out, message, code := k.run(append([]string{"compare"}, tt.args...)...)
		require.Equal(t, tt.message, message)
		require.Equal(t, tt.code, code)
		requireGolden(t, tt.golden, out)
		if tt.golden == "compare-several.json" {
			var back []report.Comparison
			require.NoError(t, json.Unmarshal([]byte(out), &back))
			require.Len(t, back, 2)
			require.Equal(t, "slower.json", back[1].New.Name)
		}
	}

	failed := steady(t, 1)
	for i := range failed.Steps {
		failed.Steps[i].Failed = 1
	}
	k.writeReport("failed.json", failed)
	k.writeReport("queue.json", sweep(t, func(r *report.Report) { r.Scenario = "queue" }, 1))
	k.writeReport("cut.json", sweep(t, func(r *report.Report) { r.Interrupted = true }, 1, 1.01, 0.99, 1.005))
	_, got, code := k.run("compare", "old.json", "cut.json")
	require.Equal(t, "cut.json: worse than old.json", got)
	require.Equal(t, 99, code)

	for message, args := range map[string][]string{
		"old.json and failed.json: no step can be compared, such as get, 1 client: 1 failed (repeat 1) in new":                 {"old.json", "failed.json"},
		`old.json and queue.json: the runs are of different scenarios, "cache" and "queue": only those of one can be compared`: {"old.json", "queue.json"},
		"old.json and empty.json: there is nothing to compare: the new run has no steps":                                       {"old.json", "empty.json"},
		"empty.json and old.json: there is nothing to compare with: the old run has no steps":                                  {"empty.json", "old.json"},
	} {
		out, got, code := k.run(append([]string{"compare"}, args...)...)
		require.Empty(t, out)
		require.Equal(t, message, got)
		require.Equal(t, 104, code)
	}
}
