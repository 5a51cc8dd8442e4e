package netutil

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDeadlineIsSetSeldomAndInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Deadline
		var at time.Time
		sets := 0
		set := func(deadline time.Time) error {
			at = deadline
			sets++

			return nil
		}
		for range 1000 {
			require.NoError(t, d.Arm(time.Second, set))
			left := time.Until(at)
			require.GreaterOrEqual(t, left, time.Second)
			require.LessOrEqual(t, left, time.Second+time.Second/100)
			time.Sleep(time.Millisecond)
		}
		require.Equal(t, 91, sets, "once in 11 ms")

		d.Forget()
		require.NoError(t, d.Arm(time.Second, set))
		require.Equal(t, 92, sets, "another deadline was set meanwhile")
		require.NoError(t, d.Arm(time.Millisecond, set))
		require.LessOrEqual(t, time.Until(at), time.Millisecond+time.Millisecond/100)
		require.NoError(t, d.Arm(time.Minute, set))
		require.Equal(t, time.Minute+time.Minute/100, time.Until(at))

		d.Forget()
		closed := errors.New("closed")
		require.ErrorIs(t, d.Arm(time.Second, func(time.Time) error { return closed }), closed)
	})
}
