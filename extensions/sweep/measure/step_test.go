package measure

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Tests of whole steps run in synctest bubbles: durations are exact, and a leaked or blocked
// goroutine fails the test.

const ms = time.Millisecond

var errServer = errors.New("server says no")

func together(s *Step, work func(i int, c *Client) error) []error {
	var wg sync.WaitGroup
	errs := make([]error, len(s.clients))
	for i := range s.clients {
		wg.Go(func() {
			defer s.Client(i).Leave()
			errs[i] = work(i, s.Client(i))
		})
	}
	wg.Wait()

	return errs
}

func taking(d time.Duration) func() error {
	return func() error {
		time.Sleep(d)

		return nil
	}
}

func requireNoErrors(t *testing.T, errs []error) {
	t.Helper()
	for i, err := range errs {
		require.NoError(t, err, "client %d", i)
	}
}

func TestEachClientDoesItsShare(t *testing.T) {
	for _, clients := range []int{1, 2, 7, 64} {
		for _, operations := range []uint64{1, 2, 100} {
			t.Run(fmt.Sprintf("%d x %d", clients, operations), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := NewStep(clients, Plan{Operations: operations}, nil)
					calls := make([]uint64, clients)
					errs := together(s, func(i int, c *Client) error {
						return c.Run(t.Context(), "op", nil, func() error {
							calls[i]++
							time.Sleep(10 * ms)

							return nil
						})
					})

					requireNoErrors(t, errs)
					for _, n := range calls {
						require.Equal(t, operations, n)
					}
					r := s.Read()
					require.True(t, r.Started)
					require.True(t, r.Complete)
					require.Equal(t, clients, r.Ended)
					require.EqualValues(t, clients, r.ClientTimes.Count)
					require.Equal(t, time.Duration(operations)*10*ms, r.Elapsed)
					require.Empty(t, r.Op("op").Errors)
					require.Len(t, r.Ops, 1)
					require.Equal(t, int64(clients)*int64(operations), r.Op("op").Durations.Count)
					require.Equal(t, 10*ms, r.Op("op").Durations.Min)
					require.Equal(t, 10*ms, r.Op("op").Durations.Max)
					require.Equal(t, 10*ms, r.Op("op").Durations.Quantile(0.99))
					require.Nil(t, r.Op("other"))
				})
			})
		}
	}
}

// A failed operation counts for the share but in no percentile.
func TestFailuresBelongToTheShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(4, Plan{Operations: 10}, nil)
		errs := together(s, func(_ int, c *Client) error {
			n := 0

			return c.Run(t.Context(), "op", nil, func() error {
				if n++; n%5 == 0 {
					time.Sleep(time.Hour)

					return errServer
				}
				time.Sleep(ms)

				return nil
			})
		})

		requireNoErrors(t, errs)
		r := s.Read()
		require.True(t, r.Complete, "failures do not make a step incomplete")
		require.Equal(t, int64(4*8), r.Op("op").Durations.Count)
		require.Equal(t, uint64(4*2), r.Op("op").Failed)
		require.Equal(t, ms, r.Op("op").Durations.Max)
		require.Equal(t, map[string]uint64{errServer.Error(): 8}, r.Op("op").Errors)
	})
}

func TestClientTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(3, Plan{Operations: 10}, nil)
		requireNoErrors(t, together(s, func(i int, c *Client) error {
			return c.Run(t.Context(), "op", nil, taking([]time.Duration{200 * ms, 300 * ms, 100 * ms}[i]))
		}))

		r := s.Read()
		require.Equal(t, 1*time.Second, r.ClientTimes.Min)
		require.Equal(t, 3*time.Second, r.ClientTimes.Max)
		require.Equal(t, 2*time.Second, r.ClientTimes.Mean())
		require.Equal(t, 3*time.Second, r.Elapsed)

		time.Sleep(time.Hour)
		require.Equal(t, 3*time.Second, s.Read().Elapsed, "the step time stands still once all have ended")
	})
}

func TestDurationStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Duration: time.Second}, nil)
		requireNoErrors(t, together(s, func(i int, c *Client) error {
			return c.Run(t.Context(), "op", nil, taking([]time.Duration{100 * ms, 300 * ms}[i]))
		}))

		r := s.Read()
		require.True(t, r.Complete)
		// 10 operations of 100 ms, and 4 of 300 ms; the last one ends 200 ms late.
		require.Equal(t, int64(10+4), r.Op("op").Durations.Count)
		require.Equal(t, 1000*ms, r.ClientTimes.Min)
		require.Equal(t, 1200*ms, r.ClientTimes.Max)
		require.Equal(t, 1200*ms, r.Elapsed)
	})
}

func TestWarmupIsNotCounted(t *testing.T) {
	for _, plan := range []Plan{
		{Operations: 10, Warmup: time.Second},
		{Duration: time.Second, Warmup: time.Second},
	} {
		t.Run(fmt.Sprintf("%+v", plan), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewStep(3, plan, nil)
				var calls, early atomic.Int64
				requireNoErrors(t, together(s, func(_ int, c *Client) error {
					r := c.Recorder("mine")

					return c.Run(t.Context(), "op", nil, func() error {
						calls.Add(1)
						r.Rows(1)
						r.Bytes(1, 1)
						if !c.measuring {
							early.Add(1)
							r.Fail(errServer)
							time.Sleep(200 * ms)

							return errServer // must not affect the slots
						}
						time.Sleep(100 * ms)

						return nil
					})
				}))

				require.Equal(t, int64(3*5), early.Load(), "1 s of warm-up at 200 ms")
				require.Equal(t, int64(3*15), calls.Load())
				r := s.Read()
				require.True(t, r.Complete)
				require.Equal(t, int64(30), r.Op("op").Durations.Count)
				require.Equal(t, 100*ms, r.Op("op").Durations.Max)
				require.Zero(t, r.Op("mine").Failed)
				require.Equal(t, []uint64{30, 30, 30},
					[]uint64{r.Op("mine").Rows, r.Op("mine").BytesSent, r.Op("mine").BytesReceived})
				require.Empty(t, r.Op("op").Errors)
				require.Equal(t, time.Second, r.Elapsed)
			})
		})
	}
}

func TestWarmupFaultsAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		s := NewStep(1, Plan{Operations: 1, Warmup: time.Second}, func(err error) { told = append(told, err.Error()) })
		c := s.Client(0)
		require.NoError(t, c.Run(t.Context(), "op", nil, func() error {
			time.Sleep(100 * ms)
			if c.measuring {
				return nil
			}

			return errServer
		}))
		require.Equal(t, []string{errServer.Error()}, told)
		require.Empty(t, readOp(s, "op").Errors)
	})
}

// No client starts before all are connected, and none is measured before all have warmed up.
func TestClientsStartTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients = 8
		type event struct {
			what   string
			client int
			at     time.Duration
		}
		begin := time.Now()
		events := make(chan event, 1000)
		s := NewStep(clients, Plan{Operations: 3, Warmup: time.Second}, nil)
		requireNoErrors(t, together(s, func(i int, c *Client) error {
			time.Sleep(time.Duration(i) * time.Second)
			events <- event{"connected", i, time.Since(begin)}
			warm := func() { events <- event{"warm", i, time.Since(begin)} }

			return c.Run(t.Context(), "op", warm, func() error {
				events <- event{map[bool]string{false: "warm-up", true: "operation"}[c.measuring], i, time.Since(begin)}
				time.Sleep(time.Duration(i+1) * 300 * ms)

				return nil
			})
		}))
		close(events)

		seen := map[string]int{}
		first := map[string]time.Duration{}
		stages := []string{"connected", "warm-up", "warm", "operation"}
		furthest := 0
		for e := range events {
			stage := slices.Index(stages, e.what)
			if stage > furthest {
				furthest = stage
				require.Zero(t, seen[e.what])
			}
			switch e.what {
			case "warm": // while others warm up
				require.Less(t, furthest, 3, "client %d is warm after the first operation", e.client)
			case "connected", "warm-up":
				require.LessOrEqual(t, stage, 2)
				require.Less(t, furthest, 3, "%s of client %d after the first operation", e.what, e.client)
			}
			if seen[e.what]++; seen[e.what] == 1 {
				first[e.what] = e.at
			}
		}
		require.Equal(t, clients, seen["connected"])
		require.Equal(t, clients, seen["warm"])
		require.Equal(t, clients*3, seen["operation"])
		require.Equal(t, 7*time.Second, first["warm-up"], "when the last has connected")
		// The slowest client's operation of 2.4 s began in the first second of the warm-up.
		require.Equal(t, 9400*ms, first["operation"])
		require.Equal(t, 3*2400*ms, s.Read().Elapsed)
	})
}

func TestLineAndStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Operations: 1, Warmup: time.Second}, nil)
		require.False(t, s.Started())
		require.Zero(t, s.Read().Elapsed)
		_, elapsed := s.Progress()
		require.Zero(t, elapsed)

		begin := time.Now()
		var opened time.Duration
		go func() {
			<-s.Line()
			opened = time.Since(begin)
		}()
		requireNoErrors(t, together(s, func(_ int, c *Client) error { return c.Run(t.Context(), "op", nil, taking(ms)) }))
		synctest.Wait()
		require.Equal(t, time.Second, opened)
		require.True(t, s.Started())
	})
}

func TestLeaving(t *testing.T) {
	for _, tt := range []struct {
		name    string
		warmup  time.Duration
		work    func(ctx context.Context, c *Client) error
		started int
	}{
		{"before connecting", time.Second, func(context.Context, *Client) error { return errServer }, 2},
		{"in the warm-up", time.Second, func(ctx context.Context, c *Client) error {
			return c.Run(ctx, "op", nil, func() error { return Stop(errServer) })
		}, 2},
		{"at its first operation", 0, func(ctx context.Context, c *Client) error {
			return c.Run(ctx, "op", nil, func() error { return Stop(errServer) })
		}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewStep(3, Plan{Operations: 5, Warmup: tt.warmup}, nil)
				errs := together(s, func(i int, c *Client) error {
					if i == 1 {
						return tt.work(t.Context(), c)
					}

					return c.Run(t.Context(), "op", nil, taking(10*ms))
				})

				require.NoError(t, errs[0])
				require.Equal(t, errServer, errs[1])
				require.NoError(t, errs[2])
				require.True(t, s.Client(1).Finished())
				r := s.Read()
				require.True(t, r.Started)
				require.False(t, r.Complete)
				require.Equal(t, 3, r.Ended)
				require.EqualValues(t, tt.started, r.ClientTimes.Count)
				require.Equal(t, int64(10), r.Op("op").Durations.Count)
				require.Zero(t, r.Op("op").Failed, "Stop is no failed operation")
				require.Equal(t, 50*ms, r.Elapsed)
			})
		})
	}
}

func TestAllLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(3, Plan{Operations: 5}, nil)
		together(s, func(int, *Client) error { return nil })
		r := s.Read()
		require.False(t, r.Complete)
		require.Equal(t, 3, r.Ended)
		require.Zero(t, r.ClientTimes.Count)
		require.Zero(t, r.ClientTimes.Mean())
		require.Zero(t, r.Elapsed)
		require.Empty(t, r.Ops)
	})
}

func TestLeavingAfterTheEndChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Operations: 2}, nil)
		c := s.Client(0)
		require.NoError(t, c.Run(t.Context(), "op", nil, taking(ms)))
		before := s.Read()
		time.Sleep(time.Second)
		c.Leave()
		c.Leave()
		require.Equal(t, before, s.Read())
		require.True(t, s.Read().Complete)
	})
}

