package measure

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Places hands out the places that operations have in the schedule of an open-loop phase, in ascending order. Where an
// instance of k6 runs an execution segment, it gets only the places that belong to it.
type Places interface {
	// Next returns the next place, counted from zero over all instances.
	Next() uint64
	// Among returns how many of the first n places belong to this instance.
	Among(n uint64) uint64
}

// allPlaces are the places of an instance that runs alone.
type allPlaces struct{ next uint64 }

// Next returns the next place.
func (s *allPlaces) Next() uint64 {
	s.next++

	return s.next - 1
}

// Among returns n: all places belong to this instance.
func (s *allPlaces) Among(n uint64) uint64 { return n }

// schedule says when the operations of an open-loop phase should start, whoever of the clients is free to do them.
type schedule struct {
	rate    float64 // operations a second
	length  time.Duration
	started atomic.Uint64 // operations that have

	mu     sync.Mutex
	places Places
	over   bool
}

func newSchedule(rate float64, length time.Duration, places Places) *schedule {
	return &schedule{rate: rate, length: length, places: places}
}

// next claims an operation and returns when it should start, counted from the start of the phase; false when there
// are no more.
func (s *schedule) next() (time.Duration, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return 0, false
	}
	offset := time.Duration(float64(s.places.Next()) / s.rate * float64(time.Second))
	s.over = offset >= s.length

	return offset, !s.over
}

// unstarted is how many operations were due after a time, and have not started.
func (s *schedule) unstarted(elapsed time.Duration) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	due := s.places.Among(uint64(math.Ceil(min(elapsed, s.length).Seconds() * s.rate)))

	return due - min(s.started.Load(), due)
}
