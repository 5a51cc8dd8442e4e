package measure

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// MostSlowest is how many of the slowest operations of a kind a step keeps.
const MostSlowest = 20

// Slow is one of the slowest operations.
type Slow struct {
	// Began is when it began, after the start line; in an open-loop step, when it was due.
	Began time.Duration
	// Client is who did it: its index.
	Client int
	Took   time.Duration
	// Waited is the part of the time that it waited for a client to be free, in an open-loop step.
	Waited time.Duration
	// Woken is the part of the time from when the machine had the answer to when the client read
	// it; nil where that was not measured.
	Woken *time.Duration
}

// slowest keeps the slowest operations. Who is faster than all of them takes no lock.
type slowest struct {
	// floor is what the fastest of them took; below zero as long as there is room.
	floor atomic.Int64

	mu  sync.Mutex
	all []Slow // the slowest first
}

// offer keeps an operation if it is one of the slowest.
func (s *slowest) offer(one Slow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, _ := slices.BinarySearchFunc(s.all, one.Took, func(kept Slow, took time.Duration) int {
		return cmp.Compare(took, kept.Took)
	})
	if i == MostSlowest {
		return
	}
	s.all = slices.Insert(s.all, i, one)
	if len(s.all) >= MostSlowest {
		s.all = s.all[:MostSlowest]
		s.floor.Store(int64(s.all[MostSlowest-1].Took))
	}
}

func (s *slowest) read() []Slow {
	s.mu.Lock()
	defer s.mu.Unlock()

	return slices.Clone(s.all)
}
