package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testKey must not be in any output or report.
const testKey = "mxgw_test_s3cr3t-of-this-test"

func TestMain(m *testing.M) {
	if os.Getenv("READ_BULK_PROGRAM") != "" {
		main()
	}
	os.Exit(m.Run())
}

type run struct {
	code           int
	stdout, stderr string
	report         report
}

func (r run) client(t *testing.T, name string) outcome {
	t.Helper()
	for _, o := range r.report.Clients {
		if o.Name == name {
			return o
		}
	}
	require.Fail(t, "not in the report", name)

	return outcome{}
}

func (r run) row(t *testing.T, name string) string {
	t.Helper()
	for line := range strings.Lines(r.stdout) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] == name {
			return strings.TrimSpace(line)
		}
	}
	require.Fail(t, "not in the table", "%s\n%s", name, r.stdout)

	return ""
}

func program(t *testing.T, args ...string) (*exec.Cmd, string) {
	t.Helper()
	folder := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir = folder
	cmd.Env = []string{
		"READ_BULK_PROGRAM=yes", "PATH=" + os.Getenv("PATH"), "MXGW_URL=127.0.0.1:1", "MXGW_KEY=" + testKey, "GOCOVERDIR=" + folder,
	}

	return cmd, filepath.Join(folder, "artifacts", "bench")
}

func finish(t *testing.T, cmd *exec.Cmd, folder string, stdout, stderr *bytes.Buffer) run {
	t.Helper()
	err := cmd.Wait()
	if _, ended := errors.AsType[*exec.ExitError](err); !ended {
		require.NoError(t, err)
	}
	r := run{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1, r.stderr)
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &r.report))
	for _, text := range []string{r.stdout, r.stderr, string(data)} {
		assert.NotContains(t, text, "s3cr3t")
	}

	return r
}

func bulk(t *testing.T, args ...string) run {
	t.Helper()
	cmd, folder := program(t, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())

	return finish(t, cmd, folder, &stdout, &stderr)
}

func says(text string) string { return "printf '%s\\n' '" + text + "'" }

var short = []string{"--duration", "1s", "--warmup", "0s", "--slack", "1s"}

func TestClientsAreComparedInOneTable(t *testing.T) {
	t.Parallel()
	r := bulk(t, append([]string{
		"--client", "one=echo 'backend: emulator 1' >&2; " + says(sound),
		"--about", "one=made of shell, release build",
		"--client", "two=" + says(strings.ReplaceAll(sound, `"go"`, `"rust"`)),
	}, short...)...)

	assert.Equal(t, exitOK, r.code, r.stderr)
	assert.Equal(t, "client  calls/sec  cached/total  p50 ms  p95 ms  p99 ms  max ms", strings.TrimSpace(strings.SplitN(r.stdout, "\n", 2)[0]))
	assert.Equal(t, []string{"one", "100.00", "599/600", "3.50", "14.00", "41.00", "250.00"}, strings.Fields(r.row(t, "one")))
	assert.Equal(t, []string{"two", "100.00", "599/600", "3.50", "14.00", "41.00", "250.00"}, strings.Fields(r.row(t, "two")))
	assert.Equal(t, []string{"total", "200.00", "1198/1200"}, strings.Fields(r.row(t, "total")))
	assert.Contains(t, r.stdout, "2 of 2 clients at once: 200 calls, 0 failed; 1200 results, 99.8 % of them cached\n")
	assert.Contains(t, r.stdout, "one: made of shell, release build\n")
	assert.Contains(t, r.stdout, "backend: emulator 1\n")

	assert.Equal(t, "xk6-sweep-read-bulk/1", r.report.Schema)
	assert.Equal(t, conditions{
		Address: "127.0.0.1:1", Tags: pattern, BulkSize: 6, DurationSeconds: 1, TimeoutSeconds: 2,
	}, r.report.Settings)
	assert.Equal(t, total{
		Clients: 2, TotalCalls: 200, TotalReadResults: 1200, CachedReadResults: 1198, CallsPerSecond: 200,
	}, r.report.Total)
	assert.Equal(t, "rust", r.client(t, "two").Result.Language)
	assert.Zero(t, r.client(t, "one").ExitCode)
	assert.False(t, r.report.Interrupted)
}

