package nats

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// awaitEnd waits for the end of a call's context, and returns why it came.
func awaitEnd(t *testing.T, call context.Context) error { //nolint:revive // t comes first in tests
	t.Helper()
	select {
	case <-call.Done():
		return call.Err()
	case <-time.After(10 * time.Second):
		require.Fail(t, "the call's context does not end")

		return nil
	}
}

func TestCallsInTimeShareAContext(t *testing.T) {
	var d deadlines
	vu, cancel := context.WithCancel(context.Background())
	defer cancel()
	begin := time.Now()
	first := d.begin(vu, begin, time.Minute)
	d.end()
	for i := range 100 {
		now := begin.Add(time.Duration(i) * time.Second)
		call := d.begin(vu, now, time.Minute)
		require.Same(t, first, call)
		deadline, known := call.Deadline()
		require.True(t, known)
		require.Equal(t, now.Add(time.Minute), deadline)
		require.NoError(t, call.Err())
		d.end()
	}
}

func TestCallEndsAtItsDeadlineAndTheNextIsWhole(t *testing.T) {
	var d deadlines
	long := d.begin(context.Background(), time.Now(), time.Minute)
	d.end()
	for range 3 {
		begin := time.Now()
		call := d.begin(context.Background(), begin, 20*time.Millisecond) // sooner than what the timer was set for
		require.ErrorIs(t, awaitEnd(t, call), context.DeadlineExceeded)
		require.GreaterOrEqual(t, time.Since(begin), 20*time.Millisecond)
		d.end()
	}
	require.Error(t, long.Err(), "it was the context of the first of them")
	call := d.begin(context.Background(), time.Now(), time.Minute)
	require.NoError(t, call.Err())
	d.end()
}

func TestTimerOfAnEarlierCallLeavesTheNextAlone(t *testing.T) {
	var d deadlines
	d.begin(context.Background(), time.Now(), 20*time.Millisecond)
	d.end()
	begin := time.Now()
	call := d.begin(context.Background(), begin, 100*time.Millisecond)
	require.ErrorIs(t, awaitEnd(t, call), context.DeadlineExceeded)
	require.GreaterOrEqual(t, time.Since(begin), 100*time.Millisecond)
	d.end()
}

func TestCallEndsWithTheVU(t *testing.T) {
	var d deadlines
	vu, cancel := context.WithCancel(context.Background())
	call := d.begin(vu, time.Now(), time.Minute)
	cancel()
	require.ErrorIs(t, awaitEnd(t, call), context.Canceled)
	d.end()

	next := d.begin(context.Background(), time.Now(), time.Minute) // the VU's next iteration
	require.NoError(t, next.Err())
	derived, stop := context.WithCancel(next)
	require.NoError(t, derived.Err())
	stop()
	d.end()
}
