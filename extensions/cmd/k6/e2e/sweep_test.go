package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPlainFunctionIsRepeatedByTheExecutor(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/report.js"})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.report(t, "plain")
	require.Equal(t, "xk6-sweep/1", rep.Schema)
	require.Equal(t, "v2.2.0", rep.K6)
	require.Len(t, rep.Steps, 2)
	for i, clients := range []int{1, 3} {
		s := rep.Steps[i]
		require.Equal(t, clients, s.Clients)
		require.Equal(t, "plain", s.Op)
		require.Equal(t, 20, s.PerClient)
		require.Equal(t, 20*clients, s.Ops, "exactly the operations that were asked for")
		require.Zero(t, s.Failed)
		require.True(t, s.Complete)
		require.Equal(t, 20*clients, s.Rows)
		require.Positive(t, s.BytesReceived)
		require.LessOrEqual(t, s.Client.Min, s.Client.Avg)
		require.LessOrEqual(t, s.Client.Avg, s.Client.Max)
		require.LessOrEqual(t, s.Client.Max, s.Seconds)
		require.InEpsilon(t, float64(s.Ops)/s.Seconds, s.OpsPerSecond, 1e-9)
		require.NotEmpty(t, s.Histogram)
	}
	// Each client makes one more call to connect, which belongs to no step.
	queries := r.samples(t, "machbase_ops")
	require.Equal(t, 60.0, sum(queries, map[string]string{"op": "query", "clients": "3", "outcome": "ok"}))
	require.Equal(t, 3.0+1.0, sum(queries, map[string]string{"op": "connect", "phase": "warmup"}))
	require.Equal(t, "vanilla", queries[0].Data.Tags["flavour"])
}

func TestGaugesAndCountersOfASweep(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/report.js", env: map[string]string{
		"DURATION": "2500ms", "CLIENTS": "[2]", defaultEnvMachbase: newDoor(t).url,
	}})
	require.Equal(t, exitOK, r.code, r.output)
	s := r.report(t, "plain").Steps[0]
	require.Zero(t, s.PerClient)
	require.GreaterOrEqual(t, s.Seconds, 2.5)
	require.True(t, s.Complete)

	tags := map[string]string{"scenario": "plain", "clients": "2", "op": "plain", "flavour": "vanilla"}
	require.Equal(t, float64(s.Ops), sum(r.samples(t, "sweep_ops"), tags), "the counters of all seconds add up")
	for metric, value := range map[string]float64{
		"sweep_ops_per_second": s.OpsPerSecond, "sweep_p50": s.LatencyMs.P50, "sweep_p99": s.LatencyMs.P99,
		"sweep_max": s.LatencyMs.Max, "sweep_mean": s.LatencyMs.Mean,
	} {
		points := r.samples(t, metric)
		require.GreaterOrEqual(t, len(points), 3, "%s goes out every second and at the end", metric)
		last := points[len(points)-1]
		require.True(t, hasTags(last, tags), "%s has the tags %v", metric, last.Data.Tags)
		require.InEpsilon(t, value, last.Data.Value, 1e-9, "the last %s is that of the whole step", metric)
	}
	done := r.samples(t, "sweep_clients_done")
	require.Equal(t, 2.0, done[len(done)-1].Data.Value)
}

func TestWarmUpIsNotMeasured(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/report.js", env: map[string]string{"WARMUP": "500ms", "CLIENTS": "[2]"}})
	require.Equal(t, exitOK, r.code, r.output)
	require.Equal(t, 40, r.report(t, "plain").Steps[0].Ops)
	queries := r.samples(t, "machbase_ops")
	require.Equal(t, 40.0, sum(queries, map[string]string{"op": "query", "clients": "2"}))
	require.Greater(t, sum(queries, map[string]string{"op": "query", "phase": "warmup"}), 2.0)
	for _, p := range queries {
		require.False(t, p.Data.Tags["phase"] != "" && p.Data.Tags["clients"] != "", "a sample is of one phase only")
	}
}

