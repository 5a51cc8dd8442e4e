package measure

import (
	"runtime"
	"sync/atomic"
)

// figures are what is exact of durations: how many there were, their sum, the shortest and the
// longest one, in nanoseconds. One goroutine writes, any number may read at the same time.
type figures struct {
	// recent is the number of the latest durations, above sumBits, and below that their sum. A
	// processor waits for each write that others may see: so it waits once for a duration, not twice.
	recent   atomic.Uint64
	min, max atomic.Int64

	// number and sum are of those before. They cannot be read while moves, which counts when recent
	// begins and ends to move there, is odd.
	number, sum atomic.Int64
	moves       atomic.Uint32
}

// Of recent durations there are fewer than 4096, each below 18 minutes: their sum has sumBits.
const (
	sumBits  = 52
	mostSums = uint64(1<<(64-sumBits)-1) << sumBits
	longest  = 1 << (sumBits - (64 - sumBits))
)

// note takes note of a duration in nanoseconds, which is not negative. It comes after the buckets
// have it, so that a reader never sees a number that is not in them yet.
func (f *figures) note(v int64) {
	recent := f.recent.Load()
	if v < f.min.Load() || recent == 0 && f.number.Load() == 0 {
		f.min.Store(v)
	}
	if v > f.max.Load() {
		f.max.Store(v)
	}
	if recent >= mostSums || v >= longest {
		f.move(recent, v)
	} else {
		f.recent.Store(recent + 1<<sumBits + uint64(v))
	}
}

// move moves what is recent to those before, and a duration with it.
func (f *figures) move(recent uint64, v int64) {
	f.moves.Add(1)
	f.number.Add(int64(recent>>sumBits) + 1)
	f.sum.Add(int64(recent&(1<<sumBits-1)) + v)
	f.recent.Store(0)
	f.moves.Add(1)
}

// read returns the number of durations and their sum.
func (f *figures) read() (number, sum int64) {
	for {
		moves := f.moves.Load()
		recent := f.recent.Load()
		number, sum = f.number.Load()+int64(recent>>sumBits), f.sum.Load()+int64(recent&(1<<sumBits-1))
		if moves%2 == 0 && f.moves.Load() == moves {
			return number, sum
		}
		runtime.Gosched() // the writer has a few instructions to go
	}
}

// count is the number of durations.
func (f *figures) count() int64 {
	number, _ := f.read()

	return number
}