func TestBackendOfClients(t *testing.T) {
	t.Parallel()
	for stderr, want := range map[string]string{
		"": "",
		"connecting\nbackend: emulator (shape published)\nbackend: other": "emulator (shape published)",
		`time="2026-01-02T03:04:05Z" level=warning msg="late"
time="2026-01-02T03:04:05+01:00" level=info msg="backend: emulator of \"it\"" source=console
`: `emulator of "it"`,
		`time="2026-01-02T03:04:05Z" level=info msg="backend: gateway 1.2" source=console`: "gateway 1.2",
		`time="2026-01-02T03:04:05Z" level=info msg="the backend: gateway" source=console`: "",
		`the backend: none`: "",
	} {
		assert.Equal(t, want, backendIn(stderr), stderr)
	}
}

func TestAClientThatFailsIsANamedRowAndTheOthersAreKept(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		command string
		problem string // in its row
		figures bool   // a result exists
	}{
		"crashes":     {"echo boom >&2; exit 3", "exit status 3: boom", false},
		"segfaults":   {"kill -SEGV $$", "signal: segmentation fault", false},
		"unknown":     {"there-is-no-such-program", "exit status 127: ", false},
		"silent":      {"true", "printed no JSON object", false},
		"garbage":     {"echo '{{{\"a\": }'; head -c 300000 /dev/zero", "printed no JSON object", false},
		"two":         {says(sound) + "; " + says(`{"level":"info"}`), "its JSON is wrong: unknown field \"level\"", false},
		"wrong-sums":  {says(strings.Replace(sound, `"failedCalls":0`, `"failedCalls":1`, 1)), "do not make totalCalls 100", false},
		"failed":      {says(failed), "2 of 100 calls failed", true},
		"no-call":     {says(empty), "made no call", true},
		"short":       {says(strings.NewReplacer("1000.5", "500", ":100.0", ":200.0").Replace(sound)), "measured 0.5 s instead of 1s", true},
		"bad-end":     {says(sound) + "; exit 99", "exit status 99", true},
		"hangs":       {"sleep 60", "did not end within 2s: stopped", false},
		"hangs-after": {says(sound) + "; sleep 60", "did not end within 2s: stopped", true},
		"tells-key":   {`echo "refused: $MXGW_KEY ${MXGW_KEY#mxgw_test_}" >&2; exit 1`, "exit status 1: refused: *** ***", false},
		"long-words":  {"head -c 5000 /dev/zero | tr '\\0' x >&2; exit 1", strings.Repeat("x", keptReason) + "...", false},
	}
	args := append([]string{"--client", "good=" + says(sound)}, short...)
	for name, c := range cases {
		args = append(args, "--client", name+"="+c.command)
	}
	r := bulk(t, args...)

	assert.Equal(t, exitProblem, r.code)
	assert.Equal(t, []string{"good", "100.00", "599/600", "3.50", "14.00", "41.00", "250.00"}, strings.Fields(r.row(t, "good")))
	for name, c := range cases {
		assert.Contains(t, r.row(t, name), c.problem)
		assert.Contains(t, r.client(t, name).Problem, c.problem)
		assert.Equal(t, c.figures, r.client(t, name).Result != nil, name)
	}
	assert.Equal(t, []string{"boom"}, r.client(t, "crashes").Stderr)
	assert.Equal(t, 3, r.client(t, "crashes").ExitCode)
	assert.Equal(t, -1, r.client(t, "hangs").ExitCode)
}

func TestAClientThatIgnoresTERMIsKilledWithAllThatItStarted(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	s := settings{
		clients:  []client{{name: "stubborn", command: "trap '' TERM; sleep 60 & echo $! >" + pid + "; " + says(sound) + "; wait; wait; sleep 60"}},
		duration: 100 * time.Millisecond, slack: 1900 * time.Millisecond, bulk: 6, key: testKey,
	}
	begun := time.Now()
	outcomes := runAll(s, ending{patience: 300 * time.Millisecond})

	assert.Less(t, time.Since(begun), 30*time.Second)
	assert.Equal(t, "did not end within 2s: stopped, and killed, as that did not help", outcomes[0].Problem)
	assert.Equal(t, -1, outcomes[0].ExitCode)
	awaitEnd(t, pid)
}