func TestFailuresOfAPlainFunctionAreCounted(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/report.js", env: map[string]string{"FAIL": "2", "CLIENTS": "[1]"}})
	s := r.report(t, "plain").Steps[0]
	require.Equal(t, 10, s.Ops)
	require.Equal(t, 10, s.Failed)
	require.True(t, s.Complete, "failed operations are part of the share")
	require.Equal(t, map[string]int{"Error: call failed on purpose": 10}, s.Extra.Errors)
	require.Len(t, r.lines("operation failed: Error: call failed on purpose"), 1, "said once, counted ten times")
	require.Contains(t, r.table(t, "plain"), "10 x `Error: call failed on purpose`")
}

func TestErrorsOfTheServerAreCountedWithTheirText(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"select * from no_such_table": "MachbaseError: Table NO_SUCH_TABLE does not exist. (machbase error 2025)",
		"selec 1":                     "MachbaseError: Syntax error: near token (selec 1). (machbase error 2010)",
	} {
		r := k6(t, options{script: "testdata/report.js", env: map[string]string{"SQL": sql, "CLIENTS": "[2]"}})
		s := r.report(t, "plain").Steps[0]
		require.Zero(t, s.Ops)
		require.Equal(t, 40, s.Failed)
		require.Equal(t, map[string]int{want: 40}, s.Extra.Errors)
		require.Len(t, r.lines("operation failed: "+want), 1)
	}
}

func TestRunCountsFailuresAndCrossesTheThreshold(t *testing.T) {
	t.Parallel()
	// Fewer than the ten failures after which a sweep that cannot succeed ends.
	r := k6(t, options{script: "testdata/run.js", env: map[string]string{"WORK": "throws", "ITERATIONS": "4"}})
	require.Equal(t, exitThreshold, r.code, r.output)
	s := r.report(t, "run").Steps[0]
	require.Zero(t, s.Ops)
	require.Equal(t, 8, s.Failed)
	require.Equal(t, map[string]int{"TypeError: no good": 8}, s.Extra.Errors)
	require.Len(t, r.lines("operation failed: TypeError: no good"), 1)
}

func TestMaxDurationMakesAStepIncomplete(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/run.js", env: map[string]string{
		"WORK": "slow", "ITERATIONS": "1000", "MAX_DURATION": "2s", "CLIENTS": "[2, 1]",
	}})
	require.Equal(t, exitThreshold, r.code, r.output)
	rep := r.report(t, "run")
	require.Len(t, rep.Steps, 2, "the next step runs all the same")
	s := rep.Steps[0]
	require.False(t, s.Complete)
	require.Zero(t, s.Failed, "operations under way may end within gracefulStop")
	require.Positive(t, s.Ops)
	require.Contains(t, r.table(t, "run"), "(incomplete)")
	require.Equal(t, 2.0, sum(r.samples(t, "sweep_incomplete"), nil))
	require.False(t, rep.Interrupted)
}

func TestAnOperationThatNeverEndsIsCutOff(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/run.js", env: map[string]string{
		"WORK": "stuck", "MAX_DURATION": "8s", "GRACEFUL_STOP": "1s", // on a busy machine, clients take seconds to start
	}})
	require.Equal(t, exitThreshold, r.code, r.output)
	s := r.report(t, "run").Steps[0]
	require.False(t, s.Complete)
	require.Equal(t, 2, s.Failed, "what was cut off has failed")
	require.Len(t, r.lines("operation failed: cut off"), 1)
}

func TestInterruptEndsAtOnceWithAReport(t *testing.T) {
	t.Parallel()
	for _, work := range []string{"slow", "stuck"} {
		var interrupted time.Time
		r := k6(t, options{
			script: "testdata/run.js",
			env:    map[string]string{"WORK": work, "ITERATIONS": "1000", "MAX_DURATION": "120s", "GRACEFUL_STOP": "120s"},
			measuring: func(k6 *os.Process) {
				interrupted = time.Now()
				_ = k6.Signal(syscall.SIGINT)
			},
		})
		require.Equal(t, exitInterrupted, r.code, r.output)
		require.Less(t, r.ended.Sub(interrupted), time.Minute)
		rep := r.report(t, "run")
		require.True(t, rep.Interrupted)
		require.Len(t, rep.Steps, 1)
		require.False(t, rep.Steps[0].Complete)
		require.Zero(t, rep.Steps[0].Failed, "what Ctrl-C cuts off has not failed")
		require.Contains(t, r.table(t, "run"), "interrupted")
	}
}

