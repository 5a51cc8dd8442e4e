package sweep_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

func tagsOf(clients int, op string) map[string]string {
	tags := map[string]string{"run": "7", "scenario": "rollup", "clients": strconv.Itoa(clients)}
	if op != "" {
		tags["op"] = op
	}

	return tags
}

func succeeded(tags map[string]string) map[string]string {
	tags = maps.Clone(tags)
	tags["outcome"] = "ok"

	return tags
}

// since rounds down to milliseconds, without the time that VUs take to end.
func since(begin time.Time) time.Duration { return time.Since(begin).Truncate(time.Millisecond) }

func TestSweepOfASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1, 4], "iterations": 10}`, `sweep.run(() => sleep(10))`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)

		require.False(t, rep.Interrupted)
		require.Len(t, rep.Steps, 2)
		for i, clients := range []int{1, 4} {
			step := rep.Steps[i]
			require.Equal(t, clients, step.Clients)
			require.Equal(t, 1, step.Repeat)
			require.Equal(t, uint64(10), step.PerClient)
			require.Equal(t, "rollup", step.Op)
			require.True(t, step.Complete)
			require.Equal(t, int64(10*clients), step.Operations)
			require.Zero(t, step.Failed)
			require.InDelta(t, 0.1, step.Seconds, 1e-9)
			require.WithinDuration(t, rep.Started.Add(time.Duration(i)*100*time.Millisecond), step.Started, 20*time.Millisecond, "the start line's time")
			require.InDelta(t, 100*clients, step.OpsPerSecond, 1e-6)
			require.Equal(t, []float64{0.1, 0.1, 0.1, 0.1}, []float64{step.Client.Min, step.Client.P50, step.Client.Max, step.Client.Avg})
			require.Equal(t, []int64{10, 10}, []int64{step.Client.Ops.Min, step.Client.Ops.Max})
			require.InDelta(t, 10, step.Latency.Max, 1e-9)
		}
		require.Equal(t, 5, s.Calls(), "one iteration is one client's session")
		require.Equal(t, uint64(5), s.State.GetFullIterationCount())
		require.Zero(t, s.State.GetPartialIterationCount())
		require.Empty(t, s.Warnings())

		sent := s.Sent()
		for _, clients := range []int{1, 4} {
			op := tagsOf(clients, "rollup")
			require.InDelta(t, 10*clients, sum(valuesOf(sent["sweep_ops"], succeeded(op))), 0)
			require.InDelta(t, 0, sum(valuesOf(sent["sweep_failed"], op)), 0)
			require.Len(t, valuesOf(sent["sweep_ops_per_second"], op), 1)
			require.InDelta(t, 100*clients, valuesOf(sent["sweep_ops_per_second"], op)[0], 1e-6)
			for _, name := range []string{"p50", "p90", "p95", "p99", "p999", "max", "mean"} {
				values := valuesOf(sent["sweep_"+name], op)
				require.Len(t, values, 1, name)
				require.InEpsilon(t, 10, values[0], 0.001, name)
			}
			require.Equal(t, []float64{float64(clients)}, valuesOf(sent["sweep_clients_done"], tagsOf(clients, "")))
			require.Equal(t, []float64{0}, valuesOf(sent["sweep_incomplete"], tagsOf(clients, "")))
		}
	})
}

func TestSweepOfAPlainFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [3], "iterations": 10}`, `sleep(calls === 1 ? 5000 : 10)`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		step := rep.Steps[0]
		require.True(t, step.Complete)
		require.Equal(t, int64(30), step.Operations)
		require.InDelta(t, 10, step.Latency.Max, 1e-9, "the first call, which connects, is not measured")
		require.InDelta(t, 0.1, step.Seconds, 1e-9)
		require.Equal(t, 3*11, s.Calls())
		require.Equal(t, uint64(33), s.State.GetFullIterationCount())

		var numbers []uint64
		for _, vu := range s.VUs {
			numbers = append(numbers, vu.Numbers...)
		}
		slices.Sort(numbers)
		for i, n := range numbers {
			require.Equal(t, uint64(i), n, "iterations are numbered without gaps")
		}
	})
}

func TestSweepOfAPlainFunctionThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "iterations": 10}`, `sleep(10); if (calls % 5 === 1) { throw new Error("no " + (calls === 6 ? "six" : calls)) }`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		step := rep.Steps[0]
		require.True(t, step.Complete)
		require.Equal(t, int64(16), step.Operations)
		require.Equal(t, uint64(4), step.Failed)
		require.Len(t, step.Extra.Errors, 2)
		require.InDelta(t, 4, sum(valuesOf(s.Sent()["sweep_failed"], tagsOf(2, "rollup"))), 0)
		require.Contains(t, s.Warnings()[0], "operation failed: Error: no 1")
	})
}

func TestSweepOfASessionThatConnectsLate(t *testing.T) {
	for _, warmup := range []string{"0s", "1s"} {
		t.Run(warmup, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, fmt.Sprintf(`{"clients": [2], "iterations": 10, "warmup": %q}`, warmup), `
					sleep(50)
					if (calls === 1 && vu === 1) { throw new Error("connection refused") }
					sweep.run(() => sleep(10))`)
				rep, err := s.Run(t.Context())
				require.NoError(t, err)
				step := rep.Steps[0]
				require.True(t, step.Complete)
				require.Equal(t, int64(20), step.Operations)
				require.Zero(t, step.Failed)
				require.InDelta(t, 10, step.Latency.Max, 1e-9)
				require.Equal(t, 3, s.Calls())
			})
		})
	}
}

func TestSweepCountsWhatScriptsThrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "iterations": 10}`, `
			let n = 0
			sweep.run(() => { sleep(10); if (++n % 5 === 0) { throw new Error("no memory") }; if (n === 1) { throw "text" } })`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		step := rep.Steps[0]
		require.True(t, step.Complete)
		require.Equal(t, int64(14), step.Operations)
		require.Equal(t, uint64(6), step.Failed)
		require.Equal(t, map[string]uint64{"Error: no memory": 4, "text": 2}, step.Extra.Errors)
		require.ElementsMatch(t, []string{"operation failed: Error: no memory", "operation failed: text"}, s.Warnings(),
			"each text once")
	})
}

func TestSweepCountsExceptionsAfterTheShare(t *testing.T) {
	for name, script := range map[string]string{
		"exception":    `sweep.run(() => sleep(10)); throw new Error("check failed")`,
		"second share": `sweep.run(() => sleep(10)); sweep.run(() => sleep(10))`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, `{"clients": [2], "iterations": 10}`, script)
				rep, err := s.Run(t.Context())
				require.NoError(t, err)
				step := rep.Steps[0]
				require.True(t, step.Complete)
				require.Equal(t, int64(20), step.Operations)
				require.Equal(t, uint64(2), step.Failed)
				require.Len(t, step.Extra.Errors, 1)
			})
		})
	}
}

func TestSweepWarmup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "iterations": 10, "warmup": "1s", "tags": {"team": "db"}, "op": "get"}`, `
			globalThis.seen = {}
			sweep.run(() => {
				sleep(100)
				const key = [tag("phase"), tag("clients"), tag("team"), tag("scenario")].join()
				seen[key] = (seen[key] || 0) + 1
			})`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, int64(20), rep.Steps[0].Operations)
		require.Equal(t, "get", rep.Steps[0].Op)
		for _, vu := range s.VUs {
			require.Equal(t, map[string]any{"warmup,,db,rollup": int64(10), ",2,db,rollup": int64(10)}, vu.Script.Get("seen").Export())
		}

		tags := tagsOf(2, "get")
		tags["team"] = "db"
		require.InDelta(t, 20, sum(valuesOf(s.Sent()["sweep_ops"], succeeded(tags))), 0)
	})
}

func TestPlainFunctionsTags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1], "iterations": 3, "warmup": "20ms"}`, `
			globalThis.seen = (globalThis.seen || []); seen.push([tag("phase"), tag("clients")].join()); sleep(10)`)
		_, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, []any{"warmup,", "warmup,", "warmup,", ",1", ",1", ",1"}, s.VUs[0].Script.Get("seen").Export())
	})
}

