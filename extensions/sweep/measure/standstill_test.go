package measure

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// freezing is a client with operations of d on a server that stalls.
func freezing(t *testing.T, d, from, until time.Duration) func(int, *Client) error {
	t.Helper()

	return func(_ int, c *Client) error {
		return c.Run(t.Context(), "op", nil, func() error {
			time.Sleep(d)
			if at := now() - c.step.line.openedAt; at >= from && at < until {
				time.Sleep(until - at)
			}

			return nil
		})
	}
}

func standing(t *testing.T, clients int, plan Plan, d, from, until time.Duration) (still *Standstill) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(clients, plan, nil)
		require.Nil(t, s.Read().Standstill, "it has not begun")
		requireNoErrors(t, together(s, freezing(t, d, from, until)))
		still = s.Read().Standstill
	})

	return still
}

func TestStandstill(t *testing.T) {
	forTenSeconds := Plan{Duration: 10 * time.Second}
	for name, tt := range map[string]struct {
		clients        int
		plan           Plan
		d, from, until time.Duration
		longest        time.Duration
		part           float64
	}{
		"a server that goes on":            {8, forTenSeconds, ms, 0, 0, 0, 0},
		"one that stops":                   {8, forTenSeconds, ms, 4 * time.Second, 9 * time.Second, 5 * time.Second, 0.5},
		"one that never begins":            {8, forTenSeconds, ms, 0, 9 * time.Second, 9 * time.Second, 0.9},
		"beyond the window":                {8, forTenSeconds, ms, 7 * time.Second, 20 * time.Second, 3 * time.Second, 0.3},
		"for a moment":                     {8, forTenSeconds, ms, time.Second, 1080 * ms, 80 * ms, 0},
		"for longer":                       {8, forTenSeconds, ms, time.Second, 1200 * ms, 200 * ms, 0.02},
		"one client":                       {1, forTenSeconds, 5 * ms, 4 * time.Second, 9 * time.Second, 5 * time.Second, 0.5},
		"slow operations that end at once": {64, forTenSeconds, time.Second, 0, 0, time.Second, 0},
		"slow operations of one client":    {1, forTenSeconds, time.Second, 0, 0, time.Second, 0},
		"operations of which few end":      {1, Plan{Rate: 2, Duration: 10 * time.Second}, ms, 0, 0, 500 * ms, 0},
		"an open loop":                     {8, Plan{Rate: 100, Duration: 10 * time.Second}, ms, 4 * time.Second, 9 * time.Second, 5 * time.Second, 0.5},
		"a number of operations":           {4, Plan{Operations: 1000}, ms, 500 * ms, 1500 * ms, time.Second, 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			still := standing(t, tt.clients, tt.plan, tt.d, tt.from, tt.until)
			require.InDelta(t, tt.longest, still.Longest, float64(2*beat))
			require.InDelta(t, tt.part, still.Part, 0.005)
		})
	}
}

// When a client is done, gaps no longer count.
func TestStandstillEndsWithFirstClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Operations: 10}, nil)
		requireNoErrors(t, together(s, func(i int, c *Client) error {
			return c.Run(t.Context(), "op", nil, taking(time.Duration(1+500*i)*ms))
		}))
		require.Equal(t, Standstill{}, *s.Read().Standstill)
	})
}

func TestStandstillInLongCalls(t *testing.T) {
	for _, d := range []time.Duration{100 * time.Microsecond, 15 * ms} {
		synctest.Test(t, func(t *testing.T) {
			s := NewStep(1, Plan{Duration: time.Second}, nil)
			requireNoErrors(t, together(s, func(_ int, c *Client) error {
				r := c.Recorder("op")

				return c.Run(t.Context(), "op", nil, func() error {
					for n := 0; !c.Enough(); n++ {
						time.Sleep(d)
						if n%3 == 0 {
							r.Ok(d)
						} else {
							r.FailAfter(d, errServer)
						}
					}

					return nil
				})
			}))
			require.Equal(t, Standstill{}, *s.Read().Standstill)
		})
	}
}
