package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const exitMarkedFailed = 110

// noWitness is the environment of runs that must be judged under any load: gates and histories do
// not judge disturbed steps.
var noWitness = []string{"K6_SWEEP_WITNESS=off"}

func work(t *testing.T, given string, env map[string]string, args ...string) *run {
	t.Helper()
	all := map[string]string{"OPTIONS": given}
	for name, value := range env {
		all[name] = value
	}

	return k6(t, options{script: "testdata/options.js", env: all, args: args})
}

func TestOptionsInOneLine(t *testing.T) {
	t.Parallel()
	r := work(t, `{"clients": [1, 3], "iterations": 20, "repeats": 2}`, nil)
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.report(t, "work")
	var order []int
	for _, s := range rep.Steps {
		require.True(t, s.Complete)
		require.Equal(t, 20*s.Clients, s.Ops)
		order = append(order, s.Clients)
	}
	require.Equal(t, []int{1, 3, 1, 3}, order)
	for _, suffix := range formats {
		info, err := os.Stat(filepath.Join(r.results, "work"+suffix))
		require.NoError(t, err)
		require.NotZero(t, info.Size(), suffix)
	}
}

func TestOptionsThatSweepRefuses(t *testing.T) {
	t.Parallel()
	for given, says := range map[string]string{
		`{"clients": [1], "iterations": 5, "iteratons": 6}`:                        `iteratons`,
		`{"clients": [0], "iterations": 5}`:                                        "clients must be integers from 1 to 100000, but one is 0",
		`{"rate": [10], "duration": "1s"}`:                                         "with rate, preAllocatedVUs must be how many clients share the operations",
		`{"clients": [1], "iterations": 5, "thresholds": 7}`:                       "thresholds must be an object of k6's own thresholds, such as",
		`{"clients": [1], "iterations": 5, "gates": "none.json"}`:                  "gates: stat /",
		`{"rate": [10], "preAllocatedVUs": 1, "duration": "1s", "portable": true}`: "portable: rate needs the executor client-sweep",
	} {
		r := work(t, given, nil)
		require.Equal(t, exitInvalidConfig, r.code, r.output)
		require.NotEmpty(t, r.lines(says), "%s\n%s", given, r.output)
	}
}

// Two operations in a step with a duration only show when the client started, so the step is
// incomplete, with any executor.
func TestStepsTooShortToMeasure(t *testing.T) {
	t.Parallel()
	for name, portable := range map[string]string{"client-sweep": "false", "portable": "true"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := work(t, `{"clients": [1], "duration": "700ms", "warmup": "0s", "portable": `+portable+`}`, map[string]string{"MS": "600"})
			require.Equal(t, exitThreshold, r.code, r.output)
			s := r.report(t, "work").Steps[0]
			require.False(t, s.Complete)
			require.NotNil(t, s.TooShort)
			require.Contains(t, []int{1, 2}, *s.TooShort, "on a loaded machine the first takes longer than the step")
			ended := map[int]string{1: "1 operation", 2: "2 operations"}[*s.TooShort]
			why := "too short to measure: " + ended + ", at least 10 are needed"
			require.Len(t, r.lines(why), 1, "once, in the table: %s", r.output)
			require.Contains(t, r.table(t, "work"), "The step of 1 client is incomplete: "+why)
			junit, err := os.ReadFile(filepath.Join(r.results, "work.junit.xml"))
			require.NoError(t, err)
			require.Contains(t, string(junit), why)
			page, err := os.ReadFile(filepath.Join(r.results, "work.html"))
			require.NoError(t, err)
			require.Contains(t, string(page), "fewer than 10 operations ended")
		})
	}

	r := work(t, `{"clients": [1], "iterations": 1, "thresholds": {"sweep_max": ["value<60000"]}}`, nil)
	require.Equal(t, exitOK, r.code, r.output)
	require.True(t, r.report(t, "work").Steps[0].Complete)
	require.Contains(t, r.table(t, "work"), "1 client: 1 operation, at least 10 are needed for ops/s, an average or a percentile to be judged.")

	r = work(t, `{"clients": [1], "iterations": 9, "thresholds": {"sweep_mean": ["value<60000"], "sweep_ops_per_second": ["value>0"]}}`, nil)
	require.Equal(t, exitThreshold, r.code, r.output)
	require.Len(t, r.lines("threshold sweep_mean value<60000, sweep_ops_per_second value>0 cannot hold: "+
		"too short to measure: 9 operations, at least 10 are needed"), 1, r.output)
}

