package sweep_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

func streamed(s *testSweep) (all []*stream.Figures) {
	for {
		select {
		case container := <-s.Out:
			if figures, ok := container.(*stream.Figures); ok {
				all = append(all, figures)
			}
		default:
			return all
		}
	}
}

// Every second is sent, and they add up to the report.
func TestStreamOfASweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1, 4], "duration": "3300ms", "warmup": "1500ms", "repeats": 2, "pause": "0s", "onError": "continue"}`,
			`sweep.run(() => { sleep(100); if (vu === 1) throw 'no' })`)
		testrun.Of(s.State.Test.Registry).Meta(&testrun.Facts{Target: map[string]any{"kind": "machbase"}})
		rep, err := s.Run(t.Context())
		require.NoError(t, err)

		type key struct {
			clients, repeat int
			phase           string
		}
		ops, failed, seconds := map[key]uint64{}, map[key]uint64{}, map[key][]time.Duration{}
		lasted := map[key]time.Duration{}
		moments := map[key]map[time.Time]bool{}
		durations := map[key]*measure.Distribution{}
		var ended []report.Step
		var line time.Time
		for _, f := range streamed(s) {
			require.Equal(t, "rollup", f.Step.Scenario)
			require.Equal(t, "machbase", f.Step.Target)
			require.Zero(t, f.Step.Rate)
			ended = append(ended, f.Ended...)
			if len(f.Ended) > 0 {
				require.Equal(t, f.Step.Clients, f.Done)
			}
			for i := range f.Seconds {
				second := &f.Seconds[i]
				k := key{f.Step.Clients, f.Step.Repeat, second.Phase}
				if moments[k] == nil {
					moments[k], durations[k] = map[time.Time]bool{}, &measure.Distribution{}
					line = f.At.Add(-second.Elapsed)
				}
				require.False(t, moments[k][f.At], "a time comes twice")
				moments[k][f.At] = true
				ops[k] += second.Ops
				failed[k] += second.Failed
				lasted[k] += second.Elapsed
				if second.Phase == stream.Measure {
					seconds[k] = append(seconds[k], f.At.Sub(line).Truncate(time.Millisecond))
					require.Equal(t, second.Ops, uint64(second.Durations.Count))
					durations[k].Merge(second.Durations)
				}
			}
		}
		require.Equal(t, rep.Steps, ended)
		require.Len(t, ended, 4)
		for _, step := range ended {
			k := key{step.Clients, step.Repeat, stream.Measure}
			require.Equal(t, uint64(step.Operations), ops[k])
			require.Equal(t, step.Failed, failed[k])
			require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3300 * time.Millisecond}, seconds[k])
			histogram := durations[k].Encode()
			require.Equal(t, step.Histogram, histogram, "percentiles of the seconds are of the same operations")
			k.phase = stream.Warmup
			require.Equal(t, uint64(15*step.Clients), ops[k]+failed[k], "1.5 s of 100 ms")
			require.Equal(t, 1500*time.Millisecond, lasted[k].Round(time.Millisecond))
			require.Positive(t, len(moments[k]))
		}
	})
}

func TestStreamOfAShortStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "iterations": 3}`, `sweep.run(() => sleep(10))`)
		_, err := s.Run(t.Context())
		require.NoError(t, err)
		figures := streamed(s)
		require.Len(t, figures, 2)
		require.Len(t, figures[0].Seconds, 1)
		require.Equal(t, uint64(6), figures[0].Seconds[0].Ops)
		require.Equal(t, 30*time.Millisecond, figures[0].Seconds[0].Elapsed.Truncate(time.Millisecond))
		require.Len(t, figures[1].Ended, 1)
		require.True(t, figures[1].At.After(figures[0].At))
	})
}

