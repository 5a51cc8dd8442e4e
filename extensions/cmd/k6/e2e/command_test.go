package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sweep runs k6 x sweep, which starts no goroutines of its own.
func sweep(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), withoutRace(t), append([]string{"--no-color", "x", "sweep"}, args...)...)
	cmd.Env = append(os.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}

	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func TestCommandPrintsOnlyItsResult(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	registry := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer registry.Close()
	cmd := exec.CommandContext(t.Context(), binary(t, "k6-race"), "x", "sweep", "schema", "report")
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "K6_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(),
		"K6_PROVISION_CATALOG_URL="+registry.URL, "K6_NO_USAGE_REPORT=true")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run())
	schema, err := os.ReadFile(filepath.Join(root, "extensions/sweep/report/schema.json"))
	require.NoError(t, err)
	require.Equal(t, string(schema), out.String())
	require.Empty(t, errs.String())
	require.Zero(t, asked.Load(), "the registry has nothing to say")
}

func TestSegmentsMergeToTheWhole(t *testing.T) {
	t.Parallel()
	const given = `{"clients": [1, 6], "iterations": 30}`
	var parts []string
	for _, segment := range []string{"0:1/2", "1/2:1"} {
		r := work(t, given, nil, "--execution-segment", segment, "--execution-segment-sequence", "0,1/2,1")
		require.Equal(t, exitOK, r.code, r.output)
		parts = append(parts, filepath.Join(r.results, "work.json"))
	}
	merged := filepath.Join(t.TempDir(), "whole.json")
	code, _, stderr := sweep(t, append([]string{"merge", "-o", merged}, parts...)...)
	require.Zero(t, code, stderr)
	raw, err := os.ReadFile(merged)
	require.NoError(t, err)
	var rep report
	require.NoError(t, json.Unmarshal(raw, &rep))
	require.Len(t, rep.Steps, 2)
	for _, s := range rep.Steps {
		require.Equal(t, 30*s.Clients, s.Ops)
		require.WithinDuration(t, time.Now(), s.Started, 2*hang)
	}
	// The halves ran one after the other, so their ops/s do not add up.
	require.True(t, rep.Steps[0].Complete, "of one half")
	require.Nil(t, rep.Steps[0].Overlap)
	require.False(t, rep.Steps[1].Complete)
	require.NotNil(t, rep.Steps[1].Overlap)
	require.Zero(t, *rep.Steps[1].Overlap)
	require.Contains(t, stderr, "the step of 6 clients, repeat 1 is not complete: its parts were at work together for 0 % of the time")
	halves := 0.0
	for _, file := range parts {
		steps := (&run{results: filepath.Dir(file)}).report(t, "work").Steps
		halves += steps[len(steps)-1].Seconds
	}
	require.InDelta(t, halves, rep.Steps[1].Seconds, 1e-6)
	require.NotContains(t, rep.Params, "segment")
	code, stdout, _ := sweep(t, "validate", merged)
	require.Zero(t, code, stdout)

	code, _, stderr = sweep(t, "merge", parts[0], parts[0])
	require.NotZero(t, code)
	require.Contains(t, stderr, "0:1/2", "the same part twice is not the whole")
}