func TestStop(t *testing.T) {
	for name, warmup := range map[string]time.Duration{"measuring": 0, "warming up": time.Minute} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewStep(2, Plan{Operations: 1000, Warmup: warmup}, nil)
				time.AfterFunc(550*ms, s.Stop)
				requireNoErrors(t, together(s, func(_ int, c *Client) error {
					return c.Run(t.Context(), "op", nil, taking(100*ms))
				}))

				r := s.Read()
				require.False(t, r.Complete)
				require.False(t, s.Interrupted())
				require.Equal(t, 2, r.Ended)
				require.Zero(t, r.Op("op").Failed)
				if warmup > 0 {
					require.Zero(t, r.Op("op").Durations.Count)
					require.Zero(t, r.Elapsed)

					return
				}
				require.Equal(t, int64(12), r.Op("op").Durations.Count, "the one under way is still done")
				require.Equal(t, 600*ms, r.Elapsed)
			})
		})
	}
}

func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		told := 0
		s := NewStep(1, Plan{Operations: 1000}, func(error) { told++ })
		time.AfterFunc(550*ms, func() {
			s.Interrupt()
			cancel()
		})
		n := 0
		require.NoError(t, s.Client(0).Run(ctx, "op", nil, func() error {
			if n++; n == 2 {
				time.Sleep(100 * ms)

				return errServer
			}
			select {
			case <-time.After(100 * ms):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}))

		require.True(t, s.Interrupted())
		require.True(t, s.Client(0).Finished())
		r := s.Read()
		require.False(t, r.Complete)
		require.Equal(t, int64(4), r.Op("op").Durations.Count)
		require.Equal(t, uint64(1), r.Op("op").Failed)
		require.Equal(t, map[string]uint64{errServer.Error(): 1}, r.Op("op").Errors)
		require.Equal(t, 1, told)
	})
}

// Without Interrupt, an interrupted operation is a failure.
func TestCutOffWithoutInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cutOff := errors.New("cut off")
		ctx, cancel := context.WithCancelCause(t.Context())
		s := NewStep(1, Plan{Operations: 10}, nil)
		time.AfterFunc(time.Second, func() {
			s.Stop()
			cancel(cutOff)
		})
		require.NoError(t, s.Client(0).Run(ctx, "op", nil, func() error {
			<-ctx.Done()

			return context.Cause(ctx)
		}))
		r := s.Read()
		require.Equal(t, uint64(1), r.Op("op").Failed)
		require.Equal(t, map[string]uint64{"cut off": 1}, r.Op("op").Errors)
	})
}

func TestCutOffFailsOnce(t *testing.T) {
	cutOff := errors.New("cut off")
	before := map[string]func(r *Recorder){
		"nothing":             func(*Recorder) {},
		"successes":           func(r *Recorder) { r.Ok(ms); r.Ok(ms) },
		"a failure":           func(r *Recorder) { r.Fail(errServer) },
		"failures, then none": func(r *Recorder) { r.Fail(errServer); r.Fail(errServer); r.Ok(ms) },
	}
	failuresBefore := map[string]int{"a failure": 1, "failures, then none": 2}
	// Each case does something that is interrupted; the counts are failures by name.
	ends := map[string]struct {
		do   func(ctx context.Context, r *Recorder)
		want map[string]int
	}{
		"nobody records it":     {func(ctx context.Context, _ *Recorder) { <-ctx.Done() }, map[string]int{"op": 1}},
		"the call records it":   {func(ctx context.Context, r *Recorder) { <-ctx.Done(); r.Fail(context.Cause(ctx)) }, map[string]int{"get": 1}},
		"and not why":           {func(ctx context.Context, r *Recorder) { <-ctx.Done(); r.Fail(errServer) }, map[string]int{"get": 1}},
		"a pipeline":            {func(ctx context.Context, r *Recorder) { <-ctx.Done(); r.Fail(errServer); r.Fail(errServer) }, map[string]int{"get": 2}},
		"begun and not ended":   {func(ctx context.Context, r *Recorder) { r.Begin(); <-ctx.Done() }, map[string]int{"get": 1}},
		"begun, and ended late": {func(ctx context.Context, r *Recorder) { r.Begin(); <-ctx.Done(); r.End(0, cutOff) }, map[string]int{"get": 1}},
	}
	for first, record := range before {
		for last, end := range ends {
			t.Run(first+", "+last, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					s := NewStep(1, Plan{Operations: 10}, nil)
					time.AfterFunc(time.Second, func() {
						s.Stop()
						cancel(cutOff)
					})
					c := s.Client(0)
					require.NoError(t, c.Run(ctx, "op", nil, func() error {
						r := c.Recorder("get")
						record(r)
						end.do(ctx, r)

						return context.Cause(ctx)
					}))
					r, got := s.Read(), map[string]int{}
					for i := range r.Ops {
						if failed := int(r.Ops[i].Failed); failed > 0 {
							got[r.Ops[i].Op] = failed
						}
					}
					want := maps.Clone(end.want)
					if n := failuresBefore[first]; n > 0 {
						want["get"] += n
					}
					require.Equal(t, want, got)
				})
			})
		}
	}
}