func TestPortableSweepWithoutSweepRun(t *testing.T) {
	t.Parallel()
	for thresholds, code := range map[string]int{"": exitThreshold, `, "thresholds": {"iterations": ["count>0"], "sweep_ops": []}`: exitMarkedFailed} {
		r := work(t, `{"clients": [1, 2], "iterations": 5, "maxDuration": "1s", "gracefulStop": "0s", "portable": true`+thresholds+`}`,
			map[string]string{"ASTRAY": "true"})
		require.Equal(t, code, r.code, r.output)
		require.Len(t, r.lines("no client called sweep.run, and a portable sweep measures nothing else (work)"), 1, r.output)
	}
}

func TestFindThatFindsNothing(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/options.js", environment: noWitness, env: map[string]string{
		"OPTIONS": `{"find": {"p99": "1ms", "max": 2}, "iterations": 30, "pause": "0s"}`, "MS": "20",
	}})
	require.Equal(t, exitMarkedFailed, r.code, r.output)
	require.Len(t, r.lines("the search has found nothing: Not even 1 client keeps p99 <= 1ms."), 1, r.output)
}

func TestNestedSweepRun(t *testing.T) {
	t.Parallel()
	for _, executor := range []string{"", "portable"} {
		r := outcome(t, map[string]string{"WORK": "nested", "URL": "none", "EXECUTOR": executor})
		require.Equal(t, exitInvalidConfig, r.code, r.output)
		require.NotEmpty(t, r.lines("sweep.run(fn) is called within the function of another sweep.run"), r.output)
	}
}

func TestFailedOperationsFailTheRun(t *testing.T) {
	t.Parallel()
	const sweep = `"clients": [2], "iterations": 10`
	refused := work(t, `{`+sweep+`, "thresholds": {"sweep_failed": ["rate<0.25"]}}`, nil)
	require.Equal(t, exitInvalidConfig, refused.code, "what would mean something else: %s", refused.output)
	for _, c := range []struct {
		options string
		code    int
	}{
		{`{` + sweep + `}`, exitThreshold},
		{`{` + sweep + `, "thresholds": {"sweep_failed": []}}`, exitMarkedFailed},
		{`{` + sweep + `, "thresholds": {"sweep_failed": ["count<5"]}}`, exitOK},
		{`{` + sweep + `, "thresholds": {"sweep_failed": ["count<4"]}}`, exitThreshold},
		{`{` + sweep + `, "allowFailed": "20%"}`, exitOK},
		{`{` + sweep + `, "allowFailed": 0.19}`, exitMarkedFailed},
		{`{` + sweep + `, "allowFailed": true}`, exitOK},
	} {
		r := work(t, c.options, map[string]string{"FAIL_EVERY": "5"})
		require.Equal(t, c.code, r.code, "%s\n%s", c.options, r.output)
		require.Equal(t, 4, r.report(t, "work").Steps[0].Failed)
	}
}

func TestFailedOperationsOfOneStepAreJudgedWithTheOthers(t *testing.T) {
	t.Parallel()
	for _, portable := range []string{"false", "true"} {
		sweep := `{"clients": [2, 1], "iterations": 10, "maxDuration": "8s", "gracefulStop": "0s", "pause": "0s", "portable": ` + portable
		fails := map[string]string{"FAIL_EVERY": "1", "FAIL_CLIENTS": "1"}

		r := work(t, sweep+`, "allowFailed": true}`, fails)
		require.Equal(t, exitOK, r.code, r.output)
		require.Equal(t, []int{0, 10}, []int{r.report(t, "work").Steps[0].Failed, r.report(t, "work").Steps[1].Failed})

		r = work(t, sweep+`, "thresholds": {"sweep_failed": []}}`, fails)
		require.Equal(t, exitMarkedFailed, r.code, r.output)
		require.Len(t, r.lines("10 operations failed: the run is marked as failed"), 1, r.output)
	}
}

