package deadline

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCallsInTimeShareAContext(t *testing.T) {
	var d Contexts
	vu, cancel := context.WithCancel(context.Background())
	defer cancel()
	begin := time.Now()
	first := d.Begin(vu, begin, time.Minute)
	d.End()
	for i := range 100 {
		now := begin.Add(time.Duration(i) * time.Second)
		call := d.Begin(vu, now, time.Minute)
		require.Same(t, first, call)
		deadline, known := call.Deadline()
		require.True(t, known)
		require.Equal(t, now.Add(time.Minute), deadline)
		require.NoError(t, call.Err())
		d.End()
	}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		d.Begin(vu, time.Now(), time.Minute)
		d.End()
	}))
}

func TestCallEndsAtItsDeadlineAndTheNextIsWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Contexts
		long := d.Begin(t.Context(), time.Now(), time.Minute)
		d.End()
		for range 3 {
			begin := time.Now()
			call := d.Begin(t.Context(), begin, 20*time.Millisecond) // sooner than what the timer was set for
			<-call.Done()
			require.Equal(t, context.DeadlineExceeded, call.Err())
			require.Equal(t, 20*time.Millisecond, time.Since(begin))
			d.End()
		}
		require.Error(t, long.Err(), "it was the context of the first of them")
		call := d.Begin(t.Context(), time.Now(), time.Minute)
		require.NoError(t, call.Err())
		d.End()
	})
}

func TestTimerOfAnEarlierCallLeavesTheNextAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Contexts
		d.Begin(t.Context(), time.Now(), 20*time.Millisecond)
		d.End()
		begin := time.Now()
		call := d.Begin(t.Context(), begin, 100*time.Millisecond)
		<-call.Done()
		require.Equal(t, 100*time.Millisecond, time.Since(begin))
		d.End()
	})
}

func TestCallEndsWithTheVU(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Contexts
		vu, cancel := context.WithCancel(t.Context())
		call := d.Begin(vu, time.Now(), time.Minute)
		cancel()
		<-call.Done()
		require.Equal(t, context.Canceled, call.Err())
		d.End()

		again := d.Begin(vu, time.Now(), time.Minute) // within what has ended
		<-again.Done()
		require.Equal(t, context.Canceled, again.Err())
		d.End()

		next := d.Begin(t.Context(), time.Now(), time.Minute) // the VU's next iteration
		require.NoError(t, next.Err())
		derived, stop := context.WithCancel(next)
		require.NoError(t, derived.Err())
		stop()
		d.End()
	})
}
