package measure

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

type calls struct {
	mu  sync.Mutex
	all map[Variant][]time.Duration // relative to the start line
}

func (k *calls) of(c *Client, variant Variant, d func() time.Duration) func() error {
	return func() error {
		if c.Measuring() {
			k.mu.Lock()
			k.all[variant] = append(k.all[variant], now()-c.step.line.openedAt)
			k.mu.Unlock()
		}
		time.Sleep(d())

		return nil
	}
}

func (k *calls) total() int { return len(k.all[Base]) + len(k.all[Change]) }

func duetOf(t *testing.T, n int, plan Plan, base, change func() time.Duration) (*Step, Reading, *calls) {
	t.Helper()
	s := NewStep(n, plan, nil)
	k := &calls{all: map[Variant][]time.Duration{}}
	requireNoErrors(t, together(s, func(_ int, c *Client) error {
		return c.RunDuet(t.Context(), "op", nil, k.of(c, Base, base), k.of(c, Change, change))
	}))

	return s, s.Read(), k
}

func takes(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

// All clients switch together, and an operation that crosses a border counts for the variant that
// began it.
func TestDuetOfTwoVariants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const us = time.Microsecond
		s, r, k := duetOf(t, 4, Plan{Duration: 2 * time.Second, Warmup: 100 * ms, Seed: 1}, takes(1000*us), takes(1250*us))
		require.True(t, r.Complete)
		require.NotNil(t, r.Duet)
		length := r.Duet.Length
		require.InEpsilon(t, 10*1125*us, length, 0.04)
		require.EqualValues(t, 1, r.Duet.Seed)
		of := r.Duet.Ops["op"]
		require.Len(t, of.Pairs, 89, "a whole number of pairs fills the time")

		base, change := r.Of(Base, "op"), r.Of(Change, "op")
		require.InDelta(t, 1000, float64(base.Durations.Count)/4/base.Time.Seconds(), 1e-6, "not one that takes longer is hidden")
		require.InDelta(t, 800, float64(change.Durations.Count)/4/change.Time.Seconds(), 1e-6)
		require.Equal(t, time.Millisecond, base.Durations.Max)
		require.Equal(t, 1250*us, change.Durations.Min)
		require.EqualValues(t, len(k.all[Base]), base.Durations.Count)
		require.EqualValues(t, len(k.all[Change]), change.Durations.Count)
		require.Positive(t, of.Crossed)
		require.LessOrEqual(t, of.Crossed, uint64(4*2*89), "at most one of each client at each border")

		var pairs [2]int64
		for _, p := range of.Pairs {
			pairs[0] += p.Base.Durations.Count()
			pairs[1] += p.Change.Durations.Count()
			require.InDelta(t, float64(4*length), float64(p.Base.Busy), float64(4*2000*us))
		}
		require.Equal(t, [2]int64{base.Durations.Count, change.Durations.Count}, pairs, "pairs have all that counts")

		d := s.duet.Load()
		for variant, begun := range k.all {
			for _, at := range begun {
				require.Equal(t, variant, d.variant(int64(at/length)), "%s", at)
			}
		}
	})
}

// Each pair has both variants; both orders are equally frequent and reproducible by the seed.
func TestOrderOfADuetIsBalancedChance(t *testing.T) {
	orders := map[uint32]int{}
	for seed := range uint32(8) {
		d, again := &duet{seed: seed}, &duet{seed: seed}
		same := 0
		for pair := range int64(1000) {
			first := d.variant(2 * pair)
			require.NotEqual(t, first, d.variant(2*pair+1))
			require.Equal(t, first, again.variant(2*pair))
			if first == Base {
				orders[seed]++
			}
			if pair > 0 && first == d.variant(2*pair-2) {
				same++
			}
		}
		require.InDelta(t, 500, orders[seed], 80)
		require.InDelta(t, 500, same, 80)
		require.Equal(t, d.variant(0), d.variant(mostSlices), "it begins again with the same pair")
	}
}

// Rates are based on working time, so long operations do not look too fast.
func TestRatesOfLongOperationsOfADuet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		var mu sync.Mutex
		spread := func(mean time.Duration) func() time.Duration {
			return func() time.Duration {
				mu.Lock()
				defer mu.Unlock()

				return time.Duration(float64(mean) * (0.5 + random.Float64()))
			}
		}
		_, r, _ := duetOf(t, 16, Plan{Duration: 2000 * time.Second, Warmup: 2 * time.Second}, spread(200*ms), spread(220*ms))
		require.InDelta(t, float64(time.Second), float64(r.Duet.Length), float64(100*ms), "5 operations")
		base, change := r.Of(Base, "op"), r.Of(Change, "op")
		rates := [2]float64{float64(base.Durations.Count) / base.Time.Seconds(), float64(change.Durations.Count) / change.Time.Seconds()}
		require.InEpsilon(t, 16/0.2, rates[0], 0.04)
		require.InEpsilon(t, 200.0/220, rates[1]/rates[0], 0.005)
	})
}

