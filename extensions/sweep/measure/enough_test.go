package measure

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func batch(c *Client, n int, d time.Duration) func() error {
	r := c.Recorder("op")

	return func() error {
		for range n {
			time.Sleep(d)
			r.Ok(d)
			if c.Enough() {
				break
			}
		}

		return nil
	}
}

func done(s *Step) int64 {
	r := s.Read()

	return r.Op("op").Durations.Count
}

func TestABatchEndsWithTheShare(t *testing.T) {
	for name, tt := range map[string]struct {
		plan Plan
		want int64
	}{
		"operations":          {Plan{Operations: 25}, 25},
		"duration":            {Plan{Duration: 35 * ms}, 4},
		"warm-up by time":     {Plan{Operations: 25, Warmup: 35 * ms}, 25},
		"a share of one":      {Plan{Operations: 1}, 1},
		"both within a batch": {Plan{Duration: 5 * ms, Warmup: ms}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewStep(3, tt.plan, nil)
				requireNoErrors(t, together(s, func(_ int, c *Client) error {
					return c.Run(t.Context(), "op", nil, batch(c, 1000, 10*ms))
				}))
				r := s.Read()
				require.Equal(t, 3*tt.want >= LeastOperations || tt.plan.Operations > 0, r.Complete)
				require.Equal(t, 3*tt.want, r.Op("op").Durations.Count)
				require.Equal(t, time.Duration(tt.want)*10*ms, r.Elapsed)
			})
		})
	}
}

// Enough is false before and after the client's part, and in an open loop.
func TestEnoughOutsideTheShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Operations: 2}, nil)
		c := s.Client(0)
		require.NoError(t, batch(c, 5, ms)())
		require.False(t, c.Enough(), "not yet")
		require.NoError(t, c.Run(t.Context(), "op", nil, batch(c, 1000, ms)))
		require.False(t, c.Enough(), "over")
		require.Equal(t, int64(2), done(s))
		s.Stop()
		require.True(t, c.Enough(), "no more operations at all")
	})
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Rate: 10, Duration: time.Second}, nil)
		c := s.Client(0)
		require.NoError(t, c.Run(t.Context(), "op", nil, batch(c, 7, ms)))
		require.Equal(t, int64(70), done(s), "each start is a call")
	})
}

func TestABatchEndsWhenTheStepStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Duration: time.Hour}, nil)
		time.AfterFunc(95*ms, s.Stop)
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			return c.Run(t.Context(), "op", nil, batch(c, 1000, 10*ms))
		}))
		r := s.Read()
		require.False(t, r.Complete)
		require.Equal(t, int64(2*10), r.Op("op").Durations.Count)
	})
}

// Shared work is done once; noticing its end is not an operation.
func TestUntilDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(7, Plan{UntilDone: true}, nil)
		var left atomic.Int64
		left.Store(100)
		errs := together(s, func(i int, c *Client) error {
			require.False(t, c.Done(), "nothing is measured yet")
			r := c.Recorder("op")

			return c.Run(t.Context(), "op", nil, func() error {
				if left.Add(-1) < 0 {
					require.True(t, c.Measuring())
					require.True(t, c.Done())
					require.True(t, c.Enough())

					return nil
				}
				time.Sleep(time.Duration(i+1) * ms)
				r.Ok(time.Duration(i+1) * ms)

				return nil
			})
		})
		requireNoErrors(t, errs)
		r := s.Read()
		require.True(t, r.Complete)
		require.Equal(t, int64(100), r.Op("op").Durations.Count)
		require.Greater(t, r.ClientOps.Max, r.ClientOps.Min, "who is faster does more")
	})
}

func TestDoneIsForUntilDone(t *testing.T) {
	s := NewStep(1, Plan{Operations: 3}, nil)
	c := s.Client(0)
	require.NoError(t, c.Run(context.Background(), "op", nil, func() error {
		require.False(t, c.Done())

		return nil
	}))
	require.Equal(t, int64(3), done(s))
}

func TestCountersOfTheMeasuredPhase(t *testing.T) {
	s := NewStep(2, Plan{Operations: 5, Warmup: ms}, nil)
	requireNoErrors(t, together(s, func(i int, c *Client) error {
		require.Equal(t, i, c.Index())
		require.Same(t, s, c.Step())

		return c.Run(t.Context(), "op", nil, func() error {
			c.Counter(Hits).Add(4)
			c.Counter(Misses).Add(3)
			c.Counter(HotHits).Add(0)

			return nil
		})
	}))
	require.Equal(t, 2, s.Clients())
	require.Equal(t, Counters{Hits: 40, Misses: 30}, s.Read().Counters, "none is zero")
	require.Same(t, s.Client(0).Counter(Hits), s.Client(0).Counter(Hits))
}
