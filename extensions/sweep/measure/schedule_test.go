package measure

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOpenLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(4, Plan{Rate: 100, Duration: 2 * time.Second}, nil)
		requireNoErrors(t, together(s, doing(t, 10*ms)))

		r := s.Read()
		require.True(t, r.Complete)
		require.EqualValues(t, 200, r.Op("op").Durations.Count)
		require.Equal(t, 10*ms, r.Op("op").Durations.Max)
		require.Equal(t, 2*time.Second, r.Elapsed, "the last operation was due at 1.99 s")
		require.Zero(t, r.Unstarted)
	})
}

// All operations delayed by a stall count, to avoid coordinated omission.
func TestOpenLoopCountsFromTheIntendedStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Rate: 100, Duration: 10 * time.Second}, nil)
		stalled := false
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			return c.Run(t.Context(), "op", nil, func() error {
				if !stalled {
					stalled = true
					time.Sleep(time.Second)
				}

				return nil
			})
		}))

		d := &readOp(s, "op").Durations
		require.EqualValues(t, 1000, d.Count)
		require.Equal(t, time.Second, d.Max)
		// 100 operations were due during the stall and waited 990 ms, 980 ms, ... 0.
		waited := time.Duration(0)
		for i := range 101 {
			waited += time.Duration(i) * 10 * ms
		}
		require.Equal(t, waited, d.Sum)
		require.InEpsilon(t, float64(500*ms), float64(d.Quantile(0.95)), 0.02)
	})
}

// stalling is a generator that stops before one of its places.
type stalling struct {
	allPlaces

	at    uint64
	stall time.Duration
}

func (s *stalling) Next() uint64 {
	if s.next == s.at {
		time.Sleep(s.stall)
	}

	return s.allPlaces.Next()
}

// Operations delayed by the generator count from their due time, like those delayed by the server.
func TestOpenLoopCountsTheGeneratorsLateness(t *testing.T) {
	for name, took := range map[string]time.Duration{"of no time": 0, "of some time": 4 * ms} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				places := func() Places { return &stalling{at: 5, stall: 100 * ms} }
				s := NewStep(1, Plan{Rate: 100, Duration: time.Second, Places: places}, nil)
				requireNoErrors(t, together(s, doing(t, took)))

				r := s.Read()
				d, o := &r.Op("op").Durations, r.OpenLoop
				require.True(t, r.Complete)
				require.EqualValues(t, 100, d.Count)
				require.Equal(t, 90*ms+took, o.Lateness.Max, "the second operation that was due in the stall of 100 ms")
				require.Equal(t, 90*ms+2*took, d.Max)
				require.Equal(t, o.Lateness.Sum+100*took, d.Sum)
				require.Zero(t, o.LongestQueue)
				late := o.Lateness.Above(10 * ms)
				require.Greater(t, late, int64(5))
				require.InDelta(t, float64(100-late)/100, o.InTime, 1e-9)
				require.InDelta(t, float64(late)/100, o.LateByK6, 1e-9, "a client was free")
			})
		})
	}
}

// An operation is in time if it starts within 10 ms, or within a tenth of the median latency.
func TestOpenLoopLateness(t *testing.T) {
	for _, tt := range []struct {
		took   time.Duration
		inTime float64
	}{{101 * ms, 0.1}, {110 * ms, 0.02}, {100 * ms, 1}} {
		synctest.Test(t, func(t *testing.T) {
			s := NewStep(1, Plan{Rate: 10, Duration: 10 * time.Second}, nil)
			requireNoErrors(t, together(s, doing(t, tt.took)))
			o := s.Read().OpenLoop
			require.InDelta(t, tt.inTime, o.InTime, 0.1, tt.took)
			require.Zero(t, o.LateByK6)
		})
	}
	require.Equal(t, 10*ms, StartBound(20*ms))
	require.Equal(t, 30*ms, StartBound(300*ms))
}

func TestOpenLoopOfOperationsThatBeginTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Rate: 100, Duration: time.Second}, nil)
		begin := time.Now()
		var at []time.Duration
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			r := c.Recorder("op")

			return c.Run(t.Context(), "op", nil, func() error {
				for c.Next(30, asleep(s)) {
					at = append(at, time.Since(begin))
					time.Sleep(5 * ms)
					for range 30 {
						r.Ok(5 * ms)
					}
				}

				return nil
			})
		}))
		r := s.Read()
		require.Equal(t, []time.Duration{0, 300 * ms, 600 * ms, 900 * ms}, at)
		require.EqualValues(t, 120, r.Op("op").Durations.Count, "the last ones are as many as the others")
		require.EqualValues(t, 4, r.Op("op").Timings())
		require.EqualValues(t, 100, r.OpenLoop.Started)
		require.EqualValues(t, 100, r.OpenLoop.Lateness.Count)
		require.Equal(t, 5*ms, r.Op("op").Durations.Max)
		require.True(t, r.Complete)
	})
}