func TestSliceIsChosenFromTheWarmUp(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		10 * time.Microsecond:  shortestSlice,
		100 * time.Microsecond: shortestSlice,
		2 * ms:                 20 * ms,
		60 * ms:                longestSlice,
		300 * ms:               1500 * ms,
	} {
		synctest.Test(t, func(t *testing.T) {
			whole := min(60*time.Second, 2000*max(took, ms)) // enough operations for the comparison
			_, r, _ := duetOf(t, 2, Plan{Duration: whole}, takes(took), takes(took))
			require.InEpsilon(t, want, r.Duet.Length, 0.04, "%s", took)
		})
	}
}

// Fast operations get short slices; a slow percent makes them longer.
func TestFastOperationsGetShortSlices(t *testing.T) {
	for slowest, want := range map[time.Duration]time.Duration{ms: 5 * ms, 8 * ms: 16 * ms} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			took := func() time.Duration {
				calls++
				if calls%50 == 0 {
					return slowest
				}

				return 100 * time.Microsecond
			}
			_, r, _ := duetOf(t, 1, Plan{Duration: 20 * time.Second, Warmup: 500 * ms}, took, took)
			require.InEpsilon(t, want, r.Duet.Length, 0.04, "%s", slowest)
			require.InEpsilon(t, 20*time.Second/(2*want), len(r.Duet.Ops["op"].Pairs), 0.04)
		})
	}
}

// A duet with UntilKnown reports complete pairs while it runs.
func TestDuetUntilItIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{UntilKnown: true}, nil)
		time.AfterFunc(995*ms, func() {
			defer s.CloseWindow()
			r := s.ReadOverTime()
			require.Equal(t, 10*ms, r.Duet.Length)
			pairs := r.Duet.Ops["op"].Pairs
			require.Len(t, pairs, 48, "one of the 49 is not added up")
			for _, p := range pairs {
				require.Equal(t, [2]time.Duration{20 * ms, 20 * ms}, [2]time.Duration{p.Base.Busy, p.Change.Busy})
			}
		})
		call := func() error { time.Sleep(ms); return nil }
		requireNoErrors(t, together(s, func(_ int, c *Client) error { return c.RunDuet(t.Context(), "op", nil, call, call) }))
		r := s.Read()
		require.True(t, r.Complete)
		require.Len(t, r.Duet.Ops["op"].Pairs, 49)
	})
}

// Stalls longer than many slices appear in the figures: one in a thousand operations of the change
// takes 200 ms.
func TestStandstillsOfADuet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		n := 0
		standsStill := func() time.Duration {
			mu.Lock()
			defer mu.Unlock()
			if n++; n > 100 && n%1000 == 0 {
				return 200 * ms
			}

			return ms
		}
		_, r, k := duetOf(t, 4, Plan{Duration: 100 * time.Second, Warmup: 10 * ms}, takes(ms), standsStill)
		require.InDelta(t, float64(10*ms), float64(r.Duet.Length), float64(2*ms))
		base, change := r.Of(Base, "op"), r.Of(Change, "op")
		require.InEpsilon(t, 4*1000/1.199, float64(change.Durations.Count)/change.Time.Seconds(), 0.01)
		require.InEpsilon(t, 4*1000, float64(base.Durations.Count)/base.Time.Seconds(), 0.001)
		require.Equal(t, 200*ms, change.Durations.Max)
		require.EqualValues(t, k.total(), r.operations())
		var pairs int64
		for _, p := range r.Duet.Ops["op"].Pairs {
			if p.Change.Durations != nil {
				pairs += p.Change.Durations.Count()
			}
		}
		require.Equal(t, change.Durations.Count, pairs, "pairs have all that counts")
	})
}

// unfair is a single-threaded server that serves the latest request first.
type unfair struct {
	mu      sync.Mutex // held briefly
	serving bool
	waiting []chan struct{}
}

func (u *unfair) serve(d time.Duration) error {
	u.mu.Lock()
	if u.serving {
		turn := make(chan struct{})
		u.waiting = append(u.waiting, turn)
		u.mu.Unlock()
		<-turn
	} else {
		u.serving = true
		u.mu.Unlock()
	}
	time.Sleep(d)
	u.mu.Lock()
	defer u.mu.Unlock()
	if last := len(u.waiting) - 1; last >= 0 {
		close(u.waiting[last])
		u.waiting = u.waiting[:last]
	} else {
		u.serving = false
	}

	return nil
}

