package main

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// shape describes the duration of calls. The zero value answers without delay.
//
// A call first holds a resource that all sessions share, one call at a time. Then its session's
// worker processes it, one command at a time. A call that waited for the shared resource can start
// a pause of it. These pauses cause the tail at five sessions, which a single session does not
// have.
type shape struct {
	worker       time.Duration // median time of the worker for a command
	workerSpread float64       // standard deviation of its logarithm
	stallEvery   int           // average number of commands between stalls of a worker; 0: no stalls
	stallMin     time.Duration // least duration of a stall
	stallMax     time.Duration // greatest duration of a stall

	shared      time.Duration // time for which each call holds the shared resource
	pauseChance float64       // probability, 0 to 1, that a call that waited for the shared resource starts a pause
	pauseMedian time.Duration // median of a pause
	pauseSpread float64       // standard deviation of its logarithm
	pauseMax    time.Duration // longest pause

	firstValue time.Duration // from a tag's subscription to its first value
	uncached   time.Duration // additional time of a read if a tag has no cached value
}

// published returns the shape of the published runs: 267 calls/s for one session, about 800 calls/s
// for five or more, and at five sessions a median near 3.8 ms, p95 near 14 ms, p99 near 41 ms. A
// shared call takes 1.25 ms on average when others always wait. The constants were fitted in a
// simulation of this model.
func published() shape {
	return shape{
		worker: 2800 * time.Microsecond, workerSpread: 0.18,
		stallEvery: 5000, stallMin: 250 * time.Millisecond, stallMax: 650 * time.Millisecond,
		shared: 600 * time.Microsecond, pauseChance: 0.14,
		pauseMedian: 1750 * time.Microsecond, pauseSpread: 1.48, pauseMax: 150 * time.Millisecond,
		firstValue: 50 * time.Millisecond, uncached: 20 * time.Millisecond,
	}
}

func logNormal(random *rand.Rand, median time.Duration, spread float64) time.Duration {
	return time.Duration(float64(median) * math.Exp(spread*random.NormFloat64()))
}

// shared is the resource of all sessions. It is booked, not locked: a caller gets the end of its
// turn and waits until then, so a late wait does not delay the others.
type shared struct {
	mu   sync.Mutex
	free time.Duration
}

func (s *shared) book(shape *shape, now time.Duration, random *rand.Rand) time.Duration {
	pauses := random.Float64() < shape.pauseChance
	pause := min(logNormal(random, shape.pauseMedian, shape.pauseSpread), shape.pauseMax)
	s.mu.Lock()
	defer s.mu.Unlock()
	begin := max(now, s.free)
	s.free = begin + shape.shared
	if pauses && begin > now {
		s.free += pause
	}
	return s.free
}

type worker struct {
	shape  *shape
	shared *shared

	mu     sync.Mutex
	random *rand.Rand
	free   time.Duration
}

func newWorker(shape *shape, all *shared, seed, ordinal uint64) *worker {
	return &worker{shape: shape, shared: all, random: rand.New(rand.NewPCG(seed, ordinal))}
}

// A command that its client cancels keeps its turn, because COM cannot be interrupted.
func (w *worker) book(now, extra time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	begin := max(w.shared.book(w.shape, now, w.random), w.free)
	w.free = begin + logNormal(w.random, w.shape.worker, w.shape.workerSpread) + extra
	if w.shape.stallEvery > 0 && w.random.IntN(w.shape.stallEvery) == 0 {
		w.free += w.shape.stallMin + time.Duration(w.random.Float64()*float64(w.shape.stallMax-w.shape.stallMin))
	}
	return w.free
}
