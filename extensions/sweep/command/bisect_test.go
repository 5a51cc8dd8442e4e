package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/history/store"
)

// bisectable is a repository of ten commits: from the guilty one on, work takes longer. The test is
// in its folder.
func bisectable(t *testing.T, guilty int) (commits []string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	git := func(args ...string) string {
		out, err := store.Git(t.Context(), dir, []string{
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
		}, nil, args...)
		require.NoError(t, err)

		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	for i := range 10 {
		sleep := "0.02"
		if i >= guilty {
			sleep = "0.2"
		}
		broken := ""
		if i == 4 {
			broken = "exit 3"
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "work.sh"), []byte("# "+fmt.Sprint(i)+"\nsleep "+sleep+"\n"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "build.sh"), []byte(broken+"\ncp work.sh built.sh\n"), 0o600))
		git("add", ".")
		git("commit", "-qm", fmt.Sprintf("change %d", i))
		commits = append(commits, git("rev-parse", "HEAD"))
	}

	return commits
}

func TestBisect(t *testing.T) {
	commits := bisectable(t, 7)
	k := newK6(t)
	out, message, code := k.run("bisect", commits[0], "HEAD", "--figure", "time", "--build", "sh build.sh", "--", "sh", "{}/built.sh")
	require.Empty(t, message, k.errOut.String())
	require.Zero(t, code)
	require.Regexp(t, `^`+commits[7]+` change 7\nthe change is \+\d+\.\d % \(\+\d+\.\d to \+\d+\.\d %\), found with \d+ pairs\n$`, out)
	require.Contains(t, k.errOut.String(), "8 commits between")
	worktrees, err := store.Git(t.Context(), ".", nil, nil, "worktree", "list")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(worktrees), "\n"), "the checkouts are gone")
}

// With {base} in the command, one run of it measures both commits, as a duet.
func TestBisectByDuets(t *testing.T) {
	template, err := filepath.Abs("../report/testdata/duet.json")
	require.NoError(t, err)
	commits := bisectable(t, 7)
	// A guilty build is 10 times slower than another, give or take a little.
	const duet = `now=$(sed -n 's/sleep //p' %[1]s/work.sh) then=$(sed -n 's/sleep //p' %[2]s/work.sh)
awk -v n=$now -v t=$then -v pid=$$ '
	BEGIN { ratio = t / n * (1 + (pid %% 7 - 3) / 1000) }
	{ sub(/"ratio": 1\.031/, "\"ratio\": " ratio); sub(/"low": 1\.024/, "\"low\": " 0.99 * ratio); sub(/"high": 1\.0380477/, "\"high\": " ratio / 0.99) }
	1' '%[3]s' >$SWEEP_RESULTS/run.json`
	k := newK6(t)
	out, message, code := k.run("bisect", commits[0], "HEAD", "--", "sh", "-c", fmt.Sprintf(duet, "{}", "{base}", template))
	require.Empty(t, message, k.errOut.String())
	require.Zero(t, code)
	require.Regexp(t, `^`+commits[7]+` change 7\nthe change is -90\.\d % \(-90\.\d to -(89|90)\.\d %\), found with \d+ pairs\n$`, out)
	worktrees, err := store.Git(t.Context(), ".", nil, nil, "worktree", "list")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(worktrees), "\n"), "the checkouts are gone")
}

func TestBisectGivesUp(t *testing.T) {
	commits := bisectable(t, 4)
	k := newK6(t)
	// Commit 4 cannot be built: the change is in it or in commit 5.
	out, message, code := k.run("bisect", commits[3], commits[5], "--figure", "time", "--build", "sh build.sh", "--", "sh", "{}/built.sh")
	require.Equal(t, "none of the 1 commits in between can be measured", message)
	require.Equal(t, 110, code)
	require.Equal(t, "it is one of 2 commits, after "+commits[3]+" and up to "+commits[5]+"\n", out)

	_, message, code = k.run("bisect", commits[0], commits[2], "--figure", "time", "--pairs", "6", "--", "sh", "{}/work.sh")
	require.Contains(t, message, "the two ends cannot be told apart")
	require.Equal(t, 110, code)

	for want, args := range map[string][]string{
		"bisect needs a good commit, a bad one and, after --, a command": {commits[0], commits[1]},
		"5 pairs are too few: an interval takes at least 6":              {commits[0], commits[1], "--pairs", "5", "--", "true"},
		"the good commit nothing":                                        {"nothing", "HEAD", "--", "true"},
		"is not a later commit than":                                     {"HEAD", "HEAD", "--", "true"},
		"exit code 1":                                                    {commits[0], commits[1], "--", "false"},
		"there is no figure p98: it must be one of cpu; time":            {commits[0], commits[1], "--figure", "p98", "--", "true"},
	} {
		_, message, code := k.run(append([]string{"bisect"}, args...)...)
		require.Contains(t, message, want)
		require.Equal(t, 104, code, message)
	}
}