// The call's error explains its recorded failures, unless it was interrupted.
func TestCallThatFailsAfterItsFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Operations: 2}, nil)
		c := s.Client(0)
		require.NoError(t, c.Run(t.Context(), "op", nil, func() error {
			r := c.Recorder("get")
			r.Fail(errServer)
			r.Ok(ms)

			return errServer
		}))
		r := s.Read()
		require.EqualValues(t, 1, r.Op("get").Failed)
		require.Nil(t, r.Op("op"))
	})
}

func TestStopError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Operations: 10}, nil)
		c := s.Client(0)
		n := 0
		err := c.Run(t.Context(), "op", nil, func() error {
			time.Sleep(ms)
			if n++; n == 4 {
				return fmt.Errorf("wrapped: %w", Stop(errServer))
			}

			return nil
		})
		require.Equal(t, errServer, err, "as it was given to Stop")
		require.ErrorIs(t, Stop(errServer), errServer)
		require.Equal(t, 4, n)
		require.True(t, c.Finished())
		r := s.Read()
		require.False(t, r.Complete)
		require.Equal(t, int64(3), r.Op("op").Durations.Count)
		require.Zero(t, r.Op("op").Failed)
		require.Equal(t, 4*ms, r.ClientTimes.Max)
	})
}

func TestTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Operations: 3}, nil)
		c := s.Client(0)
		require.NoError(t, c.Run(t.Context(), "op", nil, taking(ms)))
		require.ErrorIs(t, c.Run(t.Context(), "op", nil, func() error {
			t.Error("called")

			return nil
		}), ErrTwice)
		require.Equal(t, int64(3), s.Read().Ops[0].Durations.Count)
	})
}

// Operations that a call records make up its share.
func TestCallsThatRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Operations: 10}, nil)
		calls := make([]int, 2)
		requireNoErrors(t, together(s, func(i int, c *Client) error {
			get, set := c.Recorder("get"), c.Recorder("set")
			require.Same(t, get, c.Recorder("get"))

			return c.Run(t.Context(), "op", nil, func() error {
				calls[i]++
				time.Sleep(100 * ms)
				get.Ok(30 * ms)
				get.Ok(40 * ms)
				set.Ok(20 * ms)
				if calls[i] == 1 {
					set.Fail(errServer)

					return errServer
				}

				return nil
			})
		}))

		require.Equal(t, []int{3, 3}, calls)
		r := s.Read()
		require.True(t, r.Complete)
		require.Equal(t, []string{"get", "set"}, []string{r.Ops[0].Op, r.Ops[1].Op}, "sorted; nothing was recorded as op")
		require.Equal(t, int64(12), r.Op("get").Durations.Count)
		require.Equal(t, 40*ms, r.Op("get").Durations.Max)
		require.Equal(t, int64(6), r.Op("set").Durations.Count)
		require.Equal(t, uint64(2), r.Op("set").Failed)
		require.Equal(t, map[string]uint64{errServer.Error(): 2}, r.Op("set").Errors, "of the operation that failed")
		require.Empty(t, r.Op("get").Errors)
	})
}

func TestFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Operations: 2}, nil)
		c := s.Client(0)
		require.NoError(t, c.Run(t.Context(), "op", nil, taking(ms)))
		c.Fault("op", errServer)
		r := s.Read()
		require.Equal(t, uint64(1), r.Op("op").Failed)
		require.Equal(t, int64(2), r.Op("op").Durations.Count)
		require.Equal(t, map[string]uint64{errServer.Error(): 1}, r.Op("op").Errors)
	})
}

// A nested Run continues at the client's stage; the call around it is not an operation.
func TestNestedRun(t *testing.T) {
	for _, tt := range []struct {
		name   string
		warmup time.Duration
		nestAt int // the outer call that calls Run
		outer  int64
	}{
		{"at once, in the warm-up", time.Second, 1, 0},
		{"later in the warm-up", time.Second, 3, 0},
		{"at the first measured call", 0, 1, 0},
		{"later in the measured phase", 0, 4, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewStep(2, Plan{Operations: 10, Warmup: tt.warmup}, nil)
				var started atomic.Int64
				onStart := func() { started.Add(1) }
				requireNoErrors(t, together(s, func(_ int, c *Client) error {
					outer := 0

					return c.Run(t.Context(), "outer", onStart, func() error {
						time.Sleep(100 * ms)
						if outer++; outer < tt.nestAt {
							return nil
						}
						defer time.Sleep(time.Hour)

						return c.Run(t.Context(), "inner", onStart, taking(10*ms))
					})
				}))

				require.Equal(t, int64(2), started.Load(), "each client starts once")
				r := s.Read()
				require.True(t, r.Complete)
				require.Equal(t, 2*(10-tt.outer), r.Op("inner").Durations.Count)
				require.Equal(t, 10*ms, r.Op("inner").Durations.Max)
				require.Zero(t, r.Op("inner").Failed)
				if tt.outer == 0 {
					require.Nil(t, r.Op("outer"))

					return
				}
				require.Equal(t, 2*tt.outer, r.Op("outer").Durations.Count)
				require.Zero(t, r.Op("outer").Failed)
				require.LessOrEqual(t, r.Op("outer").Durations.Max, 100*ms)
			})
		})
	}
}

func TestNestedRunThatDoesNothing(t *testing.T) {
	for name, warmup := range map[string]time.Duration{"warming up": time.Minute, "measuring": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewStep(1, Plan{Operations: 10, Warmup: warmup}, nil)
				c := s.Client(0)
				require.NoError(t, c.Run(t.Context(), "op", nil, func() error {
					time.Sleep(time.Second)
					s.Stop()

					return c.Run(t.Context(), "op", nil, taking(ms))
				}))
				r := s.Read()
				require.False(t, r.Complete)
				require.Zero(t, r.Op("op").Durations.Count)
				require.Zero(t, r.Op("op").Failed)
			})
		})
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	for name, warmup := range map[string]time.Duration{"for connections": 0, "at the start line": 100 * ms} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cause := errors.New("Ctrl-C")
				ctx, cancel := context.WithCancelCause(t.Context())
				s := NewStep(3, Plan{Operations: 5, Warmup: warmup}, nil)
				errs := together(s, func(i int, c *Client) error {
					if i == 2 { // blocks the others
						if warmup == 0 {
							<-ctx.Done()

							return nil
						}

						return c.Run(t.Context(), "op", nil, func() error {
							<-ctx.Done()
							time.Sleep(time.Second)

							return Stop(errServer)
						})
					}
					time.AfterFunc(time.Second, func() { cancel(cause) })
					err := c.Run(ctx, "op", nil, taking(ms))
					require.True(t, c.Finished())
					// A script that ignores the error and tries again gets no further.
					require.Error(t, c.Run(ctx, "op", nil, func() error {
						t.Error("called although the start line is closed")

						return nil
					}))

					return err
				})

				require.Equal(t, cause, errs[0])
				require.Equal(t, cause, errs[1])
				r := s.Read()
				require.False(t, r.Complete)
				require.Equal(t, 3, r.Ended)
				require.Zero(t, r.ClientTimes.Count)
				require.Zero(t, r.Op("op").Durations.Count)
			})
		})
	}
}