func TestLatencyOfFailures(t *testing.T) {
	t.Parallel()
	r := work(t, `{"clients": [2], "iterations": 10, "allowFailed": true}`, map[string]string{"MS": "1", "FAIL_EVERY": "5", "FAIL_MS": "200"})
	require.Equal(t, exitOK, r.code, r.output)
	s := r.report(t, "work").Steps[0]
	require.Equal(t, 4, s.Failed)
	require.NotNil(t, s.FailedLatencyMs)
	require.GreaterOrEqual(t, s.FailedLatencyMs.P50, 200.0)
	require.Less(t, s.LatencyMs.P50, 200.0)
	require.Contains(t, r.table(t, "work"), "2 clients: failed operations took p50 ")
}

func TestOnErrorAbortEndsTheRun(t *testing.T) {
	t.Parallel()
	for _, portable := range []string{"false", "true"} {
		r := work(t, `{"clients": [2, 4], "iterations": 100, "onError": "abort", "maxDuration": "9s", "portable": `+portable+`}`,
			map[string]string{"FAIL_EVERY": "5"})
		require.Equal(t, exitAborted, r.code, r.output)
		require.NotEmpty(t, r.lines("an operation failed (work with 2 clients), and onError is 'abort'"), r.output)
		rep := r.report(t, "work")
		require.True(t, rep.Interrupted)
		require.NotZero(t, rep.Steps[0].Failed)
		for _, s := range rep.Steps[1:] { // a portable sweep also has the steps that did not run
			require.Zero(t, s.Ops)
		}
	}
}

func TestOpenLoop(t *testing.T) {
	calm(t)
	// One client with operations of 20 ms cannot do 100 per second: the latency shows this, although
	// it would stay at 20 ms in a closed loop, and the rate was not reached.
	r := work(t, `{"rate": [20, 100], "preAllocatedVUs": 1, "duration": "1s"}`, map[string]string{"MS": "20"})
	require.Equal(t, exitThreshold, r.code, r.output)
	rep := r.report(t, "work")
	require.Len(t, rep.Steps, 2)
	kept, missed := rep.Steps[0], rep.Steps[1]
	require.True(t, kept.Complete)
	require.Equal(t, 20, kept.Ops)
	require.Equal(t, 20, kept.OpenLoop.Started)
	require.InDelta(t, 20, kept.OpenLoop.AchievedRate, 1e-9)
	require.Less(t, kept.LatencyMs.P50, 40.0)

	require.False(t, missed.Complete)
	require.LessOrEqual(t, missed.Ops, 55, "one a 20 ms, for a second and a moment")
	require.Equal(t, 100, missed.Ops+missed.Extra.Unstarted)
	require.Greater(t, missed.LatencyMs.Max, 450.0, "half of those that were due had to wait")
	require.Equal(t, 100, missed.OpenLoop.Due)
	require.LessOrEqual(t, missed.OpenLoop.AchievedRate, 51.0)
	require.GreaterOrEqual(t, missed.OpenLoop.LongestQueue, 49)
	require.Greater(t, missed.OpenLoop.AllBusy, 0.9)
	require.Less(t, missed.Window.TailSeconds, 1.0)
	require.NotEmpty(t, r.lines(", rate not kept"), r.output)
	require.Len(t, r.lines("asked 100/s, served "), 1, "once, in the table: %s", r.output)
	require.Contains(t, r.table(t, "work"), "The step of 1 client at 100/s is incomplete: asked 100/s, served ")
	require.Contains(t, r.table(t, "work"), "| all busy | queue | service |")
	require.Regexp(t, `1 client at 100/s: all clients were busy for .* such as preAllocatedVUs: \d+, or a lower rate\.`, r.table(t, "work"))
}

