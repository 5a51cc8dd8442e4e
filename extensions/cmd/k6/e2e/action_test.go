package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

type action struct {
	Inputs map[string]struct {
		Default  string
		Required bool
	}
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Steps []struct {
			Name, If, Shell, Run string
			Env                  map[string]string
		}
	}
}

// checkout is a clone of a repository: base's scenario is on main, change's at HEAD.
type checkout struct {
	folder string
	// temp is the runner's folder; gh writes its arguments there.
	temp   string
	server string
}

// comments is a fake gh that prints the numbers of the comments in the file id, if any. With a
// read-only token it writes nothing.
const comments = `#!/bin/sh
case "$*" in
*--method*) [ ! -f "$RUNNER_TEMP/read-only" ] || { echo "gh: Resource not accessible by integration (HTTP 403)" >&2; exit 1; } ;;
esac
case "$*" in
*--paginate*) cat "$RUNNER_TEMP/id" 2>/dev/null || true ;;
*) echo "$@" >>"$RUNNER_TEMP/gh-arguments"; cat >"$RUNNER_TEMP/comment" ;;
esac
`

func sweepOfMs(ms int) string {
	return fmt.Sprintf(`import { sleep } from 'k6';
import sweep from 'k6/x/sweep';
export const options = sweep.options({ scenario: 'work', clients: [1], iterations: 30, warmup: '0s', pause: '0s' });
const password = __ENV.PASSWORD; // so that k6 takes it
export default function () { sweep.run(() => sleep(%d / 1000)); }
export const handleSummary = (data) => sweep.report(data);
`, ms)
}

func checkedOut(t *testing.T, base, change string) *checkout {
	t.Helper()
	dir := t.TempDir()
	c := &checkout{folder: filepath.Join(dir, "clone"), temp: filepath.Join(dir, "temp")}
	require.NoError(t, os.MkdirAll(filepath.Join(c.temp, "bin"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(c.temp, "bin", "gh"), []byte(comments), 0o755))
	origin := filepath.Join(dir, "origin")
	git := func(folder string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	commit := func(folder, script string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "work.js"), []byte(script), 0o600))
		git(folder, "add", ".")
		git(folder, "commit", "--quiet", "--message", "work")
	}
	require.NoError(t, os.Mkdir(origin, 0o755))
	git(origin, "init", "--quiet", "--initial-branch", "main")
	commit(origin, base)
	git(dir, "clone", "--quiet", origin, c.folder)
	commit(c.folder, change)

	return c
}

var inputOf = regexp.MustCompile(`\$\{\{ (.*?) \}\}`)

func (c *checkout) run(t *testing.T, with map[string]string) (output string, code int) {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join(root, ".github/actions/sweep"))
	require.NoError(t, err)
	raw, err := os.ReadFile(filepath.Join(folder, "action.yml"))
	require.NoError(t, err)
	var a action
	require.NoError(t, yaml.Unmarshal(raw, &a))

	values := map[string]string{"runner.temp": c.temp, "github.token": "secret", "github.event.pull_request.number": "12"}
	for name, input := range a.Inputs {
		value, given := with[name]
		require.True(t, given || !input.Required, name)
		if !given {
			value = inputOf.ReplaceAllStringFunc(input.Default, func(s string) string { return values[s[4:len(s)-3]] })
		}
		values["inputs."+name] = value
	}
	for _, output := range a.Outputs {
		require.Regexp(t, `^\$\{\{ steps\.compare\.outputs\.[a-z-]+ \}\}$`, output.Value)
	}
	for _, step := range a.Runs.Steps {
		require.Equal(t, "bash", step.Shell)
		cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		cmd.Dir = c.folder
		cmd.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+folder, "GITHUB_BASE_REF=main", "GITHUB_REPOSITORY=a/b", "RUNNER_TEMP="+c.temp,
			"GITHUB_STEP_SUMMARY="+filepath.Join(c.temp, "page"), "GITHUB_OUTPUT="+filepath.Join(c.temp, "output"),
			"GITHUB_SERVER_URL="+c.server, "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "PATH="+filepath.Join(c.temp, "bin")+":"+os.Getenv("PATH"))
		for name, value := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+inputOf.ReplaceAllStringFunc(value, func(s string) string {
				known, is := values[s[4:len(s)-3]]
				require.True(t, is, s)

				return known
			}))
		}
		if code != 0 && !strings.HasPrefix(step.If, "always()") {
			continue
		}
		out, err := cmd.CombinedOutput()
		output += string(out)
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			require.NoError(t, err)
		}
		if code == 0 {
			code = cmd.ProcessState.ExitCode()
		}
	}

	return output, code
}