func TestStreamOfALongTeardown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "iterations": 3}`, `sweep.run(() => sleep(400)); sleep(3500)`)
		_, err := s.Run(t.Context())
		require.NoError(t, err)
		figures := streamed(s)
		require.Len(t, figures, 3)
		require.Equal(t, []uint64{4, 2}, []uint64{figures[0].Seconds[0].Ops, figures[1].Seconds[0].Ops})
		require.Equal(t, 200*time.Millisecond, figures[1].Seconds[0].Elapsed.Round(time.Millisecond))
		require.Equal(t, 200*time.Millisecond, figures[1].At.Sub(figures[0].At).Round(time.Millisecond))
		require.Len(t, figures[2].Ended, 1)
	})
}

// Seconds before the first finished operation belong to the names that appear later.
func TestStreamOfSlowOperations(t *testing.T) {
	for name, tt := range map[string]struct {
		script string
		want   map[string][]uint64 // successful operations per second, by name
	}{
		"named":          {`sweep.run(() => sweep.op("get", () => sleep(1600)))`, map[string][]uint64{"get": {0, 1, 0, 1}}},
		"not named":      {`sweep.run(() => sleep(1600))`, map[string][]uint64{"rollup": {0, 1, 0, 1}}},
		"two kinds":      {`sweep.run(() => { sweep.op("get", () => sleep(1300)); sweep.op("set", () => sleep(250)) })`, map[string][]uint64{"get": {0, 1, 1}, "set": {0, 1, 0, 1}, report.TotalOp: {0, 2, 1, 1}}},
		"at the end":     {`sweep.run(() => { sleep(2900); sweep.op("get", () => sleep(50)) })`, map[string][]uint64{"get": {0, 0, 1}}},
		"one that fails": {`sweep.run(() => sweep.op("get", () => { sleep(2500); throw 'no' }))`, map[string][]uint64{"get": {0, 0, 0, 0, 0}}},
		"none":           {`sweep.run(() => hang())`, map[string][]uint64{"rollup": {0, 0, 0, 0, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, `{"clients": [1], "duration": "2950ms", "maxDuration": "4s", "gracefulStop": "950ms"}`, tt.script)
				rep, err := s.Run(t.Context())
				require.NoError(t, err)
				got, sampled, ended := map[string][]uint64{}, map[string]int{}, map[string]int64{}
				var last, lasted time.Time
				for _, f := range streamed(s) {
					require.True(t, f.At.After(last), "each has its time, in their order")
					last = f.At
					for _, second := range f.Seconds {
						got[second.Op] = append(got[second.Op], second.Ops)
						if lasted.IsZero() {
							lasted = f.At.Add(-second.Elapsed)
						}
						if second.Op == f.Seconds[0].Op {
							lasted = lasted.Add(second.Elapsed)
							require.Equal(t, lasted.Round(time.Millisecond), f.At.Round(time.Millisecond), "no time is left out")
						}
						require.NotNil(t, second.Durations)
					}
					for i := range f.Ended {
						ended[f.Ended[i].Op] = f.Ended[i].Operations
					}
					for _, sample := range f.GetSamples() {
						if op, ok := sample.Tags.Get("op"); ok && sample.Metric.Name == stream.MetricOps {
							sampled[op]++
						}
					}
				}
				require.Equal(t, tt.want, got)
				kinds := len(tt.want)
				for op, seconds := range tt.want {
					if op == report.TotalOp {
						require.Zero(t, sampled[op], "k6 would count a total twice")
						require.Equal(t, ended["get"]+ended["set"], ended[op])
						kinds--

						continue
					}
					require.GreaterOrEqual(t, sampled[op], len(seconds))
				}
				require.Len(t, sampled, kinds)
				require.Len(t, rep.Steps, kinds, "the same as in the report")
			})
		})
	}
}

// The rate of a short warm-up does not include connecting.
func TestStreamOfAShortWarmUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "iterations": 3, "warmup": "600ms"}`, `sleep(700); sweep.run(() => sleep(10))`)
		_, err := s.Run(t.Context())
		require.NoError(t, err)
		var ops uint64
		var lasted time.Duration
		for _, f := range streamed(s) {
			for _, second := range f.Seconds {
				if second.Phase == stream.Warmup {
					ops += second.Ops
					lasted += second.Elapsed
				}
			}
		}
		require.Equal(t, uint64(120), ops)
		require.Equal(t, 600*time.Millisecond, lasted.Round(time.Millisecond))
	})
}

func TestStreamOfAnOpenLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"rate": [10, 20], "preAllocatedVUs": 5, "duration": "2s", "warmup": "1s"}`, `sweep.run(() => sleep(10))`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		ops := map[float64]uint64{}
		for _, f := range streamed(s) {
			require.Equal(t, 5, f.Step.Clients)
			for _, second := range f.Seconds {
				if second.Phase == stream.Measure {
					ops[f.Step.Rate] += second.Ops
				}
			}
		}
		require.Equal(t, map[float64]uint64{10: 20, 20: 40}, ops)
		require.Len(t, rep.Steps, 2)
	})
}
