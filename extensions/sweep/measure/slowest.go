package measure

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// MostSlowest is how many of the slowest operations a step keeps per name.
const MostSlowest = 20

// Slow is one of the slowest operations.
type Slow struct {
	// Began is the start relative to the start line; in an open loop, the due time.
	Began time.Duration
	// Client is the client's index.
	Client int
	Took   time.Duration
	// Waited is the wait for a free client in an open loop.
	Waited time.Duration
	// Woken is the time from the answer's arrival to its read; nil if not measured.
	Woken *time.Duration
}

// slowest keeps the slowest operations. Faster ones take no lock.
type slowest struct {
	// floor is the fastest kept duration; negative while there is room.
	floor atomic.Int64

	mu  sync.Mutex
	all []Slow
}

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
