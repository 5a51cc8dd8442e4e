package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// spin loads all processors with twice as many threads until the test ends.
func spin(ctx context.Context, t *testing.T) {
	t.Helper()
	for range 2 * runtime.NumCPU() {
		cmd := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Wait() }) // the context ends it first
	}
}

func recordRuns(t *testing.T, reports ...string) string {
	t.Helper()
	baseline := filepath.Join(t.TempDir(), "baseline.json")
	code, _, stderr := sweep(t, append([]string{"record", "-o", baseline}, reports...)...)
	require.Zero(t, code, stderr)

	return baseline
}

func relativeGates(t *testing.T, scenario, baseline, undecided, gates string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(baseline), "gates.json")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `{"scenario": %q, "undecided": %q, "relative": {"baseline": %q, %s}}`,
		scenario, undecided, filepath.Base(baseline), gates), 0o600))

	return path
}

func (r *run) like(t *testing.T, scenario string, times float64, hours int, neighbour bool) string {
	t.Helper()

	return edited(t, filepath.Join(r.results, scenario+".json"), func(run, step map[string]any) {
		run["started"] = time.Date(2026, 3, 1, hours, 0, 0, 0, time.UTC)
		maps.DeleteFunc(step, func(key string, _ any) bool { return key == "overTime" || key == "slowest" || key == "standstill" })
		step["seconds"] = step["seconds"].(float64) * times
		step["opsPerSecond"] = step["opsPerSecond"].(float64) / times
		if window, is := step["window"].(map[string]any); is {
			window["seconds"] = window["seconds"].(float64) * times
			if tail, is := window["tailSeconds"].(float64); is {
				window["tailSeconds"] = tail * times
			}
		}
		if neighbour {
			step["witness"] = map[string]any{
				"limitedBy": "neighbour", "why": "Others used 1 of 2 processors.", "evidence": map[string]any{"processors": 2, "others": 1},
			}
		}
	})
}

func TestSlowServerNextToANeighbour(t *testing.T) {
	var burns atomic.Int64 // processor time of an answer
	url, _ := httpServer(t, func(http.ResponseWriter, *http.Request) {
		for until := time.Now().Add(time.Duration(burns.Load())); time.Now().Before(until); { //nolint:revive // the loop is the work
		}
	})
	requests := func(gates string, environment []string) *run {
		return k6(t, options{
			script: "testdata/burning.js", environment: environment, env: with(noMachbase, map[string]string{"URL": url, "GATES": gates}),
		})
	}
	quick := requests("", noWitness)
	baseline := recordRuns(t, quick.like(t, "burning", 1, 1, false), quick.like(t, "burning", 1.01, 2, false),
		quick.like(t, "burning", 1.02, 3, false), quick.like(t, "burning", 1.03, 4, false))
	gates := relativeGates(t, "burning", baseline, "pass", `"opsPerSecond": "-50%", "p99": "+100%"`)
	burns.Store(int64(300 * time.Millisecond))
	spin(t.Context(), t)
	r := requests(gates, nil)
	require.Equal(t, exitThreshold, r.code, r.output)
	require.NotEmpty(t, r.lines("gate crossed: ops/s of get with 4 clients"), r.output)
	require.NotEmpty(t, r.lines("; crossed: p99 of get with 4 clients"), r.output)
}

// The server is not the test, whose child processes count as its own.
func TestWaitCalm(t *testing.T) {
	const again = "a neighbour disturbed the step: it is measured again"
	neighbour, cancel := context.WithCancel(t.Context())
	defer cancel()
	spin(neighbour, t)
	r := k6(t, options{
		script: "cache-sweep.js", env: cachesEnv(t, "TARGET", "memcached", "CLIENTS", "4", "MIX", "get:1", "DURATION", "2s",
			"WARMUP", "0s", "QUIET", "0s", "KEYS", "100", "WAIT_CALM", "20s"),
		shows: again, measuring: func(*os.Process) { cancel() },
	})
	require.Equal(t, exitOK, r.code, r.output)
	require.NotEmpty(t, r.lines(again+" (waitCalm: 20s)"), r.output)
	require.Len(t, r.report(t, "cache-sweep-memcached").Steps, 1, "of the last attempt alone")
}

// The neighbour used the machine, but the server slept: who waited for a processor decides.
func TestLatencyGateOfASleepingServerNextToANeighbour(t *testing.T) {
	t.Parallel()
	r := k6(t, options{
		script: "testdata/options.js", environment: noWitness,
		env: with(noMachbase, map[string]string{"OPTIONS": `{"clients": [4], "iterations": 40}`, "MS": "200"}),
	})
	require.Equal(t, exitOK, r.code, r.output)
	gates := filepath.Join(t.TempDir(), "gates.json")
	require.NoError(t, os.WriteFile(gates, []byte(`{"scenario": "work", "absolute": [{"op": "work", "p50": "20ms"}]}`), 0o600))
	for _, tt := range []struct {
		waited float64
		here   int
		code   int
	}{{0.3, 1, exitThreshold}, {0.9, 1, exitMarkedFailed}, {0.3, 0, exitMarkedFailed}} {
		run := edited(t, filepath.Join(r.results, "work.json"), func(_, step map[string]any) {
			maps.DeleteFunc(step, func(key string, _ any) bool { return key == "overTime" || key == "standstill" })
			step["witness"] = map[string]any{
				"limitedBy": "neighbour", "why": "Others used 1.95 of 2 processors.",
				"evidence": map[string]any{"processors": 2, "others": 1.95, "waited": tt.waited, "serverHere": tt.here},
			}
		})
		code, stdout, stderr := sweep(t, "gate", run, gates)
		require.Equal(t, tt.code, code, "%+v\n%s%s", tt, stdout, stderr)
	}
}

func TestWorseNextToANeighbourNeverPasses(t *testing.T) {
	t.Parallel()
	r := k6(t, options{
		script: "testdata/options.js", environment: noWitness,
		env: with(noMachbase, map[string]string{"OPTIONS": `{"clients": [4], "iterations": 60}`, "MS": "5"}),
	})
	like := func(times float64, hours int, neighbour bool) string {
		return r.like(t, "work", times, hours, neighbour)
	}
	baseline := recordRuns(t, like(1, 1, false), like(1.01, 2, false), like(1.02, 3, false), like(1.03, 4, false))
	slower, same := like(10, 5, true), like(1.01, 6, true)
	for _, tt := range []struct {
		run, undecided, gate string
		code                 int
		says                 string
	}{
		{slower, "fail", "-50%", exitThreshold, "CROSSED"},
		{slower, "pass", "-50%", exitThreshold, "CROSSED"},
		{slower, "pass", "-85%", exitMarkedFailed, "UNDECIDED"},
		{same, "pass", "-50%", exitOK, "undecided"},
		{same, "fail", "-50%", exitMarkedFailed, "UNDECIDED"},
	} {
		code, stdout, _ := sweep(t, "gate", tt.run, relativeGates(t, "work", baseline, tt.undecided, `"opsPerSecond": "`+tt.gate+`"`))
		require.Equal(t, tt.code, code, "%s\n%s", tt.gate, stdout)
		require.Regexp(t, `(?m)^`+tt.says+` +ops/s of work with 4 clients`, stdout)
	}
}
