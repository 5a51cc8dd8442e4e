package measure

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lapped runs the only client of a step whose fn does as many operations in a call as it may, and
// returns how often it was called, and its operations. Every fifth operation fails.
func lapped(t *testing.T, plan Plan) (calls, operations int, totals *Totals) {
	t.Helper()
	s := NewStep(1, plan, nil)
	c := s.Client(0)
	require.NoError(t, c.Run(t.Context(), "op", nil, func() error {
		for calls++; ; {
			time.Sleep(time.Millisecond)
			if operations++; operations%5 == 0 {
				return errors.New("the fifth")
			}
			if !c.Lap() {
				return nil
			}
		}
	}))
	r := s.Read()

	return calls, operations, r.Op("op")
}

func TestLaps(t *testing.T) {
	calls, operations, totals := lapped(t, Plan{Operations: 23})
	require.Equal(t, 5, calls, "four failed, and the last ones are 3")
	require.Equal(t, 23, operations)
	require.EqualValues(t, 19, totals.Durations.Count)
	require.EqualValues(t, 4, totals.Failed)
	require.Equal(t, map[string]uint64{"the fifth": 4}, totals.Errors)
	require.GreaterOrEqual(t, totals.Durations.Min, time.Millisecond)
	require.Less(t, totals.Durations.Mean(), 23*time.Millisecond, "each is timed by itself")
}

func TestLapsEndWithTheTime(t *testing.T) {
	calls, operations, totals := lapped(t, Plan{Duration: 100 * time.Millisecond})
	require.EqualValues(t, operations, uint64(totals.Durations.Count)+totals.Failed)
	require.Less(t, calls, operations)
}

// Each operation of a warm-up, and of an open loop, is a call.
func TestNoLaps(t *testing.T) {
	calls, operations, totals := lapped(t, Plan{WarmupOperations: 10, Operations: 1})
	require.Equal(t, []int{11, 11}, []int{calls, operations})
	require.EqualValues(t, 1, totals.Durations.Count)

	calls, operations, totals = lapped(t, Plan{Rate: 500, Duration: 40 * time.Millisecond})
	require.Equal(t, operations, calls)
	require.EqualValues(t, operations, uint64(totals.Durations.Count)+totals.Failed)
}

// What fn has recorded itself is not recorded again.
func TestLapsThatRecord(t *testing.T) {
	s := NewStep(1, Plan{Operations: 6}, nil)
	c := s.Client(0)
	require.NoError(t, c.Run(t.Context(), "op", nil, func() error {
		for {
			c.Recorder("piece").Ok(time.Millisecond)
			c.Recorder("piece").Ok(time.Millisecond)
			if !c.Lap() {
				return nil
			}
		}
	}))
	r := s.Read()
	require.EqualValues(t, 6, r.Op("piece").Durations.Count)
	require.Nil(t, r.Op("op"), "there were none of that kind")
}