func TestABaselineJudgesTheRunAndTheFileAfterwards(t *testing.T) {
	calm(t)
	const given = `{"clients": [4], "iterations": 60`
	dir := t.TempDir()
	baseline := filepath.Join(dir, "baseline.json")
	// Runs that differ by a hundredth, as on an idle machine.
	base := work(t, given+"}", map[string]string{"MS": "5"})
	require.Equal(t, exitOK, base.code, base.output)
	for i := range 4 {
		run := base.like(t, "work", 1+float64(i)/100, 1+i, false)
		code, stdout, stderr := sweep(t, "record", "--disturbed", run, "-o", baseline)
		require.Zero(t, code, stderr)
		require.Contains(t, stdout, fmt.Sprintf("baseline.json: baseline of work: %d run", i+1))
	}
	gates := filepath.Join(dir, "gates.json")
	write := func(undecided string) {
		require.NoError(t, os.WriteFile(gates, []byte(`{"scenario": "work", "undecided": "`+undecided+`",
			"relative": {"baseline": "baseline.json", "opsPerSecond": "-50%"}}`), 0o600))
	}
	write("fail")
	gated := given + `, "gates": "` + gates + `"}`
	afterwards := func(r *run) {
		t.Helper()
		file := filepath.Join(r.results, "work.json")
		code, stdout, _ := sweep(t, "gate", file, gates, "--json")
		require.Equal(t, r.code, code, stdout)
		var verdicts []any
		require.NoError(t, json.Unmarshal([]byte(stdout), &verdicts))
		require.Len(t, verdicts, 3)
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var judged struct{ Gates []any }
		require.NoError(t, json.Unmarshal(raw, &judged))
		require.Subset(t, judged.Gates, verdicts)
	}

	// On a busy machine the verdict is random, but the run and the file agree.
	afterwards(work(t, gated, map[string]string{"MS": "5"}))

	slower := k6(t, options{
		script: "testdata/options.js", env: map[string]string{"OPTIONS": gated, "MS": "100"}, environment: noWitness,
	})
	require.Equal(t, exitThreshold, slower.code, slower.output)
	require.NotEmpty(t, slower.lines("gate crossed: ops/s of work with 4 clients"), slower.output)
	require.Contains(t, slower.table(t, "work"), "CROSSED: ops/s of work with 4 clients >= 0.5x of baseline")
	require.Contains(t, slower.table(t, "work"), "could see")
	afterwards(slower)

	other := func() *run {
		return work(t, `{"clients": [4], "iterations": 61, "gates": "`+gates+`"}`, map[string]string{"MS": "5"})
	}
	r := other()
	require.Equal(t, exitMarkedFailed, r.code, "other parameters: the baseline does not fit, and undecided does not pass")
	require.NotEmpty(t, r.lines("gate undecided: ops/s of work with 4 clients"), r.output)
	require.NotEmpty(t, r.lines("params.iterations differs: 60 and 61"), r.output)
	require.Contains(t, r.table(t, "work"), "UNDECIDED")
	afterwards(r)
	write("pass")
	r = other()
	require.Equal(t, exitOK, r.code, r.output)
	require.Empty(t, r.lines("level=error"), r.output)
	require.Contains(t, r.table(t, "work"), "undecided: ops/s of work with 4 clients")
	afterwards(r)
}

func TestCompareOfTwoRuns(t *testing.T) {
	t.Parallel()
	const given = `{"clients": [4], "iterations": 30, "repeats": 4}`
	old := filepath.Join(work(t, given, map[string]string{"MS": "2"}).results, "work.json")
	slower := filepath.Join(work(t, given, map[string]string{"MS": "50"}).results, "work.json")
	code, stdout, _ := sweep(t, "compare", old, slower)
	require.Equal(t, exitThreshold, code, stdout)
	require.Contains(t, stdout, "REGRESSION")
	code, stdout, _ = sweep(t, "compare", slower, old)
	require.NotEqual(t, exitThreshold, code, stdout)

	few := work(t, `{"clients": [4], "iterations": 30, "repeats": 2}`, map[string]string{"MS": "2"})
	code, stdout, stderr := sweep(t, "compare", old, filepath.Join(few.results, "work.json"))
	require.Equal(t, exitMarkedFailed, code, "what nobody can judge does not pass: %s", stdout)
	require.True(t, strings.HasPrefix(stdout, "n=2: too few repeats to judge a difference"), stdout)
	require.Contains(t, stderr, "cannot be judged")
}

func TestGatesAreCheckedBeforeTheRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for text, says := range map[string]string{
		`{"scenario": "work", "absolute": [{"op": "wurk", "p99": "5ms"}]}`:       "wurk",
		`{"scenario": "work", "absolute": [{"op": "work", "p98": "5ms"}]}`:       `unknown key \"p98\"; known are op, clients`,
		`{"scenario": "work", "absolute": [{"op": "work", "opsPerSecond": -5}]}`: "opsPerSecond is -5",
		`{"scenario": "work", "abs`: "gates.json",
	} {
		gates := filepath.Join(dir, "gates.json")
		require.NoError(t, os.WriteFile(gates, []byte(text), 0o600))
		r := work(t, `{"clients": [1], "iterations": 1, "gates": "`+gates+`"}`, nil)
		require.Contains(t, []int{exitInvalidConfig, exitScriptException}, r.code, r.output)
		require.NotEmpty(t, r.lines(says), "%s\n%s", text, r.output)
		require.NoFileExists(t, filepath.Join(r.results, "work.json"))
	}
}