func TestErrorTextsAreBounded(t *testing.T) {
	for _, tt := range []struct {
		name                      string
		clients, texts, each, all int
	}{
		{"few", 1, 5, 3, 5},
		{"just as many", 2, maxMessages, 1, maxMessages},
		{"one too many", 1, maxMessages + 1, 1, maxMessages + 1},
		{"many", 4, 500, 2, maxMessages + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				told := map[string]int{}
				s := NewStep(tt.clients, Plan{Operations: uint64(tt.texts * tt.each)}, func(err error) {
					mu.Lock()
					defer mu.Unlock()
					told[err.Error()]++
				})
				requireNoErrors(t, together(s, func(_ int, c *Client) error {
					n := 0

					return c.Run(t.Context(), "op", nil, func() error {
						n++

						return errors.New("error " + word(n%tt.texts))
					})
				}))

				r := s.Read()
				require.Len(t, r.Op("op").Errors, tt.all)
				require.Equal(t, tt.all > maxMessages, r.Op("op").Errors[otherErrors] > 0)
				var sum uint64
				for n := range maps.Values(r.Op("op").Errors) {
					sum += n
				}
				require.Equal(t, uint64(tt.clients*tt.texts*tt.each), sum)
				require.Equal(t, sum, r.Op("op").Failed)
				require.LessOrEqual(t, len(told), maxMessages)
				require.GreaterOrEqual(t, len(told), min(tt.texts, maxMessages))
				for message, n := range told {
					require.Equal(t, 1, n, message)
				}
			})
		})
	}
}

// Even if the errors of all clients differ, the number of texts is bounded.
func TestErrorTextsOfAStepAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients, operations = 30, 10
		s := NewStep(clients, Plan{Operations: operations}, nil)
		requireNoErrors(t, together(s, func(i int, c *Client) error {
			n := 0

			return c.Run(t.Context(), "op", nil, func() error {
				if n++; n == 1 {
					return errServer
				}

				return fmt.Errorf("client %s, error %s", word(i), word(n))
			})
		}))

		r := s.Read()
		require.LessOrEqual(t, len(r.Op("op").Errors), maxMessages+1)
		require.Equal(t, uint64(clients), r.Op("op").Errors[errServer.Error()], "the most frequent one is kept")
		var sum uint64
		for _, n := range r.Op("op").Errors {
			sum += n
		}
		require.Equal(t, uint64(clients*operations), sum)
	})
}

func TestReadingWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Operations: 10, Warmup: time.Second}, nil)
		done := make(chan struct{})
		go func() {
			defer close(done)
			together(s, func(i int, c *Client) error {
				return c.Run(t.Context(), "op", nil, taking([]time.Duration{100 * ms, 200 * ms}[i]))
			})
		}()
		at := func(when time.Duration) (Reading, uint64, time.Duration) {
			time.Sleep(when)
			synctest.Wait()
			operations, elapsed := s.Progress()

			return s.Read(), operations, elapsed
		}

		r, operations, elapsed := at(500 * ms)
		require.False(t, r.Started)
		require.False(t, r.Complete)
		require.Zero(t, r.Elapsed)
		require.Zero(t, r.Op("op").Durations.Count)
		require.Zero(t, operations)
		require.Zero(t, elapsed)

		r, operations, elapsed = at(1050 * ms) // 550 ms after the start line
		require.True(t, r.Started)
		require.Zero(t, r.Ended)
		require.Equal(t, 550*ms, r.Elapsed)
		require.Equal(t, int64(5+2), r.Op("op").Durations.Count)
		require.Equal(t, uint64(7), operations)
		require.Equal(t, 550*ms, elapsed)
		require.Zero(t, r.ClientTimes.Count, "read when all have ended")

		r, _, _ = at(500 * ms)
		require.Equal(t, 1, r.Ended)
		require.False(t, r.Complete)
		require.Equal(t, 1050*ms, r.Elapsed)
		require.Zero(t, r.ClientTimes.Count, "read when all have ended")

		<-done
		r, operations, _ = at(0)
		require.True(t, r.Complete)
		require.Equal(t, 2, r.Ended)
		require.Equal(t, 2*time.Second, r.Elapsed)
		require.Equal(t, uint64(20), operations)
		require.EqualValues(t, 2, r.ClientTimes.Count)
		require.Equal(t, time.Second, r.ClientTimes.Min)
		require.Equal(t, 2*time.Second, r.ClientTimes.Max)
		require.EqualValues(t, 10, r.ClientOps.Min)
		require.EqualValues(t, 10, r.ClientOps.Max)
	})
}

