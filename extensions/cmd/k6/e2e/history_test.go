package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHistoryOfSweeps(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			time.Sleep(180 * time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
	}))
	defer server.Close()
	// The results of two fast and two slow runs are used for three commits each.
	const commits, slow = 12, 6
	results := make([]string, commits)
	for i, path := range []string{"/", "/", "/slow", "/slow"} {
		r := k6(t, options{
			script: "testdata/history.js", env: map[string]string{"URL": server.URL + path, defaultEnvMachbase: "none"},
			environment: noWitness,
		})
		require.Equal(t, exitOK, r.code, r.output)
		raw, err := os.ReadFile(filepath.Join(r.results, "history.json"))
		require.NoError(t, err)
		for commit := range 3 {
			results[i/2*slow+i%2+2*commit] = string(raw)
		}
	}
	dir := t.TempDir()
	add := func(i int) {
		file := filepath.Join(dir, "run.json")
		require.NoError(t, os.WriteFile(file, []byte(results[i]), 0o600))
		code, out, errs := sweep(t, "history", "add", file, "--dir", dir, "--commit", fmt.Sprintf("c%d", i),
			"--time", time.Unix(int64(i), 0).UTC().Format(time.RFC3339))
		require.Zero(t, code, errs)
		require.Contains(t, out, fmt.Sprintf("history at c%d, 1 step", i))
	}
	for i := range slow {
		add(i)
	}
	code, _, errs := sweep(t, "history", "check", "--dir", dir)
	require.Equal(t, 110, code, errs)
	require.Contains(t, errs, "no series has 10 runs yet")
	for i := slow; i < commits; i++ {
		add(i)
	}
	code, out, errs := sweep(t, "history", "check", "--dir", dir, "--alpha", "0.05", "--last", "12")
	require.Equal(t, exitThreshold, code, errs)
	require.Regexp(t, `\| c6 \| .* \| p50 of get, 2 clients \| worse \d`, out)
	// Six runs on each side are too few for the default certainty.
	code, out, errs = sweep(t, "history", "check", "--dir", dir)
	require.Zero(t, code, errs)
	require.Contains(t, out, "nothing got worse")
	require.Contains(t, out, "cannot be seen in")

	code, out, errs = sweep(t, "history", "show", "--dir", dir, "--alpha", "0.05", "--format", "json")
	require.Zero(t, code, errs)
	var rows []struct {
		Figure, Commit, Before string
		Ratio                  float64
		Worse                  bool
	}
	require.NoError(t, json.Unmarshal([]byte(out), &rows))
	found := false
	for _, row := range rows {
		if row.Figure == "p50" {
			found = true
			require.Equal(t, "c6", row.Commit)
			require.Equal(t, "c5", row.Before)
			require.True(t, row.Worse)
			require.Greater(t, row.Ratio, 1.5)
		}
	}
	require.True(t, found, out)
	code, out, errs = sweep(t, "history", "show", "--dir", dir, "--format", "html")
	require.Zero(t, code, errs)
	require.Contains(t, out, "<h1>History of history</h1>")
}

func TestGitBisectFindsTheCommit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)

		return strings.TrimSpace(string(out))
	}
	git("init", "--quiet")
	const commits, broken, guilty = 8, 3, 5
	ids := make([]string, commits)
	for i := range ids {
		work := "sleep 0.2"
		if i >= guilty {
			work = "sleep 2"
		}
		built := "true"
		if i == broken {
			built = "false"
		}
		for name, text := range map[string]string{"work.sh": work, "build.sh": built, "number": fmt.Sprint(i)} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600))
		}
		git("add", ".")
		git("commit", "--quiet", "--message", fmt.Sprintf("work %d", i))
		ids[i] = git("rev-parse", "HEAD")
	}
	good := filepath.Join(t.TempDir(), "good")
	git("worktree", "add", "--quiet", good, ids[0])
	git("bisect", "start", "HEAD", ids[0])
	judge, err := filepath.Abs(filepath.Join(root, "scripts", "bisect.sh"))
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "git", "-C", dir, "bisect", "run", judge)
	cmd.Env = append(os.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true", "K6="+binary(t, "k6-race"),
		"BUILD=sh build.sh", "GATE=time=+150%", "AB=--pairs 4", "BASE=sh "+good+"/work.sh", "CHANGE=sh work.sh")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), ids[guilty]+" is the first bad commit")
}
