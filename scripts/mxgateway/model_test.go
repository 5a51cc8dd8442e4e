package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const transport = 200 * time.Microsecond

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

type played struct {
	perSecond          float64
	p50, p95, p99, max float64
	perSession         []int
}

func play(shape shape, n int, during time.Duration, seed uint64) played {
	all := &shared{}
	workers, next := make([]*worker, n), make([]time.Duration, n)
	for i := range workers {
		workers[i] = newWorker(&shape, all, seed, uint64(i+1))
		next[i] = time.Duration(i) * time.Millisecond
	}
	var latencies []time.Duration
	result := played{perSession: make([]int, n)}
	for {
		first := slices.Index(next, slices.Min(next))
		if next[first] >= during {
			break
		}
		end := workers[first].book(next[first], 0)
		latencies = append(latencies, end-next[first])
		result.perSession[first]++
		next[first] = end + transport
	}
	slices.Sort(latencies)
	at := func(q float64) float64 { return milliseconds(latencies[int(q*float64(len(latencies)))]) }
	result.perSecond = float64(len(latencies)) / during.Seconds()
	result.p50, result.p95, result.p99, result.max = at(0.50), at(0.95), at(0.99), milliseconds(latencies[len(latencies)-1])
	return result
}

func TestOneSessionHasThePublishedRate(t *testing.T) {
	one := play(published(), 1, 5*time.Minute, 1)
	assert.InDelta(t, 267, one.perSecond, 0.05*267)
	assert.InDelta(t, 3.74, one.p50, 0.5)
	assert.Less(t, one.p99, 5.7, "one session alone has no tail")
	assert.InDelta(t, 600, one.max, 50, "but for the stalls")
}

func TestFiveSessionsHaveThePublishedRateAndTail(t *testing.T) {
	for seed := range uint64(3) {
		five := play(published(), 5, 2*time.Minute, seed)
		assert.InDelta(t, 800, five.perSecond, 0.06*800)
		assert.InDelta(t, 3.84, five.p50, 0.3)
		assert.InDelta(t, 14, five.p95, 2)
		assert.InDelta(t, 41, five.p99, 6)
		assert.InDelta(t, 600, five.max, 150)
		assert.InDelta(t, slices.Min(five.perSession), slices.Max(five.perSession), 0.05*float64(slices.Max(five.perSession)), "no session is preferred")
	}
}

func TestMoreSessionsGetNoMore(t *testing.T) {
	for _, n := range []int{10, 20, 64} {
		assert.InDelta(t, 800, play(published(), n, time.Minute, 1).perSecond, 0.1*800, "%d sessions", n)
	}
}

func TestEqualSeedsGiveEqualTimes(t *testing.T) {
	assert.Equal(t, play(published(), 5, time.Minute, 1), play(published(), 5, time.Minute, 1))
	assert.NotEqual(t, play(published(), 5, time.Minute, 1), play(published(), 5, time.Minute, 2))
}

func TestStallsAreWithinTheirBounds(t *testing.T) {
	shape := shape{stallEvery: 4, stallMin: 100 * time.Millisecond, stallMax: 150 * time.Millisecond}
	stalled := play(shape, 1, time.Minute, 1)
	assert.Zero(t, stalled.p50)
	assert.InDelta(t, 125, stalled.p95, 25)
	assert.InDelta(t, 125, stalled.max, 25)
}

// On a busy machine most waits end late, but not all; Go's own timers are never as accurate.
func TestWaitsEndOnTimeAndNeverBefore(t *testing.T) {
	clock := newGateway("none", 1, nil)
	for _, wait := range []time.Duration{100 * time.Microsecond, 700 * time.Microsecond, 3700 * time.Microsecond, 8300 * time.Microsecond} {
		best := time.Hour
		for n, giveUp := 0, clock.now()+time.Minute; n < 50 || best >= 250*time.Microsecond && clock.now() < giveUp; n++ {
			until := clock.now() + wait
			require.NoError(t, clock.wait(context.Background(), until))
			late := clock.now() - until
			require.GreaterOrEqual(t, late, time.Duration(0))
			best = min(best, late)
		}
		assert.Less(t, best, 250*time.Microsecond, "a wait of %v, at best", wait)
	}
}

func TestALongWaitEndsWithItsContext(t *testing.T) {
	clock := newGateway("none", 1, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	assert.Equal(t, codes.DeadlineExceeded, status.Code(clock.wait(ctx, clock.now()+time.Hour)))
}
