package measure

import "time"

const (
	// beat is the resolution of operations' ends.
	beat = 10 * time.Millisecond
	// shortestStill is the shortest gap that is detected.
	shortestStill = 2 * beat
	// leastStill is the shortest standstill; a busy machine causes shorter gaps.
	leastStill = 100 * time.Millisecond
	// leastMissed is how many operations must be missing on average in a standstill. One in fifty
	// random gaps is that long.
	leastMissed = 6
	// manyTimes is the shortest standstill in median latencies.
	manyTimes = 3
)

// Standstill describes gaps without a finished operation while all clients were at work.
type Standstill struct {
	// Longest is the longest gap, to 10 ms; 0 below 20 ms.
	Longest time.Duration
	// Part is the share of time (0 to 1) in gaps that neither a busy machine nor slow operations
	// explain: at least 100 ms, 3 median latencies of the slowest operation, and 6 missing
	// operations each.
	Part float64
}

// standstills detects gaps between ends of operations. Clients check at most once per beat, so the
// cost is low. The mutex of slots guards it.
type standstills struct {
	began, last time.Duration
	over        time.Duration // when the first client was done; 0 before
	still       histogram     // gaps without operations
}

func (s *standstills) begin(at time.Duration) { s.began, s.last = at, at }

func (s *standstills) went(at time.Duration) {
	if s.over == 0 {
		s.stood(at)
	}
	s.last = max(s.last, at)
}

func (s *standstills) stood(until time.Duration) {
	if still := until - s.last; still >= shortestStill {
		s.still.record(still)
	}
}

// stopAt ends the detection when the first client is done.
func (s *slots) stopAt(at time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over == 0 {
		s.stood(at)
		s.over = at
	}
}

// standstill returns the gaps up to a time, given the number of operations and the longest median.
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