// Metrics are sent each second for that second, and at the end for the step.
func TestLiveMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "duration": "3s"}`, `
			let n = 0
			sweep.run(() => { sleep(++n > 75 ? 40 : 20); if (n === 10) { throw new Error("no") } })`)
		begin := time.Now()
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.InDelta(t, 3.02, rep.Steps[0].Seconds, 1e-9, "75 of 20 ms and 38 of 40 ms")

		sent, tags := s.Sent(), tagsOf(2, "rollup")
		ops := valuesOf(sent["sweep_ops"], succeeded(tags))
		require.InDelta(t, 2*112, sum(ops), 0)
		require.InDelta(t, 2, sum(valuesOf(sent["sweep_failed"], tags)), 0)
		rates := valuesOf(sent["sweep_ops_per_second"], tags)
		require.Len(t, rates, 4, "three seconds and the whole")
		require.InDelta(t, 98, rates[0], 2.01, "less one failure each, give or take an operation that ends just then")
		require.InDelta(t, 50, rates[2], 2.01)
		require.InDelta(t, 2*111/3.0, rates[3], 1e-6, "of the window: the last operation of each client ended after it")
		require.InDelta(t, 2*111/3.0, rep.Steps[0].OpsPerSecond, 1e-6)
		require.Equal(t, int64(2), rep.Steps[0].Window.TailOps)
		p99 := valuesOf(sent["sweep_p99"], tags)
		require.InEpsilon(t, 20, p99[0], 0.001)
		require.InEpsilon(t, 40, p99[2], 0.001)
		require.InEpsilon(t, 40, p99[3], 0.001)
		for i, x := range sent["sweep_clients_done"] {
			require.Equal(t, begin.Add(min(time.Duration(i+1)*time.Second, 3020*time.Millisecond)), x.At.Truncate(time.Millisecond))
			require.Equal(t, []float64{0, 0, 0, 2}[i], x.Value)
		}
	})
}

func TestRepeatsAndPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2, 1], "iterations": 10, "repeats": 3, "pause": "1s"}`, `sweep.run(() => sleep(100))`)
		begin := time.Now()
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, 6*time.Second+5*time.Second, since(begin))
		var got [][2]int
		for _, step := range rep.Steps {
			got = append(got, [2]int{step.Clients, step.Repeat})
		}
		require.Equal(t, [][2]int{{2, 1}, {1, 1}, {2, 2}, {1, 2}, {2, 3}, {1, 3}}, got)
	})
}

func TestMaxDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2, 1], "iterations": 10, "maxDuration": "1s"}`, `sweep.run(() => sleep(400))`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.False(t, rep.Interrupted)
		require.Len(t, rep.Steps, 2, "the sweep goes on")
		require.False(t, rep.Steps[0].Complete)
		require.Equal(t, int64(6), rep.Steps[0].Operations, "what is under way may end")
		require.Zero(t, rep.Steps[0].Failed)
		require.Equal(t, int64(3), rep.Steps[1].Operations)

		sent := s.Sent()
		require.Equal(t, []float64{1}, valuesOf(sent["sweep_incomplete"], tagsOf(2, "")))
		require.Equal(t, []float64{1}, valuesOf(sent["sweep_incomplete"], tagsOf(1, "")))
		require.Contains(t, s.Warnings()[0], "maxDuration (1s) is over before the clients are done")
	})
}

func TestGracefulStop(t *testing.T) {
	for name, script := range map[string]string{
		"session":        `let n = 0; sweep.run(() => { if (++n === 4) { hang() }; sleep(100) })`,
		"plain function": `if (calls === 5) { hang() }; sleep(100)`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, `{"clients": [2], "iterations": 10, "maxDuration": "2s", "gracefulStop": "1s"}`, script)
				begin := time.Now()
				rep, err := s.Run(t.Context())
				require.NoError(t, err)
				require.Equal(t, 3*time.Second, since(begin))
				step := rep.Steps[0]
				require.False(t, rep.Interrupted)
				require.False(t, step.Complete)
				require.Equal(t, int64(6), step.Operations)
				require.Equal(t, uint64(2), step.Failed)
				require.Equal(t, map[string]uint64{
					"cut off: still under way after maxDuration (2s) and gracefulStop (1s)": 2,
				}, step.Extra.Errors)
				require.Equal(t, uint64(2), s.State.GetPartialIterationCount())
				require.InDelta(t, 2, sum(valuesOf(s.Sent()["sweep_failed"], tagsOf(2, "rollup"))), 0)
			})
		})
	}
}

// A client that never connects delays the others only until maxDuration.
func TestClientThatNeverConnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [3], "iterations": 10, "maxDuration": "2s", "gracefulStop": "1s"}`,
			`if (vu === 2) { hang() }; sweep.run(() => sleep(100))`)
		begin := time.Now()
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, 3*time.Second, since(begin))
		require.Len(t, rep.Steps, 1)
		step := rep.Steps[0]
		require.False(t, step.Complete)
		require.Zero(t, step.Operations)
		require.Zero(t, step.Seconds)
	})
}

// Ctrl-C ends the sweep; cut-off operations do not count as failed.
func TestInterruptedRun(t *testing.T) {
	for name, script := range map[string]string{
		"session":        `sleep(100); sweep.run(() => sleep(100))`,
		"plain function": `sleep(100)`,
	} {
		t.Run(name, func(t *testing.T) {
			// Many clients cover all orders in which contexts end.
			synctest.Test(t, func(t *testing.T) {
				const clients = 50
				ctx, cancel := context.WithCancel(t.Context())
				s := newSweep(t, `{"clients": [1, 50, 8], "iterations": 10, "warmup": "1s"}`, script)
				begin := time.Now()
				time.AfterFunc((100+1000+1000+100+1000+350)*time.Millisecond, cancel)
				rep, err := s.Run(ctx)
				require.NoError(t, err)
				require.Equal(t, 3550*time.Millisecond, since(begin), "at once")
				require.True(t, rep.Interrupted)
				require.Len(t, rep.Steps, 2)
				require.True(t, rep.Steps[0].Complete)
				step := rep.Steps[1]
				require.False(t, step.Complete)
				require.Equal(t, int64(3*clients), step.Operations)
				require.Zero(t, step.Failed)
				require.Empty(t, step.Extra.Errors)
				require.Equal(t, uint64(clients), s.State.GetPartialIterationCount())
				require.Equal(t, []float64{1}, valuesOf(s.Sent()["sweep_incomplete"], tagsOf(clients, "")), "the last metrics go out")
				require.Contains(t, s.Executor.GetProgress().Render(0, 0).String(), "✗")
			})
		})
	}
}

func TestInterruptedInThePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newSweep(t, `{"clients": [1, 2], "iterations": 10, "pause": "1h"}`, `sweep.run(() => sleep(100))`)
		begin := time.Now()
		time.AfterFunc(2*time.Second, cancel)
		rep, err := s.Run(ctx)
		require.NoError(t, err)
		require.Equal(t, 2*time.Second, since(begin))
		require.True(t, rep.Interrupted)
		require.Len(t, rep.Steps, 1)
		require.True(t, rep.Steps[0].Complete)
		time.Sleep(2 * time.Hour) // timer of the pause
	})
}

