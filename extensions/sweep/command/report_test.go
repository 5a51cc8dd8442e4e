package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestReport(t *testing.T) {
	k := newK6(t)
	r := sweep(t, nil, 1)
	k.writeReport("run.json", r)
	table, message, code := k.run("report", "run.json")
	require.Empty(t, message)
	require.Zero(t, code)
	require.Equal(t, r.Markdown(), table)

	for _, f := range report.Formats {
		want, err := r.Render(f.Name)
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
