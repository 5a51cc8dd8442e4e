package measure

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWarmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Operations: 5, Warmup: time.Second}, nil)
		elapsed, warmed := s.Warmed()
		require.Zero(t, elapsed)
		require.Empty(t, warmed)
		errs := together(s, func(i int, c *Client) error {
			c.Recorder("before").Ok(ms)

			return c.Run(t.Context(), "get", nil, func() error {
				time.Sleep(100 * ms)
				if i == 1 {
					c.Recorder("set").Ok(ms)

					return errServer
				}

				return nil
			})
		})
		require.Equal(t, []error{nil, nil}, errs)
		elapsed, warmed = s.Warmed()
		require.Equal(t, time.Second, elapsed)
		require.Equal(t, []Warmed{{Op: "get", Ops: 10, Failed: 10}, {Op: "set", Ops: 10}}, warmed)
		reading := s.Read()
		require.Equal(t, int64(5), reading.Op("get").Durations.Count)
	})
}

func TestCountersSince(t *testing.T) {
	earlier := Counters{Hits: 10, Misses: 20}
	require.Equal(t, Counters{Hits: 1, Hot: 3}, Counters{Hits: 11, Misses: 20, Hot: 3}.Since(earlier))
	require.Nil(t, earlier.Since(earlier))
	require.Equal(t, earlier, earlier.Since(nil))
	require.Equal(t, Counters{Hits: 11, Misses: 20, Messages: 5}, Counters{Hits: 1, Messages: 5}.Plus(earlier))
	require.Equal(t, earlier, Counters(nil).Plus(earlier))
}