func (c *checkout) read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(c.temp, name))
	require.NoError(t, err)

	return string(raw)
}

func TestActionComparesAChangeWithItsBase(t *testing.T) {
	t.Parallel()
	with := map[string]string{
		"scenario": "work.js", "precision": "", "pairs": "4", "gates": "mean=+99%",
		"build": "mkdir -p bin && ln -sf " + withoutRace(t) + " bin/k6", "arguments": "-e PASSWORD=manager",
	}
	t.Run("slower", func(t *testing.T) {
		t.Parallel()
		c := checkedOut(t, sweepOfMs(20), sweepOfMs(100))
		require.NoError(t, os.WriteFile(filepath.Join(c.temp, "id"), []byte("77\n"+strings.Repeat("78\n", 100_000)), 0o600))
		out, code := c.run(t, with)
		require.Equal(t, exitThreshold, code, out)
		require.Regexp(t, `(?m)^::error file=work.js,title=CROSSED mean=\+99%25::.*CROSSED mean=\+99%25`, out)
		comment := c.read(t, "comment")
		require.True(t, strings.HasPrefix(comment, "<!-- xk6-sweep work.js -->\n### :x: work.js: worse than its base"), comment)
		require.Contains(t, comment, "CROSSED mean=+99%")
		require.NotContains(t, comment, password)
		require.LessOrEqual(t, strings.Count(comment, "\n"), 61)
		require.Equal(t, comment, "<!-- xk6-sweep work.js -->\n"+c.read(t, "page"))
		require.Contains(t, c.read(t, "gh-arguments"), "--method PATCH repos/a/b/issues/comments/77 ", "the first of several")
		require.Equal(t, "verdict=crossed\nexit-code=99\nreport="+filepath.Join(c.temp, "sweep-summary.md")+"\n", c.read(t, "output"))
		worktrees, err := exec.Command("git", "-C", c.folder, "worktree", "list").Output()
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(worktrees), "\n"), "nothing is left behind")
	})
	t.Run("same", func(t *testing.T) {
		t.Parallel()
		c := checkedOut(t, sweepOfMs(100), sweepOfMs(100)+"// the same\n")
		out, code := c.run(t, with)
		require.Equal(t, exitOK, code, out)
		require.NotContains(t, out, "::error")
		require.Contains(t, c.read(t, "comment"), "### :white_check_mark: work.js: no worse than its base")
		require.Contains(t, c.read(t, "gh-arguments"), "--method POST repos/a/b/issues/12/comments")
	})
	t.Run("does not build", func(t *testing.T) {
		t.Parallel()
		c := checkedOut(t, sweepOfMs(1), sweepOfMs(2))
		broken := map[string]string{"scenario": "work.js", "build": "exit 7"}
		out, code := c.run(t, broken)
		require.Equal(t, 7, code, out)
		require.Contains(t, out, "::error file=work.js,title=not compared::")
		require.Contains(t, c.read(t, "comment"), "could not be compared (exit code 7)")
		require.Contains(t, c.read(t, "output"), "verdict=failed\nexit-code=7\n")
	})
}

func TestActionRunsADuetOfTwoServers(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("testdata/gated-duet.js")
	require.NoError(t, err)
	c := checkedOut(t, "", string(script)+"if (!__ENV.BASE_URL || !__ENV.MACHBASE_URL) throw new Error('no servers');\n")
	require.NoError(t, os.WriteFile(filepath.Join(c.folder, "gates.json"), []byte(
		`{"scenario": "work", "undecided": "pass", "relative": {"opsPerSecond": "-50%"}}`), 0o600))
	out, code := c.run(t, map[string]string{
		"scenario": "work.js", "base": "machbase://sys:" + password + "@old:5656", "change": "MACHBASE_URL=machbase://sys:" + password + "@new:5656",
		"gates": "gates.json", "arguments": "-e MS=25", "build": "mkdir -p bin && ln -sf " + withoutRace(t) + " bin/k6",
	})
	require.Equal(t, exitThreshold, code, out)
	require.Contains(t, out, "::error file=gates.json,title=crossed%3A ops/s of every step >= 0.5x of base")
	require.NotContains(t, out, password)
	comment := c.read(t, "comment")
	require.Contains(t, comment, "\n### :x: work: ")
	require.Contains(t, comment, "**crossed** `ops/s of every step >= 0.5x of base")
	require.NotContains(t, comment, password)
	require.Contains(t, c.read(t, "output"), "verdict=crossed\n")
}

