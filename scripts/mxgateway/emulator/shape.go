package emulator

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// Shape says how long calls take. The zero value answers at once.
//
// A call first holds a resource that all sessions share, one call at a time; then its session's
// worker works on it, one command at a time. A call that had to wait for the shared resource may
// bring on a pause of it: that is where the tail at five sessions comes from, which one session
// alone does not have.
type Shape struct {
	Worker       time.Duration // median of the worker's time for a command
	WorkerSpread float64       // standard deviation of its logarithm
	StallEvery   int           // of so many commands of a worker, one stalls on average; 0: none
	StallMin     time.Duration // a stall lasts as long at least,
	StallMax     time.Duration // and as long at most

	Shared      time.Duration // how long each call holds the shared resource
	PauseChance float64       // of a call that had to wait for the shared resource: how likely it brings on a pause of it, 0 to 1
	PauseMedian time.Duration // median of a pause
	PauseSpread float64       // standard deviation of its logarithm
	PauseMax    time.Duration // and its most

	FirstValue time.Duration // from a tag's subscription to its first value
	Uncached   time.Duration // how much longer a read takes when a tag of it has no cached value
}

// Published is the shape of the published runs: 267 calls/s of one session alone, about 800 calls/s
// of five or more together, and at five sessions a median near 3.8 ms, p95 near 14 ms, p99 near 41
// ms. A shared call takes 1.25 ms on average when others always wait. The constants were fitted to
// those figures in a simulation of this model.
func Published() Shape {
	return Shape{
		Worker: 2800 * time.Microsecond, WorkerSpread: 0.18,
		StallEvery: 5000, StallMin: 250 * time.Millisecond, StallMax: 650 * time.Millisecond,
		Shared: 600 * time.Microsecond, PauseChance: 0.14,
		PauseMedian: 1750 * time.Microsecond, PauseSpread: 1.48, PauseMax: 150 * time.Millisecond,
		FirstValue: 50 * time.Millisecond, Uncached: 20 * time.Millisecond,
	}
}

// logNormal draws around median.
func logNormal(random *rand.Rand, median time.Duration, spread float64) time.Duration {
	return time.Duration(float64(median) * math.Exp(spread*random.NormFloat64()))
}

// shared is the resource of all sessions. It is booked, not held: a caller learns when its turn
// ends and waits until then, so that a wait that ends late takes nothing from the others.
type shared struct {
	mu   sync.Mutex
	free time.Duration // when the last turn that is booked ends
}

// book returns when the turn of a call that comes at now ends.
func (s *shared) book(shape *Shape, now time.Duration, random *rand.Rand) time.Duration {
	pauses := random.Float64() < shape.PauseChance
	pause := min(logNormal(random, shape.PauseMedian, shape.PauseSpread), shape.PauseMax)
	s.mu.Lock()
	defer s.mu.Unlock()
	begin := max(now, s.free)
	s.free = begin + shape.Shared
	if pauses && begin > now {
		s.free += pause
	}
	return s.free
}

// worker is that of one session.
type worker struct {
	shape  *Shape
	shared *shared

	mu     sync.Mutex
	random *rand.Rand
	free   time.Duration
}

func newWorker(shape *Shape, all *shared, seed, ordinal uint64) *worker {
	return &worker{shape: shape, shared: all, random: rand.New(rand.NewPCG(seed, ordinal))}
}

// book returns when the worker has done a command that comes at now and takes it extra longer than
// usual. A command that its client gives up meanwhile keeps its turn: COM cannot be interrupted.
func (w *worker) book(now, extra time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	begin := max(w.shared.book(w.shape, now, w.random), w.free)
	w.free = begin + logNormal(w.random, w.shape.Worker, w.shape.WorkerSpread) + extra
	if w.shape.StallEvery > 0 && w.random.IntN(w.shape.StallEvery) == 0 {
		w.free += w.shape.StallMin + time.Duration(w.random.Float64()*float64(w.shape.StallMax-w.shape.StallMin))
	}
	return w.free
}