// A script that aborts ends the sweep with k6's error; the abort is not a failed operation.
func TestAbort(t *testing.T) {
	for name, script := range map[string]string{
		"operation":           `let n = 0; sweep.run(() => { sleep(100); if (vu === 1 && ++n === 14) { abort() } })`,
		"warm-up":             `let n = 0; sweep.run(() => { sleep(100); if (vu === 1 && ++n === 3) { abort() } })`,
		"before the session":  `if (vu === 1) { abort() }; sweep.run(() => sleep(100))`,
		"after the session":   `sweep.run(() => sleep(100)); if (vu === 1) { abort() }`,
		"plain function":      `sleep(100); if (vu === 1 && calls === 15) { abort() }`,
		"plain, in warm-up":   `sleep(100); if (vu === 1 && calls === 3) { abort() }`,
		"plain, at its first": `sleep(100); if (vu === 1) { abort() }`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, `{"clients": [3, 1], "iterations": 10, "warmup": "1s"}`, script)
				begin := time.Now()
				rep, err := s.Run(t.Context())
				var abort *errext.InterruptError
				require.ErrorAs(t, err, &abort)
				require.Contains(t, abort.Reason, errext.AbortTest)
				require.Less(t, since(begin), 3*time.Second, "the others do not wait for who is gone")
				require.True(t, rep.Interrupted)
				require.Len(t, rep.Steps, 1, "no further step")
				require.Zero(t, rep.Steps[0].Failed)
				require.Empty(t, rep.Steps[0].Extra.Errors)
			})
		})
	}
}

func TestAbortEndsOthersAtOnce(t *testing.T) {
	for name, script := range map[string]string{
		"an operation":   `sweep.run(() => { if (vu === 1) { abort() }; sleep(3600000) })`,
		"connecting":     `if (vu === 1) { abort() }; sleep(3600000)`,
		"plain function": `if (vu === 1 && calls === 2) { abort() }; if (calls > 1) { sleep(3600000) }`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, `{"clients": [3, 1], "iterations": 10, "maxDuration": "2h"}`, script)
				begin := time.Now()
				rep, err := s.Run(t.Context())
				var abort *errext.InterruptError
				require.ErrorAs(t, err, &abort)
				require.Less(t, since(begin), time.Second)
				require.Len(t, rep.Steps, 1)
				require.Zero(t, rep.Steps[0].Failed)
			})
		})
	}
}