// Clients and readers run in parallel, for the race detector.
func TestReadersAndClientsInParallel(t *testing.T) {
	const clients, operations = 4, 3000
	s := NewStep(clients, Plan{Operations: operations}, func(error) {})
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			last := uint64(0)
			for {
				r := s.Read()
				n, _ := s.Progress()
				if n < last || r.Ended > clients {
					t.Errorf("%d operations after %d, %d clients ended", n, last, r.Ended)
				}
				last = n
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	requireNoErrors(t, together(s, func(i int, c *Client) error {
		n := 0

		return c.Run(t.Context(), "op", nil, func() error {
			n++
			c.Recorder(fmt.Sprintf("op %d", n%3)).Rows(1)
			if n%10 == i {
				return fmt.Errorf("error %d", n)
			}

			return nil
		})
	}))
	close(stop)
	readers.Wait()

	r := s.Read()
	require.True(t, r.Complete)
	require.Equal(t, int64(clients*operations*9/10), r.Op("op").Durations.Count)
	require.Equal(t, uint64(clients*operations/10), r.Op("op").Failed)
	require.Equal(t, uint64(clients*operations), r.Op("op 0").Rows+r.Op("op 1").Rows+r.Op("op 2").Rows)
}

func TestACallThatFailsAfterRecordingSuccesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Operations: 4}, nil)
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			return c.Run(t.Context(), "call", nil, func() error {
				c.Recorder("get").Ok(ms)

				return errServer
			})
		}))

		r := s.Read()
		require.EqualValues(t, 2, r.Op("get").Durations.Count)
		require.EqualValues(t, 2, r.Op("call").Failed)
		require.EqualValues(t, 2, r.Op("call").Errors[errServer.Error()])
	})
}

func TestMostFrequent(t *testing.T) {
	require.Empty(t, MostFrequent(nil))
	require.Equal(t, []string{"often", "a", "b", "rare"},
		MostFrequent(map[string]uint64{"rare": 1, "b": 2, "often": 300, "a": 2}))
}

func readOp(s *Step, op string) *Totals {
	r := s.Read()

	return r.Op(op)
}

func TestOnEndIsCalledWhenTheLastClientHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(3, Plan{Operations: 1}, nil)
		var ends []time.Duration
		s.OnEnd(func() { ends = append(ends, now()-s.line.openedAt) })
		requireNoErrors(t, together(s, func(i int, c *Client) error {
			err := c.Run(t.Context(), "op", nil, taking(time.Duration(i+1)*ms))
			time.Sleep(time.Second) // after the client's share
			c.Leave()

			return err
		}))
		require.Equal(t, []time.Duration{3 * ms}, ends)
	})
}

func TestAwaitEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Operations: 1}, nil)
		s.Client(0).Leave()
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s.AwaitEnd(ctx)
		require.Equal(t, time.Second, time.Since(begin), "the other one has not ended")
		time.AfterFunc(time.Second, s.Client(1).Leave)
		s.AwaitEnd(t.Context())
		require.Equal(t, 2*time.Second, time.Since(begin))
	})
}