// Latencies recorded by the call itself also include the delay.
func TestOpenLoopOfCallsThatRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Rate: 10, Duration: time.Second}, nil)
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			get := c.Recorder("get")

			return c.Run(t.Context(), "op", nil, func() error {
				time.Sleep(110 * ms)
				get.Ok(110 * ms)

				return nil
			})
		}))

		d := &readOp(s, "get").Durations
		require.EqualValues(t, 10, d.Count)
		require.Equal(t, 110*ms, d.Min)
		require.Equal(t, 9*10*ms+110*ms, d.Max, "every operation is 10 ms later than the one before")
	})
}

func TestOpenLoopThatIsOverloaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Rate: 100, Duration: time.Second}, nil)
		requireNoErrors(t, together(s, doing(t, 200*ms)))

		r := s.Read()
		require.False(t, r.Complete)
		require.EqualValues(t, 12, r.Op("op").Durations.Count, "two clients, five a second each, and one more a moment later")
		require.EqualValues(t, 88, r.Unstarted)
		require.Equal(t, 1210*ms, r.Elapsed)
		o := r.OpenLoop
		require.EqualValues(t, 100, o.Due)
		require.EqualValues(t, 10, o.Started)
		require.EqualValues(t, 90, o.LongestQueue, "when the window was over")
		require.Equal(t, 990*ms, o.AllBusy, "the second client had nothing to do for 10 ms")
	})
}

// A rate that clients catch up with only after the window was not kept.
func TestOpenLoopThatIsAlmostKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Rate: 10, Duration: 10 * time.Second}, nil)
		requireNoErrors(t, together(s, doing(t, 104*ms)))

		r := s.Read()
		require.EqualValues(t, 100, r.OpenLoop.Due)
		require.EqualValues(t, 97, r.OpenLoop.Started)
		require.Zero(t, r.Unstarted, "what was late has started soon after the window")
		require.False(t, r.Complete)
	})
}

// A single slow operation at the end does not matter.
func TestOpenLoopWithAStraggler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Rate: 100, Duration: time.Second}, nil)
		var calls atomic.Int64
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			return c.Run(t.Context(), "op", nil, func() error {
				if calls.Add(1) == 90 {
					time.Sleep(5 * time.Second)
				}

				return nil
			})
		}))

		r := s.Read()
		require.True(t, r.Complete)
		require.Equal(t, 5890*ms, r.Elapsed)
		require.EqualValues(t, 100, r.OpenLoop.Due)
		require.EqualValues(t, 100, r.OpenLoop.Started)
		require.Zero(t, r.OpenLoop.LongestQueue)
		require.Zero(t, r.OpenLoop.AllBusy)
		require.EqualValues(t, 100, r.OpenLoop.Lateness.Count)
		require.Zero(t, r.OpenLoop.Lateness.Max)
	})
}

// A stall at the end is treated like one in the middle.
func TestOpenLoopCatchesUp(t *testing.T) {
	for name, from := range map[string]int64{"in the middle": 40, "at the end": 95} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewStep(1, Plan{Rate: 100, Duration: time.Second}, nil)
				calls := int64(0)
				requireNoErrors(t, together(s, func(_ int, c *Client) error {
					return c.Run(t.Context(), "op", nil, func() error {
						if calls++; calls == from {
							time.Sleep(95 * ms)
						}

						return nil
					})
				}))
				r := s.Read()
				require.True(t, r.Complete)
				require.EqualValues(t, 100, r.Op("op").Durations.Count)
				require.EqualValues(t, min(9, 100-from), r.OpenLoop.LongestQueue)
				require.EqualValues(t, 100-max(0, from-90), r.OpenLoop.Started)
			})
		})
	}
}

func TestOpenLoopThatIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Rate: 100, Duration: time.Second}, nil)
		time.AfterFunc(500*ms, s.Stop)
		requireNoErrors(t, together(s, doing(t, 200*ms)))

		r := s.Read()
		require.False(t, r.Complete)
		require.EqualValues(t, 6, r.Op("op").Durations.Count, "two clients, five a second each, until 0.6 s")
		require.Equal(t, 610*ms, r.Elapsed)
		require.EqualValues(t, 55, r.Unstarted)
		require.EqualValues(t, 55, r.OpenLoop.LongestQueue)
	})
}

func TestOpenLoopThatIsStoppedWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Rate: 1, Duration: time.Minute}, nil)
		time.AfterFunc(2500*ms, s.Stop)
		requireNoErrors(t, together(s, doing(t, ms)))

		r := s.Read()
		require.False(t, r.Complete)
		require.Equal(t, 2500*ms, r.Elapsed)
		require.EqualValues(t, 3, r.Op("op").Durations.Count)
		require.Zero(t, r.Unstarted, "what was due has started")
	})
}

func TestOpenLoopWarmup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(3, Plan{Rate: 100, Duration: time.Second, Warmup: 500 * ms}, nil)
		var calls atomic.Int64
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			return c.Run(t.Context(), "op", nil, func() error {
				calls.Add(1)

				return nil
			})
		}))
		require.EqualValues(t, 150, calls.Load())
		require.EqualValues(t, 100, readOp(s, "op").Durations.Count)
	})
}

// everySecond has the odd places of a schedule.
type everySecond struct{ next uint64 }

func (s *everySecond) Next() uint64 { s.next++; return 2*s.next - 1 }

func (s *everySecond) Among(n uint64) uint64 { return n / 2 }

func TestOpenLoopOfASegment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{
			Rate: 10, Duration: time.Second, Places: func() Places { return &everySecond{} },
		}, nil)
		begin := time.Now()
		var at []time.Duration
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			return c.Run(t.Context(), "op", nil, func() error {
				at = append(at, time.Since(begin))

				return nil
			})
		}))
		require.Equal(t, []time.Duration{100 * ms, 300 * ms, 500 * ms, 700 * ms, 900 * ms}, at)
		require.Zero(t, s.Read().Unstarted)
	})
}

func TestHooksOfOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Operations: 10, Warmup: 6 * ms}, nil)
		var failed []string
		s.OnFail(func(op string) { failed = append(failed, op) })
		n := 0
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			return c.Run(t.Context(), "op", nil, func() error {
				time.Sleep(2 * ms)
				if n++; n%3 == 0 {
					return errServer
				}

				return nil
			})
		}))
		require.Equal(t, []string{"op", "op", "op"}, failed, "those of the warm-up are not told: 6, 9 and 12 of 13")
	})
}

// doing is a client with operations of d.
func doing(t *testing.T, d time.Duration) func(int, *Client) error {
	t.Helper()

	return func(_ int, c *Client) error { return c.Run(t.Context(), "op", nil, taking(d)) }
}

// A step with a duration lasts for all of it, even if the last operation is due much earlier.
func TestOpenLoopTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Rate: 1, Duration: 3 * time.Second}, nil)
		requireNoErrors(t, together(s, doing(t, ms)))
		r := s.Read()
		require.EqualValues(t, 3, r.Op("op").Durations.Count)
		require.Equal(t, 3*time.Second, r.Elapsed)
	})
}

// If a call is late, each of its operations is as late.
func TestOpenLoopOfALateCallThatDoesSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Rate: 10, Duration: time.Second}, nil)
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			first, second := c.Recorder("first"), c.Recorder("second")

			return c.Run(t.Context(), "op", nil, func() error {
				time.Sleep(110 * ms)
				first.Ok(70 * ms)
				second.Ok(40 * ms)

				return nil
			})
		}))
		require.Equal(t, 9*10*ms+70*ms, readOp(s, "first").Durations.Max)
		require.Equal(t, 9*10*ms+40*ms, readOp(s, "second").Durations.Max)
		require.EqualValues(t, 10, readOp(s, "second").Timings(), "one after another, each has its own")
	})
}

func asleep(s *Step) func(until time.Duration) {
	return func(until time.Duration) { s.sleep(until - now()) }
}

// following is a client whose calls do operations of d until Next returns false.
func following(t *testing.T, d time.Duration, sleep func(until time.Duration)) func(int, *Client) error {
	t.Helper()

	return func(_ int, c *Client) error {
		r := c.Recorder("op")

		return c.Run(t.Context(), "op", nil, func() error {
			for c.Next(1, sleep) && !c.Enough() {
				time.Sleep(d)
				r.Ok(d)
			}

			return nil
		})
	}
}