func TestInvalidReports(t *testing.T) {
	t.Parallel()
	r := work(t, `{"clients": [1], "iterations": 5}`, nil)
	whole, err := os.ReadFile(filepath.Join(r.results, "work.json"))
	require.NoError(t, err)
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, says string }{
		"truncated": {string(whole[:len(whole)/2]), "truncated"},
		"newer":     {strings.Replace(string(whole), "xk6-sweep/1", "xk6-sweep/2", 1), "newer"},
		"corrupted": {strings.Replace(string(whole), `"ops": 5`, `"ops": 50`, 1), "histogram counts 5 operations, but ops are 50"},
		"empty":     {"", "empty"},
	} {
		file := filepath.Join(dir, name+".json")
		require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
		for _, args := range [][]string{{"report", file}, {"record", file}, {"merge", file, file}, {"compare", file, file}} {
			code, _, stderr := sweep(t, args...)
			require.NotZero(t, code)
			require.Contains(t, stderr, name+".json", args)
			require.Contains(t, stderr, c.says, args)
		}
		code, stdout, _ := sweep(t, "validate", file)
		require.Equal(t, exitInvalidConfig, code)
		require.Contains(t, stdout, c.says)
	}
}

func TestEveryFormatOfARun(t *testing.T) {
	t.Parallel()
	r := work(t, `{"clients": [1], "iterations": 5}`, nil)
	_, list, _ := sweep(t, "report", "--list")
	var suffixes []string
	for line := range strings.Lines(list) {
		format, suffix, _ := strings.Cut(strings.TrimSpace(line), " ")
		if format == "github" { // on request only
			_, stdout, _ := sweep(t, "report", "--format", format, filepath.Join(r.results, "work.json"))
			require.True(t, strings.HasPrefix(stdout, "### "), stdout)

			continue
		}
		suffixes = append(suffixes, suffix)
		code, stdout, stderr := sweep(t, "report", "--format", format, filepath.Join(r.results, "work.json"))
		require.Zero(t, code, stderr)
		written, err := os.ReadFile(filepath.Join(r.results, "work"+suffix))
		require.NoError(t, err)
		require.Equal(t, string(written), stdout, "the same as the run wrote")
	}
	require.ElementsMatch(t, formats, suffixes)
}

func edited(t *testing.T, path string, change func(run, step map[string]any)) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	var run map[string]any
	require.NoError(t, json.Unmarshal(raw, &run))
	for _, step := range run["steps"].([]any) {
		change(run, step.(map[string]any))
	}
	raw, err = json.Marshal(run)
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), filepath.Base(path))
	require.NoError(t, os.WriteFile(path, raw, 0o600))

	return path
}

func TestABOfAStepThatCollapses(t *testing.T) {
	t.Parallel()
	// Each process writes the same report again, as on an idle machine.
	naps := func(ms string) []string {
		r := k6(t, options{script: "testdata/ab.js", env: with(noMachbase, map[string]string{"MS": ms, "COLLAPSES": "2"})})
		path := edited(t, filepath.Join(r.results, "ab.json"), func(_, step map[string]any) {
			delete(step, "standstill")
			delete(step, "witness")
		})

		return []string{"sh", "-c", `cp "$0" "$SWEEP_RESULTS"`, path}
	}
	commands := slices.Concat([]string{"--"}, naps("1"), []string{"---"}, naps("50"))
	code, out, errs := sweep(t, append([]string{"ab", "--pairs", "4", "--gate", "p90=+99%"}, commands...)...)
	require.Equal(t, exitThreshold, code, out+errs)
	require.Contains(t, errs, "of 2 gates crossed")
	require.Regexp(t, `(?m)^nap, 2 clients +p90 +in 4 of 4 +none +- +- +- +CROSSED p90=\+99%$`, out)
	require.Contains(t, out, "crossed: nap, 2 clients, p90: p90 of ")
	code, out, errs = sweep(t, append([]string{"ab", "--pairs", "4", "--gate", "p90=+9900%"}, commands...)...)
	require.Equal(t, exitThreshold, code, "any tolerance is one: %s", out+errs)
}