// An unfair server makes neither variant look faster.
func TestUnfairServersOfADuet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(4, Plan{Duration: 20 * time.Second, Warmup: 2 * ms}, nil)
		var base, change unfair
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			return c.RunDuet(t.Context(), "op", nil,
				func() error { return base.serve(100 * time.Microsecond) }, func() error { return change.serve(110 * time.Microsecond) })
		}))
		r := s.Read()
		rate := func(variant Variant) float64 {
			of := r.Of(variant, "op")

			return float64(of.Durations.Count) / of.Time.Seconds()
		}
		require.InEpsilon(t, 10_000, rate(Base), 0.05)
		require.InEpsilon(t, 1/1.1, rate(Change)/rate(Base), 0.02)
	})
}

// Each client calls both variants before the start line, even without a warm-up.
func TestWarmUpOfADuetCallsBoth(t *testing.T) {
	for name, plan := range map[string]Plan{
		"a number": {Operations: 7}, "a time": {Duration: 900 * ms}, "a rate": {Duration: 900 * ms, Rate: 40},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := NewStep(3, plan, nil)
			warm := make([]map[Variant]int, 3)
			requireNoErrors(t, together(s, func(i int, c *Client) error {
				warm[i] = map[Variant]int{}
				call := func(variant Variant) func() error {
					return func() error {
						if !c.Started() {
							warm[i][variant]++
						}
						time.Sleep(10 * ms)

						return nil
					}
				}

				return c.RunDuet(t.Context(), "op", nil, call(Base), call(Change))
			}))
			r := s.Read()
			require.True(t, r.Complete, name)
			for _, called := range warm {
				require.Equal(t, map[Variant]int{Base: leastWarm, Change: leastWarm}, called, name)
			}
			switch {
			case plan.Operations > 0:
				require.EqualValues(t, 3*7, r.operations())
			case plan.Rate > 0:
				require.EqualValues(t, 36, r.operations())
			}
		})
	}
}

var errOfChange = errors.New("the change fails")

func TestFailuresOfADuet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Duration: time.Second}, nil)
		began := 0
		requireNoErrors(t, together(s, func(i int, c *Client) error {
			return c.RunDuet(t.Context(), "op", nil, func() error {
				time.Sleep(3 * ms)

				return nil
			}, func() error {
				if i == 0 && c.Started() {
					began++
				}
				time.Sleep(3 * ms)
				if i == 0 {
					return errOfChange
				}

				return nil
			})
		}))
		r := s.Read()
		require.Zero(t, r.Of(Base, "op").Failed)
		require.EqualValues(t, began, r.Of(Change, "op").Failed)
		require.Equal(t, map[string]uint64{errOfChange.Error(): uint64(began)}, r.Of(Change, "op").Errors)
		change := r.Of(Change, "op")
		require.InEpsilon(t, 1/0.003, float64(change.Durations.Count)/change.Time.Seconds(), 0.02, "failures take time as well")
	})
}

// A call with many operations returns at the border.
func TestBatchesOfADuet(t *testing.T) {
	for _, plan := range []Plan{{Duration: 4 * time.Second}, {Operations: 1000}, {Duration: 4 * time.Second, Warmup: 300 * ms}} {
		synctest.Test(t, func(t *testing.T) {
			s := NewStep(2, plan, nil)
			rows := map[Variant]uint64{}
			var mu sync.Mutex
			requireNoErrors(t, together(s, func(_ int, c *Client) error {
				many := func(variant Variant, d time.Duration) func() error {
					return func() error {
						r := c.Recorder("op")
						for {
							time.Sleep(d)
							r.Ok(d)
							r.Rows(2)
							r.Bytes(3, 4)
							if c.Measuring() {
								mu.Lock()
								rows[variant] += 2
								mu.Unlock()
							}
							if c.Enough() {
								return nil
							}
						}
					}
				}

				return c.RunDuet(t.Context(), "op", nil, many(Base, ms), many(Change, 2*ms))
			}))
			r := s.Read()
			require.True(t, r.Complete)
			require.InEpsilon(t, 15*ms, r.Duet.Length, 0.15, "10 operations of 1 and 2 ms, and not calls")
			base, change := r.Of(Base, "op"), r.Of(Change, "op")
			require.InDelta(t, 2000, float64(base.Durations.Count)/base.Time.Seconds(), 1)
			require.InDelta(t, 1000, float64(change.Durations.Count)/change.Time.Seconds(), 1)
			require.Equal(t, rows, map[Variant]uint64{Base: base.Rows, Change: change.Rows})
			require.Equal(t, base.Rows*2, base.BytesReceived)
			if plan.Operations > 0 {
				require.EqualValues(t, 2000, r.operations())
			}
		})
	}
}