func TestLeftoverProcessesAreKilled(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	s := settings{
		clients:  []client{{name: "messy", command: "sleep 60 & echo $! >" + pid + "; " + says(sound)}},
		duration: time.Second, slack: 30 * time.Second, bulk: 6, key: testKey,
	}
	outcomes := runAll(s, ending{patience: 300 * time.Millisecond})

	assert.Empty(t, outcomes[0].Problem)
	assert.NotNil(t, outcomes[0].Result)
	awaitEnd(t, pid)
}

func awaitEnd(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return hasEnded(pid) }, 10*time.Second, 10*time.Millisecond, "process %d is still there", pid)
}

// hasEnded also returns true for a zombie: another process has to reap the orphan.
func hasEnded(pid int) bool {
	state, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()

	return err != nil || strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}

func TestInterruptStopsAllAndReports(t *testing.T) {
	t.Parallel()
	for signal, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		cmd, folder := program(t, "--duration", "60s",
			"--client", "early="+says(sound)+"; echo early >&2; exit 4",
			"--client", "tidy=trap \"kill \\$!; "+strings.ReplaceAll(says(sound), `"`, `\"`)+"; exit 0\" INT; sleep 60 & touch tidy; wait",
			"--client", "plain=touch plain; exec sleep 60")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		require.NoError(t, cmd.Start())
		for _, name := range []string{"tidy", "plain"} {
			require.Eventually(t, func() bool {
				_, err := os.Stat(filepath.Join(cmd.Dir, name))
				return err == nil
			}, 20*time.Second, 10*time.Millisecond)
		}
		require.NoError(t, cmd.Process.Signal(signal))
		r := finish(t, cmd, folder, &stdout, &stderr)

		assert.Equal(t, code, r.code, r.stderr)
		assert.True(t, r.report.Interrupted)
		assert.Equal(t, "interrupted", r.client(t, "tidy").Problem)
		assert.Equal(t, int64(100), r.client(t, "tidy").Result.TotalCalls, "what it measured is kept")
		assert.Equal(t, "interrupted", r.client(t, "plain").Problem)
		assert.Contains(t, r.row(t, "plain"), "interrupted")
	}
}

func TestSecondInterruptKills(t *testing.T) {
	t.Parallel()
	cmd, folder := program(t, "--duration", "60s", "--client", "deaf=trap '' INT; touch deaf; sleep 60; sleep 60")
	var stdout, stderr bytes.Buffer
	said, err := cmd.StderrPipe()
	require.NoError(t, err)
	cmd.Stdout = &stdout
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(cmd.Dir, "deaf"))
		return err == nil
	}, 20*time.Second, 10*time.Millisecond)

	begun := time.Now()
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		stderr.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "again kills them") {
			require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
		}
	}
	r := finish(t, cmd, folder, &stdout, &stderr)

	assert.Less(t, time.Since(begun), patience)
	assert.Equal(t, 130, r.code)
	assert.Equal(t, "interrupted, and killed", r.client(t, "deaf").Problem)
}

func TestEnvironmentOfClients(t *testing.T) {
	t.Parallel()
	r := bulk(t, "--duration", "1m1.5s", "--warmup", "500ms", "--bulk", "2", "--url", "gateway:5001", "--tags", "T%d", "--tls", "true",
		"--tls-ca", "/dev/null", "--tls-server-name", "gw",
		"--client", `asks=echo "$MXGW_URL $DURATION $WARMUP $CLIENT_TIMEOUT $BULK $TAGS $TLS $TLS_CA $TLS_SERVER_NAME" >&2; exit ${#MXGW_KEY}`)
	o := r.client(t, "asks")

	assert.Equal(t, []string{"gateway:5001 61.5s 0.5s 92s 2 T1,T2 true /dev/null gw"}, o.Stderr)
	assert.Equal(t, len(testKey), o.ExitCode, "the key is in the environment")
	assert.True(t, r.report.Settings.TLS)
}