func TestABOfAnOpenLoopThatK6IsLateFor(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pid")
	var stopped sync.Map
	url, _ := httpServer(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("stop") != "true" {
			return
		}
		raw, _ := os.ReadFile(pids)
		if _, already := stopped.LoadOrStore(string(raw), true); already {
			return
		}
		pid, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
		go func() {
			_ = syscall.Kill(pid, syscall.SIGSTOP)
			time.Sleep(time.Second)
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}()
	})
	requests := func(stop string) []string {
		return []string{
			"sh", "-c", `echo $$ >"$0"; exec "$@"`, pids,
			withoutRace(t), "run", "--quiet", "-e", "URL=" + url, "-e", "STOP=" + stop, script("testdata/late.js"),
		}
	}
	args := append([]string{"ab", "--pairs", "4", "--gate", "p90=+50%", "--"}, requests("false")...)
	code, out, errs := sweep(t, append(append(args, "---"), requests("true")...)...)
	require.Equal(t, exitMarkedFailed, code, out+errs)
	require.Contains(t, errs, "1 of 1 gate undecided")
	require.Regexp(t, `(?m)^get, 8 clients at 100/s +p90 +none +none +- +- +- +undecided p90=\+50%$`, out)
	require.Regexp(t, `undecided: get, 8 clients at 100/s, p90: (k6 itself started .* late|it stood still .*, and so did k6)`, out)
}

func TestABOfAScriptWithCrossedThresholds(t *testing.T) {
	t.Parallel()
	naps := func(ms string) []string {
		return []string{withoutRace(t), "run", "--quiet", "-e", "MS=" + ms, "-e", `THRESHOLDS={"sweep_p50": ["value<0.001"]}`, script("testdata/ab.js")}
	}
	args := append([]string{"ab", "--pairs", "4", "--gate", "opsPerSecond=-50%", "--"}, naps("2")...)
	code, out, errs := sweep(t, append(append(args, "---"), naps("100")...)...)
	require.Equal(t, exitThreshold, code, out+errs)
	require.Contains(t, errs, "1 of 1 gate crossed")
	require.Contains(t, out, "base ended in 4 of 4 pairs with exit code 99: ")
	require.Contains(t, out, "change ended in 4 of 4 pairs with exit code 99: ")
}

func TestABThatCannotBeDecided(t *testing.T) {
	t.Parallel()
	plain := userScript(t, "plain.js", `export const options = { vus: 1, duration: '1s' }; export default function () {}`)
	for want, tt := range map[string]struct{ gate, script string }{
		"gate p99=+10% cannot be decided: nap, 2 clients: neither command has p99: p99 of ": {"p99=+10%", script("testdata/ab.js")},
		"k6 run has left no report, and its time is what the script asks for: ":             {"time=+5%", plain},
	} {
		k6 := []string{withoutRace(t), "run", "--quiet", "-e", "MS=100", tt.script}
		args := append([]string{"ab", "--pairs", "100", "--gate", tt.gate, "--"}, k6...)
		code, out, errs := sweep(t, append(append(args, "---"), k6...)...)
		require.Equal(t, exitInvalidConfig, code, out+errs)
		require.Contains(t, errs, want)
		require.NotContains(t, errs, "pair 1 of 100")
	}
}

func TestABOfTwoSweeps(t *testing.T) {
	t.Parallel()
	naps := func(ms string) []string {
		return []string{withoutRace(t), "run", "--quiet", "-e", "MS=" + ms, script("testdata/ab.js")}
	}
	pairs := func(base, change string) []string {
		args := append([]string{"ab", "--pairs", "4", "--json", "--gate", "opsPerSecond=-20%", "--"}, naps(base)...)

		return append(append(args, "---"), naps(change)...)
	}
	var trial struct {
		Pairs   int
		Figures []struct {
			Step, Figure, Outcome string
			Ratio                 float64
		}
	}
	code, out, errs := sweep(t, pairs("10", "200")...)
	require.Equal(t, exitThreshold, code, errs)
	require.Contains(t, errs, "1 of 1 gate crossed")
	require.NoError(t, json.Unmarshal([]byte(out), &trial))
	require.Equal(t, 4, trial.Pairs)
	require.Equal(t, "nap, 2 clients", trial.Figures[0].Step)
	require.Equal(t, "opsPerSecond", trial.Figures[0].Figure)
	require.Equal(t, "crossed", trial.Figures[0].Outcome)
	require.Less(t, trial.Figures[0].Ratio, 0.5)

	code, _, errs = sweep(t, pairs("200", "10")...)
	require.Equal(t, exitOK, code, errs)
}