func released(t *testing.T, checksum string) string {
	t.Helper()
	program := "#!/bin/sh\nexec " + withoutRace(t) + " \"$@\"\n"
	var archive bytes.Buffer
	packed := gzip.NewWriter(&archive)
	files := tar.NewWriter(packed)
	require.NoError(t, files.WriteHeader(&tar.Header{Name: "k6", Mode: 0o755, Size: int64(len(program))}))
	_, err := files.Write([]byte(program))
	require.NoError(t, errors.Join(err, files.Close(), packed.Close()))
	if checksum == "" {
		checksum = fmt.Sprintf("%x", sha256.Sum256(archive.Bytes()))
	}
	const release, name = "/xk6-sweep/xk6-sweep/releases/download/v0.1.0/", "xk6-sweep-v0.1.0-linux-amd64.tar.gz"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+release+name, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive.Bytes()) })
	mux.HandleFunc("GET "+release+"SHA256SUMS", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, "%s  %s\n%s  %s.cdx.json\n", checksum, name, strings.Repeat("0", 64), name)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	return server.URL
}

func TestActionInARepositoryWithAScriptAlone(t *testing.T) {
	t.Parallel()
	t.Run("a release, and a token that may not write", func(t *testing.T) {
		t.Parallel()
		c := checkedOut(t, sweepOfMs(20), sweepOfMs(20)+"// the same\n")
		c.server = released(t, "")
		require.NoError(t, os.WriteFile(filepath.Join(c.temp, "read-only"), nil, 0o600))
		out, code := c.run(t, map[string]string{"scenario": "work.js", "precision": "", "pairs": "4", "gates": "mean=+99%", "version": "v0.1.0"})
		require.Equal(t, exitOK, code, out)
		require.Contains(t, out, "::warning title=sweep wrote no comment::gh: Resource not accessible by integration (HTTP 403)")
		require.NotContains(t, out, "::error")
		require.NoFileExists(t, filepath.Join(c.temp, "comment"))
		require.Contains(t, c.read(t, "page"), "### :white_check_mark: work.js: no worse than its base")
		require.Contains(t, c.read(t, "output"), "verdict=held\nexit-code=0\n")
	})
	t.Run("k6 of the path", func(t *testing.T) {
		t.Parallel()
		c := checkedOut(t, sweepOfMs(20), sweepOfMs(100))
		require.NoError(t, os.Symlink(withoutRace(t), filepath.Join(c.temp, "bin", "k6")))
		out, code := c.run(t, map[string]string{"scenario": "work.js", "precision": "", "pairs": "4", "gates": "mean=+99%", "k6": "k6"})
		require.Equal(t, exitThreshold, code, out)
		require.Contains(t, c.read(t, "output"), "verdict=crossed\n")
	})
	for with, want := range map[[2]string]string{
		{"version", "v0.1.0"}: "xk6-sweep-v0.1.0-linux-amd64.tar.gz is not what SHA256SUMS of v0.1.0 says",
		{"version", "v0.2.0"}: "there is no SERVER/xk6-sweep/xk6-sweep/releases/download/v0.2.0/xk6-sweep-v0.2.0-linux-amd64.tar.gz",
		{"k6", "./no-k6"}:     "there is no k6 at ./no-k6",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			c := checkedOut(t, sweepOfMs(1), sweepOfMs(2))
			c.server = released(t, strings.Repeat("1", 64))
			out, code := c.run(t, map[string]string{"scenario": "work.js", with[0]: with[1]})
			require.Equal(t, 1, code, out)
			require.Contains(t, out, "::error file=work.js,title=not compared::exit code 1: "+strings.Replace(want, "SERVER", c.server, 1))
			require.Contains(t, c.read(t, "output"), "verdict=failed\n")
		})
	}
}