func TestOpenLoopOfCallsOfManyOperations(t *testing.T) {
	calm(t)
	for _, work := range []string{"requestBatch", "layout.run", "client.run"} {
		t.Run(work, func(t *testing.T) {
			t.Parallel()
			r := k6(t, options{script: "testdata/rates.js", env: cachesEnv(t, "NATS_URL", os.Getenv("NATS_URL"), "WORK", work)})
			rep := r.report(t, "rates")
			require.Len(t, rep.Steps, 1, r.output)
			s := rep.Steps[0]
			require.Equal(t, 2000, s.OpenLoop.Due)
			require.Zero(t, s.Failed)
			// One call per place would start 40. A busy machine stalls at the end.
			require.InDelta(t, 2000, s.Ops, 600)
			require.InDelta(t, 2000, s.OpenLoop.Started, 600)
			require.InDelta(t, 500, s.OpenLoop.AchievedRate, 150)
		})
	}
}

func TestOpenLoopOfAnEmptyFunction(t *testing.T) {
	calm(t)
	r := work(t, `{"rate": [100, 1000], "preAllocatedVUs": 16, "duration": "2s"}`, map[string]string{"MS": "0"})
	if r.code != exitOK { // a stall of a busy machine at the end of a step
		require.Equal(t, exitThreshold, r.code, r.output)
		require.NotEmpty(t, r.lines("asked 1,000/s, served "), r.output)
	}
	for _, s := range r.report(t, "work").Steps {
		require.Positive(t, s.OpenLoop.LatenessMs.P50)
		require.GreaterOrEqual(t, s.LatencyMs.P50, s.OpenLoop.LatenessMs.P50)
		require.Positive(t, s.CPUSeconds.K6)
		require.Less(t, s.CPUSeconds.K6, 1.0, "half a core, of a program with the race detector in it")
		t.Logf("%g/s: p50 %g ms, lateness p50 %g ms, p99 %g ms, %g s of processor time in 2 s",
			s.OpenLoop.AchievedRate, s.LatencyMs.P50, s.OpenLoop.LatenessMs.P50, s.OpenLoop.LatenessMs.P99, s.CPUSeconds.K6)
	}
}

func TestSlowOperationAtTheEnd(t *testing.T) {
	calm(t)
	r := work(t, `{"clients": [4], "duration": "1s"}`, map[string]string{"MS": "10", "SLOW_LAST": "true"})
	require.Equal(t, exitOK, r.code, r.output)
	s := r.report(t, "work").Steps[0]
	require.Greater(t, s.Seconds, 2.5)
	require.InDelta(t, 1, s.Window.Seconds, 1e-9)
	require.Equal(t, s.Ops, s.Window.Ops+s.Window.TailOps)
	require.InDelta(t, float64(s.Window.Ops), s.OpsPerSecond, 1e-6)
	require.Positive(t, s.Window.TailOps)
	require.Greater(t, s.OpsPerSecond, 1.5*float64(s.Ops)/s.Seconds)
	require.Contains(t, r.table(t, "work"), "4 clients: ops/s is of the window of 1.000s; what was under way then ended within another ")
}

func TestFind(t *testing.T) {
	t.Parallel()
	r := work(t, `{"find": {"p50": "500ms", "max": 4}, "iterations": 10}`, nil)
	require.Equal(t, exitOK, r.code, r.output)
	require.Contains(t, r.table(t, "work"), "The highest number of clients that keeps p50 <= 500ms is 4 (of at most 4).")
}

