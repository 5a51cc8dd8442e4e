package command

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// add adds runs with a speed for the commits from to to-1.
func (k *k6) add(dir string, from, to int, speed float64) {
	k.t.Helper()
	random := rand.New(rand.NewPCG(uint64(from), 1))
	for i := from; i < to; i++ {
		r := sweep(k.t, func(r *report.Report) { r.Started = r.Started.Add(time.Duration(i) * time.Hour) },
			speed*math.Exp(0.01*random.NormFloat64()))
		k.writeReport("run.json", r)
		_, message, code := k.run("history", "add", "run.json", "--dir", dir, "--commit", fmt.Sprintf("c%d", i),
			"--time", time.Unix(int64(i), 0).UTC().Format(time.RFC3339), "--subject", fmt.Sprintf("change %d", i))
		require.Empty(k.t, message)
		require.Zero(k.t, code)
	}
}

func TestHistory(t *testing.T) {
	k, dir := newK6(t), t.TempDir()
	k.add(dir, 0, 4, 1)
	_, message, code := k.run("history", "check", "--dir", dir)
	require.Equal(t, "no series has 10 runs yet, which is what a change takes", message)
	require.Equal(t, 110, code)

	k.add(dir, 4, 20, 1)
	out, message, code := k.run("history", "check", "--dir", dir)
	require.Empty(t, message)
	require.Zero(t, code)
	require.Regexp(t, `^nothing got worse: \d+ figures judged\n`+
		`cache, setup [0-9a-f]{8}: Changes below \d\.\d % cannot be seen in [^,]+ of get, \d clients?, nor any below \d+\.\d % in .+\.\n$`, out)

	k.add(dir, 20, 32, 0.9)
	out, message, code = k.run("history", "check", "--dir", dir)
	require.Regexp(t, `^\d+ figures got worse in the last 20 commits$`, message)
	require.Equal(t, 99, code)
	require.Regexp(t, `(?m)^\| c20 \| change 20 \| ops/s of get, 1 client \| worse 0\.\d{3}x \(0\.\d{3} to 0\.\d{3}\) \| (after c19|one of 2) \|$`, out)

	out, message, code = k.run("history", "check", "--dir", dir, "--last", "8")
	require.Empty(t, message, "it began before")
	require.Zero(t, code, out)
	out, _, code = k.run("history", "check", "--dir", dir, "--least", "30%")
	require.Zero(t, code, out)

	out, _, code = k.run("history", "show", "--dir", dir, "--format", "json")
	require.Zero(t, code)
	var rows []historyRow
	require.NoError(t, json.Unmarshal([]byte(out), &rows))
	require.NotEmpty(t, rows)
	require.Equal(t, "c20", rows[0].Commit)
	require.InDelta(t, 0.9, math.Min(rows[0].Ratio, 1/rows[0].Ratio), 0.02)

	out, _, code = k.run("history", "show", "--dir", dir)
	require.Zero(t, code)
	require.Contains(t, out, "32 runs of 32 commits")
	_, _, code = k.run("history", "show", "--dir", dir, "--format", "html", "-o", "history.html")
	require.Zero(t, code)
	require.Contains(t, k.file("history.html"), "<h1>History of cache</h1>")

	// A regression that was repaired does not fail the check.
	k.add(dir, 32, 44, 1)
	_, message, code = k.run("history", "check", "--dir", dir, "--last", "40")
	require.Empty(t, message)
	require.Zero(t, code)
}

func TestHistoryKeepsARunOnce(t *testing.T) {
	k, dir := newK6(t), t.TempDir()
	k.writeReport("run.json", sweep(t, nil, 1))
	args := []string{"history", "add", "run.json", "--dir", dir, "--commit", "abc", "--time", "2026-03-01T12:00:00Z"}
	out, _, _ := k.run(args...)
	require.Equal(t, filepath.Join(dir, "history.jsonl")+": cache at abc, 2 steps\n", out)
	out, message, code := k.run(args...)
	require.Equal(t, filepath.Join(dir, "history.jsonl")+": cache at abc is there already\n", out)
	require.Empty(t, message)
	require.Zero(t, code)
}

func TestHistoryThatCannotBeRead(t *testing.T) {
	k, dir := newK6(t), t.TempDir()
	k.writeReport("run.json", sweep(t, nil, 1))
	for want, args := range map[string][]string{
		"there are no runs: k6 x sweep history add adds some":                      {"check"},
		"--least 2 is impossible: it must be from 0% and below 100%, such as 2%":   {"check", "--least", "2"},
		"--alpha 0 is impossible: it must be above 0 and below 1, such as 0.001":   {"show", "--alpha", "0"},
		"--last 0 is impossible: it must be a positive integer":                    {"check", "--last", "0"},
		`unknown format "csv": it must be one of html, json, md`:                   {"show", "--format", "csv"},
		`a time of "today" is impossible: it must be such as 2026-03-01T12:00:00Z`: {"add", "run.json", "--commit", "a", "--time", "today"},
		"--time is for a commit that git does not know: name it with --commit":     {"add", "run.json", "--time", "2026-03-01T12:00:00Z"},
		"the commit no-such-commit is not known":                                   {"add", "run.json", "--commit", "no-such-commit"},
		"add needs at least one run":                                               {"add"},
		"show needs no argument":                                                   {"show", "x"},
	} {
		_, message, code := k.run(append(append([]string{"history"}, args...), "--dir", dir)...)
		require.Contains(t, message, want, args)
		require.Equal(t, 104, code, args)
	}
	_, message, _ := k.run("history", "shew")
	require.Contains(t, message, `unknown command "shew"`)
}
