package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
)

func TestReport(t *testing.T) {
	k := newK6(t)
	r := sweep(t, nil, 1)
	k.writeReport("run.json", r)
	table, message, code := k.run("report", "run.json")
	require.Empty(t, message)
	require.Zero(t, code)
	require.Equal(t, r.Markdown(), table)

	for _, f := range page.Formats {
		want, err := f.Render(r)
		require.NoError(t, err)
		out, message, code := k.run("report", "run.json", "--format", f.Name)
		require.Empty(t, message)
		require.Zero(t, code)
		require.Equal(t, string(want), out, f.Name)
	}

	out, message, code := k.run("report", "run.json", "--format", "html", "-o", "pages/run.html")
	require.Empty(t, out)
	require.Empty(t, message)
	require.Zero(t, code)
	require.True(t, strings.HasPrefix(strings.ToLower(k.file("pages/run.html")), "<!doctype html>"))
}

func TestReportInAnAddedFormat(t *testing.T) {
	before := page.Formats
	t.Cleanup(func() { page.Formats = before })
	page.Formats = append(page.Formats[:len(before):len(before)], page.Format{
		Name: "words", Suffix: ".words.txt", Help: "what was run, in words",
		Render: func(r *report.Report) ([]byte, error) { return []byte("a run of " + r.Scenario), nil },
	})
	k := newK6(t)
	r := sweep(t, nil, 1)
	k.writeReport("run.json", r)

	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"report", "run.json", "--format", "words"}, "a run of " + r.Scenario},
		{[]string{"report", "--help"}, "\n  words   what was run, in words\n"},
		{[]string{"report", "--help"}, "format: bench, csv, github, html, json, junit, md, words"},
		{[]string{"report", "--list"}, "\nwords .words.txt\n"},
		{[]string{"report", "run.json", "--all"}, r.Markdown()},
	} {
		out, message, code := k.run(tt.args...)
		require.Empty(t, message)
		require.Zero(t, code)
		require.Contains(t, out, tt.want)
	}
	require.Equal(t, "a run of "+r.Scenario, k.file("run.words.txt"))

	_, message, _ := k.run("report", "run.json", "--format", "word")
	require.Contains(t, message, "must be one of bench, csv, github, html, json, junit, md, words")
}

func TestReportInAllFormats(t *testing.T) {
	k := newK6(t)
	r := sweep(t, nil, 1)
	k.writeReport("runs/run.json", r)
	out, message, code := k.run("report", "runs/run.json", "--all")
	require.Empty(t, message)
	require.Zero(t, code)
	require.Equal(t, r.Markdown(), out)
	for _, f := range page.Formats {
		want, err := f.Render(r)
		require.NoError(t, err)
		if f.Asked {
			exists, err := fsext.Exists(k.gs.FS, "runs/run"+f.Suffix)
			require.NoError(t, err)
			require.False(t, exists, f.Name)
			out, _, code := k.run("report", "runs/run.json", "--format", f.Name)
			require.Zero(t, code)
			require.Equal(t, string(want), out)

			continue
		}
		require.Equal(t, string(want), k.file("runs/run"+f.Suffix))
	}

	for _, args := range [][]string{
		{"report", "runs/run.json", "--all", "-o", "x"},
		{"report", "runs/run.json", "--all", "--format", "md"},
		{"report", "runs/run.json", "--list"},
		{"report", "--all"},
	} {
		_, message, code := k.run(args...)
		require.NotEmpty(t, message, args)
		require.Equal(t, 104, code, args)
	}
}

func TestNamesOfRunsAreWhatTellsThemApart(t *testing.T) {
	for _, of := range []struct{ files, want []string }{
		{[]string{"a.json", "results/b.json"}, []string{"a", "b"}},
		{[]string{"a/sweep.json", "b/sweep.json"}, []string{"a", "b"}},
		{[]string{"/tmp/r/a/x/sweep.json", "/tmp/r/b/x/sweep.json", "/tmp/r/c/x/sweep.json"}, []string{"a", "b", "c"}},
		{[]string{"r/a/x.json", "r/a/y.json", "r/b/x.json"}, []string{"a/x", "a/y", "b/x"}},
		{[]string{"sweep.json", "old/sweep.json"}, []string{"sweep", "old/sweep"}},
		{[]string{"./sweep.json", "../sweep.json"}, []string{"sweep", "../sweep"}},
		{[]string{"a/sweep.json", "a/old/sweep.json"}, []string{"sweep", "old/sweep"}},
		{[]string{"sweep.json", "sweep.html"}, []string{"sweep.json", "sweep.html"}},
		{[]string{"a/sweep.json", "a/sweep.json"}, []string{"a/sweep.json", "a/sweep.json"}},
	} {
		require.Equal(t, of.want, runNames(of.files), of.files)
	}
}
