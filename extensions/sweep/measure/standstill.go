package measure

import "time"

const (
	// beat is how well it is known when operations have ended.
	beat = 10 * time.Millisecond
	// shortestStill is the shortest time without an end of an operation that is told from none.
	shortestStill = 2 * beat
	// leastStill is how long a step stands still at least: less is what a busy machine does.
	leastStill = 100 * time.Millisecond
	// leastMissed is how many operations would have ended, on average, in a time in which a step
	// stood still: between those that come by chance, such a time is a fiftieth of all.
	leastMissed = 6
	// manyTimes is how many times longer than the median latency that is. Operations that begin
	// together end together.
	manyTimes = 3
)

// Standstill is how long a step stood still while all of its clients were at work.
type Standstill struct {
	// Longest is the longest time in which no operation ended, to 10 ms; zero: less than 20 ms.
	Longest time.Duration
	// Part is the part of the time, 0 to 1, that such times come to, of those that no busy machine
	// and no slow operations explain: each lasted for 100 ms and for 3 times the median latency of
	// the slowest kind of operations, and at least 6 operations would have ended in it.
	Part float64
}

// standstills finds out when no operation ended, of any kind. A client looks when an operation has
// ended a beat or more after the last look, so that it costs next to nothing. It is guarded as
// slots are.
type standstills struct {
	began, last time.Duration
	over        time.Duration // when clients began to be through; zero: not yet
	still       histogram     // times in which nothing ended
}

func (s *standstills) begin(at time.Duration) { s.began, s.last = at, at }

// went says that an operation has ended.
func (s *standstills) went(at time.Duration) {
	if s.over == 0 {
		s.stood(at)
	}
	s.last = max(s.last, at)
}

// stood counts the time since the last operation ended.
func (s *standstills) stood(until time.Duration) {
	if still := until - s.last; still >= shortestStill {
		s.still.record(still)
	}
}

// stopAt says that from now on not all clients are at work.
func (s *slots) stopAt(at time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over == 0 {
		s.stood(at)
		s.over = at
	}
}

// standstill reads how long the step has stood still up to a time, if all clients are at work. So
// many operations have ended, and the slowest kind has this median.
func (s *slots) standstill(at time.Duration, operations uint64, median time.Duration) *Standstill {
	s.mu.Lock()
	defer s.mu.Unlock()
	var still Distribution
	still.add(&s.still)
	if s.over != 0 {
		at = s.over
	} else if now := at - s.last; now >= shortestStill {
		still.Record(now)
	}
	took := at - s.began
	if took <= 0 {
		return &Standstill{}
	}
	least := max(leastStill, leastMissed*took/time.Duration(max(operations, 1)), manyTimes*median)

	return &Standstill{Longest: still.Max, Part: min(float64(still.SumFrom(least))/float64(took), 1)}
}
