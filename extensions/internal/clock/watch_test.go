package clock

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

type interrupted struct {
	uses string
	why  Outcome
}

func newTestWatch() (*Watch[string], chan interrupted) {
	all := make(chan interrupted, 10)

	return NewWatch(func(uses string, why Outcome) { all <- interrupted{uses, why} }), all
}

func TestLateCallIsInterruptedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, all := newTestWatch()
		begin := time.Now()
		w.Begin(t.Context(), "a", begin, time.Second)
		require.Equal(t, interrupted{"a", Late}, <-all)
		require.Equal(t, time.Second, time.Since(begin))
		time.Sleep(time.Minute)
		require.Equal(t, Late, w.End())
		require.Empty(t, all)
	})
}

func TestCallInTimeIsNotInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, all := newTestWatch()
		for range 10 { // the first call's timer fires during a later call
			w.Begin(t.Context(), "a", time.Now(), time.Second)
			time.Sleep(300 * time.Millisecond)
			require.Equal(t, Undisturbed, w.End())
		}
		time.Sleep(time.Minute)
		require.Empty(t, all, "nobody is interrupted when no call is under way")
		w.Begin(t.Context(), "b", time.Now(), time.Second)
		require.Equal(t, interrupted{"b", Late}, <-all)
	})
}

func TestCallWithoutATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, all := newTestWatch()
		w.Begin(t.Context(), "a", time.Now(), time.Second) // leaves a timer running
		w.End()
		w.Begin(t.Context(), "a", time.Now(), 0)
		time.Sleep(time.Hour)
		require.Equal(t, Undisturbed, w.End())
		require.Empty(t, all)
	})
}

func TestCallEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, all := newTestWatch()
		first, cancel := context.WithCancel(t.Context())
		w.Begin(first, "a", time.Now(), 0)
		require.Equal(t, Undisturbed, w.End())
		second, cancelSecond := context.WithCancel(t.Context())
		w.Begin(second, "b", time.Now(), 0)
		cancel() // ends the context of a finished iteration
		synctest.Wait()
		require.Empty(t, all)
		cancelSecond()
		require.Equal(t, interrupted{"b", Ended}, <-all)
		require.Equal(t, Ended, w.End())
		w.Begin(second, "c", time.Now(), time.Minute)
		require.Equal(t, interrupted{"c", Ended}, <-all, "a context that has ended before")
	})
}

func TestExtendedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, all := newTestWatch()
		begin := time.Now()
		w.Begin(t.Context(), "a", begin, time.Second)
		for range 3 {
			time.Sleep(900 * time.Millisecond)
			w.Extend(time.Second)
		}
		<-all
		require.Equal(t, 3700*time.Millisecond, time.Since(begin))
		w.End()
		w.Extend(time.Second)
		time.Sleep(time.Minute)
		require.Empty(t, all, "what is over needs no time")
	})
}

func TestInterruptAndStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, all := newTestWatch()
		w.Interrupt()
		w.Begin(t.Context(), "a", time.Now(), time.Second)
		w.Interrupt()
		require.Equal(t, interrupted{"a", Ended}, <-all)
		require.Equal(t, Ended, w.End())
		w.Stop()
		require.Empty(t, w.uses)
		w.Begin(t.Context(), "b", time.Now(), time.Second)
		require.Equal(t, interrupted{"b", Late}, <-all, "it can be used again")
	})
}

func TestWatchAllocatesNothing(t *testing.T) {
	w, _ := newTestWatch()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		w.Begin(t.Context(), "a", time.Now(), time.Minute)
		w.End()
	}))
}
