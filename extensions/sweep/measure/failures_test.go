package measure

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Durations of failures are not in the percentiles of successes.
func TestDurationsOfFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Operations: 10, Warmup: ms}, nil)
		n := 0
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			get := c.Recorder("get")

			return c.Run(t.Context(), "op", nil, func() error {
				switch n++; n {
				case 1, 2, 3: // the first call is in the warm-up
					time.Sleep(5 * time.Second)

					return errServer
				case 4: // recorded like in modules
					time.Sleep(time.Second)
					get.FailAfter(time.Second, errServer)

					return errServer
				case 5: // the duration is unknown
					get.Fail(errServer)
				case 6: // begun but not ended
					get.Begin()
				case 7:
					get.Begin()
					get.End(2*time.Second, errServer)
				case 8: // one of several, so its own duration is unknown
					time.Sleep(time.Second)
					get.Ok(ms)

					return errServer
				default:
					time.Sleep(ms)
				}

				return nil
			})
		}))
		r := s.Read()
		op, get := r.Op("op"), r.Op("get")
		require.EqualValues(t, 3, op.Failed)
		require.EqualValues(t, 2, op.Failures.Count)
		require.Equal(t, 5*time.Second, op.Failures.Min)
		require.Equal(t, ms, op.Durations.Max)
		require.EqualValues(t, 4, get.Failed)
		require.EqualValues(t, 2, get.Failures.Count, "those without a duration are not of zero")
		require.Equal(t, time.Second, get.Failures.Min)
		require.Equal(t, 2*time.Second, get.Failures.Max)
	})
}

// In an open loop, a failed operation includes the wait for a client.
func TestDurationsOfFailuresInAnOpenLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Rate: 10, Duration: 200 * ms}, nil)
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			return c.Run(t.Context(), "op", nil, func() error {
				time.Sleep(150 * ms)

				return errServer
			})
		}))
		f := readOp(s, "op").Failures
		require.Equal(t, 150*ms, f.Min)
		require.Equal(t, 200*ms, f.Max)
	})
}