func TestAbortEndsTheRunWithItsReason(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/run.js", env: map[string]string{"WORK": "aborts", "CLIENTS": "[2, 4]"}})
	require.Equal(t, exitAborted, r.code, r.output)
	require.Contains(t, r.output, "enough")
	rep := r.report(t, "run")
	require.Len(t, rep.Steps, 1)
	require.True(t, rep.Interrupted)
}

func TestAClientThatCannotConnectHoldsNobodyBack(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/run.js", env: map[string]string{"BEFORE": "throws", "CLIENTS": "[3]"}})
	require.Equal(t, exitThreshold, r.code, r.output)
	s := r.report(t, "run").Steps[0]
	require.Equal(t, 20, s.Ops, "two clients did their share")
	require.Equal(t, 10, s.Failed, "each attempt of the third failed")
	require.Equal(t, map[string]int{"Error: cannot connect": 10}, s.Extra.Errors)
}

func TestAPromiseIsRefused(t *testing.T) {
	t.Parallel()
	for _, work := range []string{"promises", "promises in a duet"} {
		r := k6(t, options{script: "testdata/run.js", env: map[string]string{"WORK": work}})
		require.Equal(t, exitInvalidConfig, r.code, r.output)
		require.Len(t, r.lines("returned a promise"), 1, r.output)
		lines := strings.Split(strings.TrimSpace(r.output), "\n")
		require.Contains(t, lines[len(lines)-1], "returned a promise")
	}
}

// A call that is not awaited takes no time, so a dead server would seem fast.
func TestUnawaitedCallsAreRefused(t *testing.T) {
	t.Parallel()
	for _, left := range []string{
		"a timer", "a timer of the module", "an interval of the module", "a request", "a promise of ours", "an asynchronous function",
	} {
		t.Run(left, func(t *testing.T) {
			t.Parallel()
			r := k6(t, options{script: "testdata/run.js", env: map[string]string{"WORK": left, "URL": answering(t, 200)}})
			require.Equal(t, exitInvalidConfig, r.code, r.output)
			require.Len(t, r.lines("left a promise that nobody awaits, or a timer"), 1, r.output)
		})
	}
}

func TestAStepThatNotAllClientsRanIsIncomplete(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/run.js", env: map[string]string{"BEFORE": "returns", "CLIENTS": "[3]"}})
	require.Equal(t, exitThreshold, r.code, r.output)
	require.Len(t, r.lines("1 of 3 clients did not come to sweep.run"), 1, r.output)
	require.False(t, r.report(t, "run").Steps[0].Complete)
}

func TestASecondRunInOneStepIsAnError(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/run.js", env: map[string]string{"TWICE": "true"}})
	require.Equal(t, exitThreshold, r.code, r.output)
	s := r.report(t, "run").Steps[0]
	require.Equal(t, 20, s.Ops)
	require.Equal(t, 2, s.Failed)
	require.Len(t, r.lines("operation failed: SweepError: this client has already done its share"), 1)
}

func TestSegmentsShareEveryStep(t *testing.T) {
	t.Parallel()
	total := 0
	for _, segment := range []string{"0:1/3", "1/3:1"} {
		r := k6(t, options{
			script: "testdata/run.js", env: map[string]string{"CLIENTS": "[1, 6]"},
			args: []string{"--execution-segment", segment, "--execution-segment-sequence", "0,1/3,1"},
		})
		require.Equal(t, exitOK, r.code, r.output)
		rep := r.report(t, "run")
		require.Equal(t, segment, rep.Params["segment"])
		for _, s := range rep.Steps {
			require.True(t, s.Complete)
			total += s.Ops
		}
	}
	require.Equal(t, (1+6)*10, total)
}

func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		says string
	}{
		"no clients":   {map[string]string{"CLIENTS": "[]"}, "clients must list at least one number"},
		"no operation": {map[string]string{"ITERATIONS": "-1"}, "iterations must be more than 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := k6(t, options{script: "testdata/run.js", env: c.env})
			require.Equal(t, exitInvalidConfig, r.code, r.output)
			require.Contains(t, r.output, c.says)
		})
	}
}