func TestPortable(t *testing.T) {
	t.Parallel()
	const sweep = `{"clients": [1, 4], "iterations": 20, "repeats": 2, "maxDuration": "4s", "gracefulStop": "0s", "pause": "0s", "portable": true}`
	r := work(t, sweep, nil)
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.report(t, "work")
	require.False(t, rep.Interrupted)
	require.Equal(t, true, rep.Params["portable"])
	require.Len(t, rep.Steps, 4)
	for i, s := range rep.Steps {
		require.True(t, s.Complete)
		require.Equal(t, []int{1, 4, 1, 4}[i], s.Clients)
		require.Equal(t, 20*s.Clients, s.Ops)
	}
	ops := r.samples(t, "sweep_ops")
	require.InDelta(t, 160, sum(ops, map[string]string{"clients": "4", "scenario": "work"}), 0)
}

func TestPortableStepsCollectGarbageFirst(t *testing.T) {
	t.Parallel()
	const sweep = `{"clients": [1, 2], "iterations": 5, "maxDuration": "4s", "gracefulStop": "0s", "pause": "0s", "portable": true}`
	for _, setting := range []string{"GOGC=", "GOGC=100"} {
		r := k6(t, options{
			script: "testdata/options.js", env: map[string]string{"OPTIONS": sweep}, environment: []string{"GODEBUG=gctrace=1", "GOMEMLIMIT=", setting},
		})
		require.Equal(t, exitOK, r.code, r.output)
		require.Len(t, r.lines("P (forced)"), 2, "%s\n%s", setting, r.output)
	}
}

func TestGeneratorIsInTheFingerprint(t *testing.T) {
	t.Parallel()
	for _, portable := range []string{"", `, "portable": true, "maxDuration": "4s", "gracefulStop": "0s"`} {
		fingerprint := func(environment ...string) (all map[string]any) {
			r := k6(t, options{
				script: "testdata/options.js", environment: environment,
				env: map[string]string{"OPTIONS": `{"clients": [2], "iterations": 5, "pause": "0s"` + portable + `}`},
			})
			require.Equal(t, exitOK, r.code, r.output)
			raw, err := os.ReadFile(filepath.Join(r.results, "work.json"))
			require.NoError(t, err)
			var rep struct{ Fingerprint map[string]any }
			require.NoError(t, json.Unmarshal(raw, &rep))

			return rep.Fingerprint
		}
		usual := fingerprint("GOGC=", "GOMEMLIMIT=", "K6_SWEEP_WITNESS=on")
		require.Equal(t, "200", usual["gogc"])
		require.NotContains(t, usual, "gomemlimit")
		require.Equal(t, usual["gomaxprocs"], usual["eventLoops"])
		require.Equal(t, usual, fingerprint("GOGC=", "GOMEMLIMIT=", "K6_SWEEP_WITNESS=off"))

		asked := fingerprint("GOGC=50", "GOMEMLIMIT=2GiB")
		require.Equal(t, []any{"50", "2147483648"}, []any{asked["gogc"], asked["gomemlimit"]})
	}
}

func TestPortableStepThatOverruns(t *testing.T) {
	t.Parallel()
	r := work(t, `{"clients": [2, 1], "iterations": 1000, "maxDuration": "1s", "gracefulStop": "1s", "portable": true}`,
		map[string]string{"MS": "10"})
	require.Equal(t, exitThreshold, r.code, r.output)
	require.NotEmpty(t, r.lines("the step of 2 clients is incomplete: not every client did its whole share within 1s"), r.output)
	rep := r.report(t, "work")
	require.Len(t, rep.Steps, 2)
	for _, s := range rep.Steps {
		require.False(t, s.Complete)
		require.NotZero(t, s.Ops, "what was done is reported")
		require.Zero(t, s.Failed)
	}
}