func TestOpenLoopOfCallsThatDoMany(t *testing.T) {
	for name, sleeps := range map[string]bool{"on a goroutine": false, "asleep": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewStep(3, Plan{Rate: 100, Duration: 2 * time.Second, Warmup: time.Second}, nil)
				var sleep func(time.Duration)
				if sleeps {
					sleep = asleep(s)
				}
				requireNoErrors(t, together(s, following(t, 35*ms, sleep)))

				r := s.Read()
				d := &r.Op("op").Durations
				require.EqualValues(t, r.OpenLoop.Lateness.Count, d.Count)
				require.InDelta(t, 3*2000/35, r.OpenLoop.Started, 3, "as many as three clients can do")
				require.Greater(t, d.Max, 200*ms, "the queue of what is due gets longer and longer")
				require.Equal(t, 35*ms, d.Min)
				require.Equal(t, d.Max-35*ms, r.OpenLoop.Lateness.Max)
				require.Zero(t, r.OpenLoop.LateByK6)

				s = NewStep(5, Plan{Rate: 100, Duration: 2 * time.Second, Warmup: time.Second}, nil)
				if sleeps {
					sleep = asleep(s)
				}
				requireNoErrors(t, together(s, following(t, 35*ms, sleep)))
				r = s.Read()
				require.True(t, r.Complete)
				require.EqualValues(t, 200, r.Op("op").Durations.Count)
				require.Equal(t, 35*ms, r.Op("op").Durations.Max, "there is always a client that is free")
				require.EqualValues(t, 40, r.ClientOps.Min, "they take turns")
			})
		})
	}
}

// Clients with many operations per call get the same share as others.
func TestOpenLoopIsSharedByAllKindsOfClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(100, Plan{Rate: 1000, Duration: time.Second}, nil)
		requireNoErrors(t, together(s, func(i int, c *Client) error {
			if i%2 == 0 {
				return doing(t, ms)(i, c)
			}

			return following(t, ms, asleep(s))(i, c)
		}))
		r := s.Read()
		require.EqualValues(t, 1000, r.Op("op").Durations.Count)
		require.EqualValues(t, 10, r.ClientOps.Min)
		require.EqualValues(t, 10, r.ClientOps.Max)
		require.Zero(t, r.OpenLoop.Lateness.Max)
	})
}

// A client without an operation stays until the end.
func TestOpenLoopOfMoreClientsThanOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(8, Plan{Rate: 2, Duration: 5 * time.Second}, nil)
		requireNoErrors(t, together(s, following(t, ms, asleep(s))))
		r := s.Read()
		require.EqualValues(t, 10, r.Op("op").Durations.Count)
		require.GreaterOrEqual(t, r.ClientTimes.Min, 4*time.Second)
		require.Zero(t, r.OpenLoop.AllBusy)
	})
}

// A recorded operation is the one that the call was for.
func TestOpenLoopOfACallThatHasRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Rate: 10, Duration: time.Second}, nil)
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			r := c.Recorder("op")

			return c.Run(t.Context(), "op", nil, func() error {
				r.Ok(0)
				if c.Next(1, asleep(s)) {
					r.Ok(0)
				}

				return nil
			})
		}))
		require.EqualValues(t, 10, done(s))
	})
}

func TestOpenLoopThatIsStoppedWhileItsClientsSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Rate: 1, Duration: time.Minute}, nil)
		time.AfterFunc(2500*ms, func() {
			s.Stop()
			require.Error(t, s.Starts().Err())
		})
		requireNoErrors(t, together(s, following(t, ms, asleep(s))))
		r := s.Read()
		require.False(t, r.Complete)
		require.Equal(t, 2500*ms, r.Elapsed)
		require.EqualValues(t, 3, r.Op("op").Durations.Count)
		require.Zero(t, r.Unstarted)
	})
}

// In a duet a call does one operation, because the next may belong to the other variant.
func TestOpenLoopOfADuetOfCallsThatDoMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Rate: 100, Duration: 2 * time.Second}, nil)
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			call := func() error {
				n := 0
				for ; c.Next(1, asleep(s)) && !c.Enough(); n++ {
					time.Sleep(ms)
					c.Recorder("op").Ok(ms)
				}
				if c.Measuring() {
					require.Equal(t, 1, n)
				}

				return nil
			}

			return c.RunDuet(t.Context(), "op", nil, call, call)
		}))
		require.EqualValues(t, 200, s.Read().OpenLoop.Started)
	})
}

// A client that reports late that it is free does not reduce AllBusy.
func TestAllBusyIsNotNegative(t *testing.T) {
	s := newSchedule(10, time.Second, &allPlaces{})
	for range 2 {
		_, places := s.claim(0, 1, nil)
		require.EqualValues(t, 1, places)
	}
	require.True(t, s.start(turn{places: 1}))
	require.True(t, s.start(turn{places: 1, due: 100 * ms, begin: 100 * ms}))
	_, places := s.claim(50*ms, 1, nil)
	require.EqualValues(t, 1, places)
	o, _ := s.read(200*ms, 0)
	require.Zero(t, o.AllBusy)
}
