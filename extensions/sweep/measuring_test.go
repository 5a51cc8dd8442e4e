package sweep_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestStepsOfVariants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "iterations": 10, "repeats": 2, "variants": ["quick", "slow"]}`,
			`const name = sweep.step().variant; sleep(5000); sweep.run(() => sleep(name === 'quick' ? 10 : 1000))`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Empty(t, s.Warnings())
		var got []string
		for _, step := range rep.Steps {
			got = append(got, fmt.Sprint(step.Op, " ", step.Repeat))
			require.Equal(t, step.Op, step.Variant)
			require.Equal(t, int64(20), step.Operations)
			require.InDelta(t, map[string]float64{"quick": 0.1, "slow": 10}[step.Op], step.Seconds, 0.001)
			require.InDelta(t, map[string]float64{"quick": 200, "slow": 2}[step.Op], step.OpsPerSecond, 0.01)
		}
		require.Equal(t, []string{"quick 1", "slow 1", "slow 2", "quick 2"}, got)
		require.Equal(t, []string{"quick", "slow"}, rep.Params["variants"])
		require.NoError(t, rep.Validate())
		tags := map[string]string{"run": "7", "scenario": "rollup", "clients": "2", "variant": "slow", "op": "slow"}
		require.InDelta(t, 40, sum(valuesOf(s.Sent()["sweep_ops"], succeeded(tags))), 0)
	})
}

func TestNamedOperationsOfVariants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1], "iterations": 3, "variants": ["a", "b"], "opNames": ["get"]}`,
			`sweep.run(() => sweep.op('get', () => sleep(10)))`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.NoError(t, rep.Validate())
		require.Len(t, rep.Groups(), 2)
		require.Contains(t, rep.Markdown(), "rollup a get")
		require.Contains(t, rep.Markdown(), "rollup b get")
	})
}

func TestScriptsKnowTheirStep(t *testing.T) {
	const note = `globalThis.seen ??= [];
		const note = () => { const now = JSON.stringify(sweep.step()); if (!seen.includes(now)) seen.push(now) };`
	for name, tt := range map[string]struct {
		options, script string
		want            []any
	}{
		"of a session": {
			`{"clients": [1], "iterations": 2, "warmup": "1s", "repeats": 2, "variants": ["a"]}`, `note(); sweep.run(() => { note(); sleep(600) }); note()`,
			[]any{
				`{"scenario":"rollup","clients":1,"rate":null,"repeat":1,"variant":"a","op":"a","phase":"warmup"}`,
				`{"scenario":"rollup","clients":1,"rate":null,"repeat":1,"variant":"a","op":"a","phase":"measure"}`,
				`{"scenario":"rollup","clients":1,"rate":null,"repeat":2,"variant":"a","op":"a","phase":"warmup"}`,
				`{"scenario":"rollup","clients":1,"rate":null,"repeat":2,"variant":"a","op":"a","phase":"measure"}`,
			},
		},
		"of a plain function": {
			`{"rate": [2], "preAllocatedVUs": 1, "duration": "6s", "op": "get"}`, `note(); sleep(100)`,
			[]any{
				`{"scenario":"rollup","clients":1,"rate":2,"repeat":1,"variant":null,"op":"get","phase":"warmup"}`,
				`{"scenario":"rollup","clients":1,"rate":2,"repeat":1,"variant":null,"op":"get","phase":"measure"}`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, tt.options, note+tt.script)
				_, err := s.Run(t.Context())
				require.NoError(t, err)
				require.Empty(t, s.Warnings())
				require.Equal(t, tt.want, s.VUs[0].Script.Get("seen").Export())
			})
		})
	}
}

func TestOpenLoopSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"rate": [10, 100], "preAllocatedVUs": 3, "duration": "2s", "warmup": "1s"}`,
			`sweep.run(() => sleep(20))`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Len(t, rep.Steps, 2)
		for i, rate := range []float64{10, 100} {
			step := rep.Steps[i]
			require.InDelta(t, rate, step.Rate, 0)
			require.Equal(t, 3, step.Clients)
			require.True(t, step.Complete)
			require.Equal(t, int64(2*rate), step.Operations)
			require.InDelta(t, 20, step.Latency.Max, 0.01)
		}
		require.Equal(t, []float64{10, 100}, rep.Params["rate"])
		tags := map[string]string{"run": "7", "scenario": "rollup", "clients": "3", "rate": "100", "op": "rollup"}
		require.InDelta(t, 200, sum(valuesOf(s.Sent()["sweep_ops"], succeeded(tags))), 0)
	})
}

// All segments together have the whole schedule.
func TestOpenLoopUnderSegments(t *testing.T) {
	const sequence = "0,1/3,1"
	var total int64
	for _, segment := range []string{"0:1/3", "1/3:1"} {
		synctest.Test(t, func(t *testing.T) {
			s := newSegment(t, `{"rate": [100], "preAllocatedVUs": 3, "duration": "3s"}`,
				`sweep.run(() => sleep(1))`, testutil.Tuple(t, segment, sequence))
			rep, err := s.Run(t.Context())
			require.NoError(t, err)
			require.True(t, rep.Steps[0].Complete)
			total += rep.Steps[0].Operations
		})
	}
	require.EqualValues(t, 300, total)
}

func TestFindSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Each operation takes as many ms as there are clients.
		s := newSweep(t, `{"find": {"mean": "11ms", "max": 64}, "iterations": 10, "pause": "1s"}`,
			`sweep.run(() => sleep(Number(tag("clients"))))`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, &report.Search{
			Of: "clients", Bound: "mean <= 11ms", Max: 64, Found: 11, Bracket: &report.Bracket{Low: 11, High: 12},
		}, rep.Search)
		var tried []int
		repeats := map[int]int{}
		for i := range rep.Steps {
			clients := rep.Steps[i].Clients
			if repeats[clients]++; repeats[clients] == 1 {
				tried = append(tried, clients)
			}
			require.Equal(t, repeats[clients], rep.Steps[i].Repeat)
		}
		require.Equal(t, []int{1, 2, 4, 8, 16, 12, 10, 11}, tried)
		require.Equal(t, map[int]int{1: 1, 2: 1, 4: 1, 8: 2, 16: 2, 12: 4, 10: 2, 11: 4}, repeats, "both sides of the answer again")
		require.Equal(t, "up to 64 clients, to find the highest number with mean <= 11ms", rep.Params["find"])
		require.False(t, rep.Interrupted)
	})
}

func TestFindThatIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"find": {"mean": "1s", "max": 4}, "iterations": 10, "repeats": 2}`, `sweep.run(() => sleep(100))`)
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		rep, err := s.Run(ctx)
		require.NoError(t, err)
		require.True(t, rep.Interrupted)
		require.Len(t, rep.Steps, 3)
		require.InDelta(t, 1, rep.Search.Found, 0, "as far as it came")
	})
}

func TestOnErrorAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2, 8], "iterations": 100, "onError": "abort"}`,
			`let n = 0; sweep.run(() => { sleep(10); if (++n === 3 || n === 12) throw new Error("no memory") })`)
		rep, err := s.Run(t.Context())
		var abort *errext.InterruptError
		require.ErrorAs(t, err, &abort, "k6 ends the test")
		require.Contains(t, abort.Reason, "an operation failed (rollup with 2 clients), and onError is 'abort'")
		require.True(t, rep.Interrupted)
		require.Len(t, rep.Steps, 1)
		require.Less(t, rep.Steps[0].Operations, int64(20))
		require.NotZero(t, rep.Steps[0].Failed, "what was the reason is counted")
		require.Contains(t, rep.Steps[0].Extra.Errors, "Error: no memory")
	})
}

func TestFailedOperationsMarkTheRun(t *testing.T) {
	for options, marked := range map[string]bool{`"iterations": 4`: true, `"iterations": 4, "allowFailed": true`: false, `"iterations": 2`: false} {
		synctest.Test(t, func(t *testing.T) {
			s := newSweep(t, `{"clients": [1], `+options+`}`, `let n = 0; sweep.run(() => { sleep(1); if (++n === 3) throw "no" })`)
			s.State.Test.TestStatus = lib.NewTestStatus()
			rep, err := s.Run(t.Context())
			require.NoError(t, err)
			require.True(t, rep.Steps[0].Complete)
			require.Equal(t, marked, s.State.Test.TestStatus.Failed(), options)
		})
	}
}

func TestOperationsWithNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "iterations": 10}`, `
			let n = 0;
			sweep.run(() => {
				const got = sweep.op("get", () => { sleep(3); return 42 });
				if (got !== 42) throw new Error("got " + got);
				try { sweep.op("set", () => { sleep(5); if (++n % 5 === 0) throw new Error("full") }) } catch (e) {
					if (e.message !== "full") throw e;
				}
			})`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Len(t, rep.Steps, 2, "the call as a whole is no operation")
		get, set := rep.Steps[0], rep.Steps[1]
		require.Equal(t, []string{"get", "set"}, []string{get.Op, set.Op})
		require.EqualValues(t, 10, get.Operations, "10 of both kinds together are a client's share")
		require.InDelta(t, 3, get.Latency.Max, 0.01)
		require.EqualValues(t, 8, set.Operations)
		require.EqualValues(t, 2, set.Failed)
		require.Empty(t, get.Extra.Errors)
	})
}

func TestAPauseEndsWithTheTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1, 2], "iterations": 1, "pause": "1h"}`, `sweep.run(() => sleep(1))`)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		rep, err := s.Run(ctx)
		require.NoError(t, err)
		require.Len(t, rep.Steps, 1)
	})
}

func TestIncompleteStepsMarkTheRun(t *testing.T) {
	for options, marked := range map[string]bool{
		`"clients": [1], "iterations": 100, "maxDuration": "1s"`:                   true,
		`"clients": [1], "iterations": 10, "maxDuration": "1s"`:                    false,
		`"find": {"mean": "1s", "max": 1}, "iterations": 100, "maxDuration": "1s"`: true, // it finds nothing
		`"find": {"mean": "1s", "max": 1}, "iterations": 10, "maxDuration": "1s"`:  false,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newSweep(t, `{`+options+`}`, `sweep.run(() => sleep(50))`)
			s.State.Test.TestStatus = lib.NewTestStatus()
			_, err := s.Run(t.Context())
			require.NoError(t, err)
			require.Equal(t, marked, s.State.Test.TestStatus.Failed(), options)
		})
	}
}

// Named operations that gracefulStop cuts off fail under their name.
func TestNamedOperationsThatAreCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "iterations": 10, "maxDuration": "1s", "gracefulStop": "1s"}`,
			`sweep.run(() => sweep.op("get", () => hang()))`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Len(t, rep.Steps, 1)
		require.Equal(t, "get", rep.Steps[0].Op)
		require.EqualValues(t, 2, rep.Steps[0].Failed)
		require.Zero(t, rep.Steps[0].Operations)
		require.Len(t, rep.Steps[0].Extra.Errors, 1)
	})
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "iterations": 10}`, `sweep.run(() => sweep.op("get", () => hang()))`)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		rep, err := s.Run(ctx)
		require.NoError(t, err)
		require.Zero(t, rep.Steps[0].Failed, "what Ctrl-C cuts off has not failed")
	})
}

// The same after other operations of the call have failed.
func TestCutOffAfterOthersHaveFailed(t *testing.T) {
	const fail = `try { sweep.op("get", () => { throw 'no' }) } catch {}; `
	for script, want := range map[string]map[string]int{
		`sweep.run(() => { ` + fail + `hang() })`:                           {"get": 2, "rollup": 2},
		`sweep.run(() => { ` + fail + `sweep.op("get", () => hang()) })`:    {"get": 4},
		`if (calls > 1) { ` + fail + `hang() }`:                             {"get": 2, "rollup": 2},
		`if (calls > 1) { ` + fail + `sweep.op("get", () => hang()) }`:      {"get": 4},
		`sweep.run(() => { ` + fail + `sweep.op("set", () => hang()) })`:    {"get": 2, "set": 2},
		`sweep.run(() => { ` + fail + `try { hang() } catch {}; sleep(1)})`: {"get": 2, "rollup": 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newSweep(t, `{"clients": [2], "iterations": 10, "maxDuration": "1s", "gracefulStop": "1s"}`, script)
			rep, err := s.Run(t.Context())
			require.NoError(t, err)
			got := map[string]int{}
			for _, step := range rep.Steps {
				got[step.Op] = int(step.Failed)
			}
			require.Equal(t, want, got, script)
		})
	}
}

func TestAnObjectWithoutATextCanBeThrown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1], "iterations": 3}`, `sweep.run(() => { throw Object.create(null) })`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 3, rep.Steps[0].Failed)
		require.Len(t, rep.Steps[0].Extra.Errors, 1)
	})
}

// An operation whose promise is not awaited has no outcome, and is not a success.
func TestPromisesThatDoNotSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1], "iterations": 4}`, `let n = 0; sweep.run(() => {
			n++; sweep.op("get", () => n % 2 ? new Promise(() => {}) : n) })`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Len(t, rep.Steps, 1)
		require.Equal(t, "get", rep.Steps[0].Op)
		require.EqualValues(t, 2, rep.Steps[0].Operations)
		require.EqualValues(t, 2, rep.Steps[0].Failed)
		require.Contains(t, rep.Steps[0].Extra.Errors, measure.ErrNotEnded.Error())
	})
}

func TestAbortInsideOfANamedOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1], "iterations": 4}`, `let n = 0; sweep.run(() => {
			n++; sweep.op("get", () => { if (n === 3) { abort(); for (;;) {} } }) })`)
		rep, err := s.Run(t.Context())
		require.Error(t, err)
		require.EqualValues(t, 2, rep.Steps[0].Operations)
		require.Zero(t, rep.Steps[0].Failed)
	})
}

func TestNoGraceAtAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [3], "iterations": 100, "maxDuration": "1s", "gracefulStop": "0s"}`, `sweep.run(() => sleep(300))`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 3, rep.Steps[0].Failed)
	})
}
