package clock

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

func TestDeadlineDoesNotAffectNextCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Contexts
		long := d.Begin(t.Context(), time.Now(), time.Minute)
		d.End()
		for range 3 {
			begin := time.Now()
			call := d.Begin(t.Context(), begin, 20*time.Millisecond) // before the timer's time
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

func TestEarlierTimerDoesNotAffectNextCall(t *testing.T) {
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

		again := d.Begin(vu, time.Now(), time.Minute) // the parent has ended
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

func TestExtendedCallsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Contexts
		begin := time.Now()
		call := d.Begin(t.Context(), begin, time.Second)
		for range 3 {
			time.Sleep(900 * time.Millisecond)
			d.Extend(time.Second)
		}
		until, _ := call.Deadline()
		require.Equal(t, begin.Add(3700*time.Millisecond), until)
		<-call.Done()
		require.Equal(t, 3700*time.Millisecond, time.Since(begin))
		require.Equal(t, Late, d.End())
	})
}

func TestFunctionsAfterACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Contexts
		call := d.Begin(t.Context(), time.Now(), time.Second)
		told := make(chan string, 10)
		context.AfterFunc(call, func() { told <- "one" })
		stop := context.AfterFunc(call, func() { told <- "another" })
		require.True(t, stop())
		require.False(t, stop())
		derived, cancel := context.WithCancel(call)
		defer cancel()
		<-derived.Done()
		synctest.Wait()
		require.Equal(t, "one", <-told)
		context.AfterFunc(call, func() { told <- "late" })
		require.Equal(t, "late", <-told)
		synctest.Wait()
		require.Empty(t, told)
		require.Equal(t, Late, d.End())
		d.Stop()

		next := d.Begin(t.Context(), time.Now(), time.Minute)
		require.NoError(t, next.Err())
		require.Equal(t, Undisturbed, d.End())
		d.Stop()
	})
}