func TestInspectAndArchive(t *testing.T) {
	t.Parallel()
	for executor, portable := range map[string]string{"client-sweep": "false", "per-vu-iterations": "true"} {
		gates := filepath.Join(t.TempDir(), "gates.json")
		require.NoError(t, os.WriteFile(gates, []byte(`{"scenario": "work", "absolute": [{"op": "work", "mean": "9000ms"}]}`), 0o600))
		given := `OPTIONS={"clients": [1, 2], "iterations": 20, "maxDuration": "4s", "gracefulStop": "0s", "pause": "0s", "gates": "` + gates +
			`", "portable": ` + portable + `}`
		out, err := exec.CommandContext(t.Context(), binary(t, "k6-race"), "inspect", "-e", given, "testdata/options.js").Output()
		require.NoError(t, err)
		require.Contains(t, string(out), executor)

		archive := filepath.Join(t.TempDir(), "sweep.tar")
		made := exec.CommandContext(t.Context(), binary(t, "k6-race"), "archive", "-O", archive, "-e", given, "testdata/options.js")
		require.NoError(t, made.Run())
		require.NoError(t, os.Remove(gates))
		results := t.TempDir()
		ran := exec.CommandContext(t.Context(), binary(t, "k6-race"), "run", "--quiet", "-e", "RESULTS="+results, archive)
		output, err := ran.CombinedOutput()
		require.NoError(t, err, string(output))
		raw, err := os.ReadFile(filepath.Join(results, "work.json"))
		require.NoError(t, err)
		var rep report
		require.NoError(t, json.Unmarshal(raw, &rep))
		require.Len(t, rep.Steps, 2)
		require.Equal(t, 40, rep.Steps[1].Ops)
		require.Contains(t, string(raw), "mean of work in every step <= 9000ms")
	}
}

func TestPortableUnderSegments(t *testing.T) {
	t.Parallel()
	total := 0
	for _, segment := range []string{"0:1/3", "1/3:1"} {
		r := work(t, `{"clients": [1, 6], "iterations": 20, "maxDuration": "4s", "gracefulStop": "0s", "pause": "0s", "portable": true}`, nil,
			"--execution-segment", segment, "--execution-segment-sequence", "0,1/3,1")
		require.Equal(t, exitOK, r.code, r.output)
		for _, s := range r.report(t, "work").Steps {
			require.True(t, s.Complete)
			total += s.Ops
		}
	}
	require.Equal(t, (1+6)*20, total)
}

func TestPortableClientsThatNeverCome(t *testing.T) {
	t.Parallel()
	for fails, steps := range map[string][]int{"everybody": nil, "first": {0, 60}, "one": {40, 0}} {
		t.Run(fails, func(t *testing.T) {
			t.Parallel()
			r := k6(t, options{script: "testdata/session.js", env: map[string]string{"FAILS": fails, "MAX_DURATION": "5s"}})
			require.Equal(t, exitThreshold, r.code, r.output)
			if fails == "everybody" {
				return
			}
			rep := r.report(t, "work")
			require.False(t, rep.Interrupted)
			require.Len(t, rep.Steps, 2)
			for _, s := range rep.Steps {
				want := steps[s.Clients-2]
				require.Equal(t, want > 0, s.Complete)
				require.LessOrEqual(t, s.Ops, 60)
				if s.Complete {
					require.Equal(t, want, s.Ops)
				}
			}
		})
	}
}

func TestPortableSecondRun(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/session.js", env: map[string]string{"FAILS": "nobody", "TWICE": "true"}})
	require.NotEmpty(t, r.lines("this client has already done its share of the step"), r.output)
}

func TestPortableInterrupted(t *testing.T) {
	t.Parallel()
	r := k6(t, options{
		script: "testdata/options.js",
		env: map[string]string{
			"OPTIONS": `{"clients": [2, 3], "iterations": 100000, "maxDuration": "20s", "gracefulStop": "1s", "portable": true}`, "MS": "5",
		},
		measuring: func(k6 *os.Process) { _ = k6.Signal(os.Interrupt) },
		shows:     `work-2 .*running|work-2 +\[`,
	})
	require.Equal(t, exitInterrupted, r.code, r.output)
	rep := r.report(t, "work")
	require.True(t, rep.Interrupted)
	require.False(t, rep.Steps[0].Complete)
	require.Zero(t, rep.Steps[0].Failed, "what Ctrl-C cuts off has not failed")
}