// In an open loop, an operation belongs to the variant in whose slice it was due.
func TestDuetOfAnOpenLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, r, _ := duetOf(t, 50, Plan{Duration: 4 * time.Second, Rate: 1000, Warmup: 200 * ms}, takes(2*ms), takes(3*ms))
		require.True(t, r.Complete)
		base, change := r.Of(Base, "op"), r.Of(Change, "op")
		require.Equal(t, 2*time.Second, base.Time)
		require.Equal(t, 2*time.Second, change.Time)
		require.Equal(t, 25*ms, r.Duet.Length)
		require.InDelta(t, 2000, base.Durations.Count, 1, "what is due at a border may be rounded to either side")
		require.EqualValues(t, 4000, r.operations())
		require.InDelta(t, 4000*1.5/25, r.Duet.Ops["op"].Crossed, 2, "what is due 1 ms before a border, and 2 ms before that of change")
		require.Equal(t, 2*ms, base.Durations.Max)
		require.Equal(t, 3*ms, change.Durations.Max)
	})
}

// Operations delayed by a stall count for the slice in which they were due.
func TestLateOperationsOfADuet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls int
		serve := func() time.Duration {
			if calls++; calls == 1000 {
				return 200 * ms
			}

			return 100 * time.Microsecond
		}
		_, r, _ := duetOf(t, 1, Plan{Duration: 4 * time.Second, Rate: 1000, Warmup: 200 * ms}, serve, serve)
		require.True(t, r.Complete)
		perSlice := float64(1000) * r.Duet.Length.Seconds()
		require.Less(t, r.Duet.Length, 100*ms, "the stall lasts for slices")
		for i, p := range r.Duet.Ops["op"].Pairs {
			require.InDelta(t, perSlice, p.Base.Durations.Count(), 1, "pair %d", i)
			require.InDelta(t, perSlice, p.Change.Durations.Count(), 1, "pair %d", i)
		}
	})
}

func TestClientsOfADuetAgree(t *testing.T) {
	fn := func() error { return nil }
	for _, duetFirst := range []bool{true, false} {
		s := NewStep(2, Plan{Operations: 1}, nil)
		run := []func(c *Client) error{
			func(c *Client) error { return c.Run(t.Context(), "op", nil, fn) },
			func(c *Client) error { return c.RunDuet(t.Context(), "op", nil, fn, fn) },
		}
		if duetFirst {
			run[0], run[1] = run[1], run[0]
		}
		first := make(chan error)
		go func() { first <- run[0](s.Client(0)) }()
		require.Eventually(t, func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()

			return s.solo || s.duet.Load() != nil
		}, 10*time.Second, time.Millisecond)
		require.ErrorIs(t, run[1](s.Client(1)), ErrMixedDuet)
		require.NoError(t, <-first, "nobody waits for the other")
	}
}

// An interrupted duet keeps its complete pairs.
func TestInterruptedDuet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Duration: time.Hour}, nil)
		time.AfterFunc(310*ms, s.Interrupt)
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			return c.RunDuet(t.Context(), "op", nil, func() error { time.Sleep(ms); return nil }, func() error { time.Sleep(ms); return nil })
		}))
		r := s.Read()
		require.False(t, r.Complete)
		require.Len(t, r.Duet.Ops["op"].Pairs, 15)
		require.InEpsilon(t, 1000, float64(r.Of(Base, "op").Durations.Count)/2/r.Of(Base, "op").Time.Seconds(), 0.001)
	})
}

func TestEachTurnOfADuet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Duration: time.Second}, nil)
		ended, over := make(chan struct{}), make(chan struct{})
		var seen []Variant
		go func() {
			defer close(over)
			s.EachTurn(ended, func(variant Variant, onTime bool) {
				require.True(t, onTime)
				require.Zero(t, (now()-s.line.openedAt)%s.duet.Load().length)
				seen = append(seen, variant)
			})
		}()
		call := func() error { time.Sleep(ms); return nil }
		require.NoError(t, s.Client(0).RunDuet(t.Context(), "op", nil, call, call))
		<-over
		close(ended)
		r := s.Read()
		require.Len(t, seen, 2*len(r.Duet.Ops["op"].Pairs)+1, "the end is a border too")
		for i, variant := range seen {
			require.Equal(t, s.duet.Load().variant(int64(i)), variant)
		}
	})
}