func TestMissingVUs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [3], "iterations": 10}`, `sweep.run(() => sleep(100))`)
		taken, err := s.State.GetPlannedVU(nil, false)
		require.NoError(t, err)
		rep, err := s.Run(t.Context())
		require.ErrorContains(t, err, "could not get a VU")
		require.True(t, rep.Interrupted)
		require.False(t, rep.Steps[0].Complete)
		s.State.ReturnVU(taken, false)
	})
}

func TestSegments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSegment(t, `{"clients": [1, 2, 4], "iterations": 10}`, `sweep.run(() => sleep(10))`, testutil.Tuple(t, "1/2:1", "0,1/2,1"))
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, "1/2:1", rep.Params["segment"])
		require.Len(t, rep.Steps, 2, "no client of the first step is here")
		require.Equal(t, 2, rep.Steps[0].Clients, "clients are those of all segments")
		require.Equal(t, int64(10), rep.Steps[0].Operations)
		require.Equal(t, 4, rep.Steps[1].Clients)
		require.Equal(t, int64(20), rep.Steps[1].Operations)
		require.InDelta(t, 20, sum(valuesOf(s.Sent()["sweep_ops"], succeeded(tagsOf(4, "rollup")))), 0)
	})
}

func TestReportOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1], "duration": "1s", "warmup": "2s", "repeats": 2}`, `sweep.run(() => sleep(10))`)
		results := testrun.Of(s.State.Test.Registry)
		results.Meta(&testrun.Facts{Target: map[string]any{"kind": "cache"}, Params: map[string]any{"ratio": 9}})
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, report.Schema, rep.Schema)
		require.Equal(t, "rollup", rep.Scenario)
		require.Equal(t, map[string]any{"kind": "cache"}, rep.Target)
		require.Equal(t, map[string]any{
			"clients": []int64{1}, "duration": "1s", "warmup": "2s", "repeats": int64(2), "pause": "0s",
			"maxDuration": "10m0s", "gracefulStop": "30s", "ratio": 9,
		}, rep.Params)
		require.Zero(t, rep.Steps[0].PerClient)
		require.Equal(t, int64(100), rep.Steps[0].Operations)
	})
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1, 4], "iterations": 500, "warmup": "1s", "pause": "1s"}`, `sweep.run(() => sleep(10))`)
		done := make(chan error)
		go func() {
			_, err := s.Run(t.Context())
			done <- err
		}()
		after := func(d time.Duration) (string, []string) {
			time.Sleep(d)
			synctest.Wait()
			r := s.Executor.GetProgress().Render(0, 0)

			return r.Progress(), r.Right
		}

		_, right := after(500 * time.Millisecond)
		require.Equal(t, []string{"step 1/2: 1 client", "warming up"}, right)
		bar, right := after(3*time.Second + 5*time.Millisecond)
		require.Equal(t, "[==>-----------------------------------]", bar, "half of one of five clients: a tenth")
		require.Equal(t, []string{"step 1/2: 1 client", "250/500 ops"}, right[:2])
		require.Regexp(t, `^(99|100|101)/s, p99 10\.0ms, 3s left$`, right[2])
		_, right = after(3*time.Second + 500*time.Millisecond + 2*time.Second + 500*time.Millisecond)
		require.Equal(t, "step 2/2: 4 clients", right[0])
		require.Equal(t, "600/2,000 ops", right[1])
		require.NoError(t, <-done)
		bar, _ = after(0)
		require.Equal(t, "[======================================]", bar)
		require.Contains(t, s.Executor.GetProgress().Render(0, 0).String(), "✓")
	})
}

func TestProgressOfSecondsIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [8], "duration": "4s"}`, `sweep.run(() => sleep(10))`)
		done := make(chan error)
		go func() {
			_, err := s.Run(t.Context())
			done <- err
		}()
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		right := s.Executor.GetProgress().Render(0, 0).Right
		require.Equal(t, []string{"step 1/1: 8 clients", "2s/4s"}, right[:2])
		require.Regexp(t, `^(79|80)\d/s, p99 10\.0ms$`, right[2])
		require.NoError(t, <-done)
	})
}

// Each session is closed at the end of its step, while the VU still belongs to the client.
func TestSessionsEnd(t *testing.T) {
	for name, script := range map[string]string{
		"session":        `onEnd(); sweep.run(() => sleep(10))`,
		"plain function": `if (calls % 11 === 1) { onEnd() }; sleep(10)`,
		"failing":        `onEnd(); sweep.run(() => sleep(10)); throw new Error("no")`,
		"cut off":        `onEnd(); sweep.run(() => hang())`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, `{"clients": [2], "iterations": 10, "repeats": 3, "maxDuration": "1s"}`, script)
				_, err := s.Run(t.Context())
				require.NoError(t, err)
				for _, vu := range s.VUs {
					require.Len(t, vu.Ended, 3)
					for _, active := range vu.Ended {
						if name != "cut off" {
							require.Positive(t, active)
						}
					}
				}
			})
		})
	}
}

func TestSessionsEndTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [4], "iterations": 10}`, `onEnd(); sweep.run(() => sleep(10 * vu)); sleep(50)`)
		begin := time.Now()
		_, err := s.Run(t.Context())
		require.NoError(t, err)
		for _, vu := range s.VUs {
			require.Len(t, vu.EndedAt, 1)
			require.Equal(t, 450*time.Millisecond, vu.EndedAt[0].Sub(begin).Truncate(time.Millisecond))
		}
	})
}

func TestScenarioState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1], "iterations": 1}`, `sleep(1)`)
		_, err := s.Run(t.Context())
		require.NoError(t, err)
		state := lib.GetScenarioState(s.VUs[0].CtxField)
		require.Equal(t, "rollup", state.Name)
		require.Equal(t, executor.Type, state.Executor)
		done, _ := state.ProgressFn()
		require.InDelta(t, 1, done, 0)
	})
}
