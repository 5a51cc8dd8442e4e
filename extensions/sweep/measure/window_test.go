package measure

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(3, Plan{Duration: 10 * time.Second}, nil)
		requireNoErrors(t, together(s, func(i int, c *Client) error {
			n := 0

			return c.Run(t.Context(), "op", nil, func() error {
				switch n++; {
				case i == 0 && n == 100:
					time.Sleep(40 * time.Second)
				case i == 1 && n%2 == 0:
					time.Sleep(100 * ms)

					return errServer
				default:
					time.Sleep(100 * ms)
				}

				return nil
			})
		}))
		r := s.Read()
		require.True(t, r.Complete)
		require.Equal(t, 49900*ms, r.Elapsed)
		require.Equal(t, 10*time.Second, r.Window)
		require.Zero(t, r.AllAtWork)
		require.EqualValues(t, 99+50+100, r.Op("op").Within, "what ends with the window is within")
		require.EqualValues(t, 99+50+100+1, r.Op("op").Durations.Count)
	})
}

func TestWindowOfCallsThatRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Duration: time.Second, Warmup: 3 * time.Second}, nil)
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			get, set := c.Recorder("get"), c.Recorder("set")

			return c.Run(t.Context(), "op", nil, func() error {
				for range 10 {
					time.Sleep(30 * ms)
					get.Ok(30 * ms)
				}
				time.Sleep(time.Second)
				set.Ok(time.Second)

				return nil
			})
		}))
		r := s.Read()
		require.Equal(t, 1300*ms, r.Elapsed)
		require.Equal(t, time.Second, r.Window)
		require.EqualValues(t, 20, r.Op("get").Within)
		require.Zero(t, r.Op("set").Within)
		require.EqualValues(t, 2, r.Op("set").Durations.Count)
	})
}

func TestWindowOfAStepThatIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Duration: time.Minute}, nil)
		time.AfterFunc(1050*ms, s.Stop)
		requireNoErrors(t, together(s, doing(t, 100*ms)))
		r := s.Read()
		require.Equal(t, 1100*ms, r.Window)
		require.EqualValues(t, 11, r.Op("op").Within)
	})
}

func TestWindowThatIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{UntilKnown: true}, nil)
		time.AfterFunc(1050*ms, func() {
			r := s.ReadOverTime()
			require.Equal(t, 1050*ms, r.Window, "so far")
			require.Len(t, r.Op("op").OverTime.Slots, 105)
			s.CloseWindow()
		})
		time.AfterFunc(1120*ms, s.CloseWindow) // the second call has no effect
		requireNoErrors(t, together(s, doing(t, 100*ms)))
		r := s.Read()
		require.True(t, r.Complete)
		require.Equal(t, 1050*ms, r.Window)
		require.Equal(t, 1100*ms, r.Elapsed)
		require.EqualValues(t, 20, r.Op("op").Within)
		require.EqualValues(t, 22, r.Op("op").Durations.Count)
	})
}

func TestEnoughIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{UntilKnown: true}, nil)
		time.AfterFunc(1050*ms, s.CloseWindow)
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			r := c.Recorder("get")

			return c.Run(t.Context(), "op", nil, func() error {
				for !c.Enough() {
					time.Sleep(100 * ms)
					r.Ok(100 * ms)
				}

				return nil
			})
		}))
		r := s.Read()
		require.True(t, r.Complete)
		require.EqualValues(t, 11, r.Op("get").Durations.Count)
	})
}

// In a step with a number of operations, AllAtWork counts.
func TestAllAtWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(3, Plan{Operations: 100, Warmup: 50 * ms}, nil)
		requireNoErrors(t, together(s, func(i int, c *Client) error {
			return c.Run(t.Context(), "op", nil, taking([]time.Duration{10, 16, 41}[i]*ms))
		}))
		r := s.Read()
		require.Equal(t, 4100*ms, r.Elapsed)
		require.Zero(t, r.Window)
		require.Equal(t, time.Second, r.AllAtWork)
		require.EqualValues(t, 100+62+24, r.Op("op").Within)
	})
}

func TestWindowAllocatesNothing(t *testing.T) {
	s := NewStep(1, Plan{Duration: time.Hour}, nil)
	c := s.Client(0)
	c.measuring = true
	r := c.Recorder("op")
	r.Ok(ms)
	s.mark(now())
	require.Zero(t, testing.AllocsPerRun(100, func() { r.Ok(ms) }))
	require.EqualValues(t, 2, r.countAtMark.Load(), "one operation, before the mark")
}

// A client whose last operation was interrupted has not done its share.
func TestWindowOfAnOperationThatIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Duration: time.Second}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			return c.Run(ctx, "op", nil, func() error {
				<-ctx.Done()

				return ctx.Err()
			})
		}))
		r := s.Read()
		require.False(t, r.Complete)
		require.EqualValues(t, 1, r.Op("op").Failed)
	})
}
