//go:build linux && !portable

package eventloop_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

// Jobs never wake early.
func TestJobsSleep(t *testing.T) {
	t.Parallel()
	var loops eventloop.Loops
	var all sync.WaitGroup
	begin := clock.Now()
	for number := range 8 {
		seat := loops.Seat()
		all.Go(func() {
			if err := seat.Do(0, func() error {
				for round := range 3 {
					at := begin + time.Duration(round*100+(7-number)*10)*time.Millisecond
					seat.Sleep(t.Context(), at)
					if now := clock.Now(); now < at {
						t.Errorf("client %d woke %s early", number, at-now)
					}
				}

				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestOthersWorkWhileJobsSleep(t *testing.T) {
	t.Parallel()
	c := newClient(dial(t, "tcp", serve(t, "tcp", echo)))
	var loops eventloop.Loops
	worker, sleeper := loops.Seat(), loops.Seat()
	ctx, wake := context.WithCancel(t.Context())
	defer wake()
	var all sync.WaitGroup
	all.Go(func() {
		if err := sleeper.Do(0, func() error {
			sleeper.Sleep(ctx, clock.Now()+time.Hour)

			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	require.NoError(t, worker.Do(0, func() error {
		c.Use(worker)
		for range 100 {
			worker.Begin()
			if err := c.ask("hello"); err != nil {
				return err
			}
			worker.Sleep(ctx, clock.Now()+time.Millisecond)
		}
		wake()

		return nil
	}))
	all.Wait()
}

// A sleep ends with its context. The job can sleep again with another one.
func TestSleepEndsWithItsContext(t *testing.T) {
	t.Parallel()
	const clients = 50
	var loops eventloop.Loops
	var all sync.WaitGroup
	var asleep atomic.Int64
	ctx, wake := context.WithCancel(t.Context())
	defer wake()
	for number := range clients {
		seat := loops.Seat()
		all.Go(func() {
			if err := seat.Do(number, func() error {
				if asleep.Add(1) == clients {
					wake()
				}
				seat.Sleep(ctx, clock.Now()+time.Hour)
				seat.Sleep(ctx, clock.Now()+time.Hour)
				again := clock.Now() + 5*time.Millisecond
				seat.Sleep(t.Context(), again)
				if clock.Now() < again {
					return errors.New("the context that had ended woke it from another sleep")
				}

				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestSleepersAreInOrder(t *testing.T) {
	t.Parallel()
	const apart = 40 * time.Microsecond
	untils := eventloop.Sleepers(7*apart, 3*apart, 5*apart, 4*apart, 5*apart+1)
	require.Equal(t, []time.Duration{3 * apart, 4 * apart, 5 * apart, 5*apart + 1, 7 * apart}, untils)
}

// A panic after a sleep becomes the job's error, and the seat remains usable.
func TestAJobPanicsAfterASleep(t *testing.T) {
	t.Parallel()
	var loops eventloop.Loops
	seat := loops.Seat()
	for range 2 {
		require.Error(t, seat.Do(0, func() error {
			seat.Sleep(t.Context(), clock.Now()+time.Millisecond)
			panic("after its sleep")
		}))
	}
}

func TestSleepAllocatesNothing(t *testing.T) {
	var loops eventloop.Loops
	seat := loops.Seat()
	var allocations float64
	require.NoError(t, seat.Do(0, func() error {
		ctx := t.Context()
		allocations = testing.AllocsPerRun(50, func() { seat.Sleep(ctx, clock.Now()+100*time.Microsecond) })

		return nil
	}))
	require.Zero(t, allocations)
}
