package measure

import (
	"math"
	"sync"
	"time"
)

// Places hands out the places that operations have in the schedule of an open-loop phase, in
// ascending order. Where an instance of k6 runs an execution segment, it gets only the places that
// belong to it.
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

// An operation that could not start in time may still do so for a twentieth of the phase after its
// end, within these bounds: a stall is worse luck at the end than in the middle, and no less of an
// answer. What starts later than that is a rate that was not kept.
const (
	catchUpShare = 20
	leastCatchUp = 100 * time.Millisecond
	mostCatchUp  = time.Second
)

// schedule says when the operations of an open-loop phase should start. A client that is free
// queues for its turn; the one whose turn it is takes the next operation and waits until it is due.
// So only one client at a time waits for the clock, and an operation is late only when no client
// was free, or when the generator itself was.
type schedule struct {
	rate   float64 // operations a second
	length time.Duration
	places Places
	turn   chan struct{} // holds one element: the turn; clients get it in the order in which they came
	alarm  alarm         // belongs to the client whose turn it is

	mu       sync.Mutex // guards what follows
	over     bool       // no operation starts any more
	started  uint64     // operations that have
	inTime   uint64     // operations that have before the phase was over
	queue    uint64     // the most operations that were due when no client was free
	free     int        // clients that queue for their turn or have it
	busyFrom time.Duration
	allBusy  time.Duration // how long no client was free
	lateness histogram     // from when an operation was due, and a client free, to its start
}

func newSchedule(rate float64, length time.Duration, places Places) *schedule {
	s := &schedule{rate: rate, length: length, places: places, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}

	return s
}

// turn is an operation of a schedule that a client starts.
type turn struct {
	begin time.Duration
	// late is how long the operation had to wait for a client to be free.
	late time.Duration
	// behind is how long it waited after that: it is the generator's lateness, and not the
	// server's.
	behind time.Duration
}

// take waits for the client's turn, claims the next operation and waits until it is due, in a phase
// that began at start. came is when the client was free for it; behind is that of the client's
// operation before: had the generator been in time, the client would have been free so much
// earlier. It returns false when there are no more operations, or the step was stopped.
func (s *schedule) take(step *Step, start, came, behind time.Duration) (turn, bool) {
	s.come(came - start)
	select {
	case <-s.turn:
	case <-step.stopped:
		return turn{}, false
	}
	defer func() { s.turn <- struct{}{} }()

	offset, ok := s.claim()
	if !ok || step.stopping() {
		return turn{}, false
	}
	due := start + offset
	if !step.waitUntil(due, &s.alarm) {
		return turn{}, false
	}
	begin := now()
	could := max(due, came-behind)

	return turn{begin: begin, late: could - due, behind: begin - could}, s.start(begin-start, offset, could-start)
}

// come says that a client is free. Times are counted from the start of the phase, here and below.
func (s *schedule) come(at time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free == 0 {
		s.allBusy += s.within(at) - s.within(s.busyFrom)
	}
	s.free++
}

// claim takes the next operation and returns when it is due; false when there are no more.
func (s *schedule) claim() (due time.Duration, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return 0, false
	}
	due = time.Duration(float64(s.places.Next()) / s.rate * float64(time.Second))
	s.over = due >= s.length

	return due, !s.over
}

// start says that an operation starts, with which one client less is free. could is when it is due
// and a client free. It is false when that is too late.
func (s *schedule) start(begin, due, could time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if begin > s.length+min(max(s.length/catchUpShare, leastCatchUp), mostCatchUp) {
		s.over = true

		return false
	}
	if could > due {
		s.queue = max(s.queue, s.due(begin)-min(s.started, s.due(begin)))
	}
	s.lateness.record(begin - could)
	s.started++
	if begin < s.length {
		s.inTime++
	}
	if s.free--; s.free == 0 {
		s.busyFrom = begin
	}

	return true
}

// within is a time, or the end of the phase when that comes first.
func (s *schedule) within(at time.Duration) time.Duration { return min(max(at, 0), s.length) }

// due is how many operations are due up to a time.
func (s *schedule) due(elapsed time.Duration) uint64 {
	return s.places.Among(uint64(math.Ceil(s.within(elapsed).Seconds() * s.rate)))
}

// OpenLoop is how an open-loop step kept its rate.
type OpenLoop struct {
	Due          uint64        // operations that were due in the window
	Started      uint64        // operations that started in the window
	LongestQueue uint64        // the most operations that were due, and had not started, when no client was free
	AllBusy      time.Duration // for how long of the window no client was free
	Lateness     Distribution  // from when an operation was due, and a client free, to its start
}

// KeptRate is the part of the asked rate from which on a step is said to have kept it.
const KeptRate = 0.99

// overloaded tells whether the clients could not keep the rate in a window: for most of it none was
// free. A stall at the end, which is caught up with after the window, is no overload.
func (o *OpenLoop) overloaded(window time.Duration) bool {
	return float64(o.Started) < KeptRate*float64(o.Due) && 2*o.AllBusy > window
}

// read takes a reading after a time, and counts the operations that were due and have not started.
func (s *schedule) read(elapsed time.Duration) (o *OpenLoop, unstarted uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	due := s.due(elapsed)
	unstarted = due - min(s.started, due)
	o = &OpenLoop{Due: due, Started: s.inTime, LongestQueue: max(s.queue, unstarted), AllBusy: s.allBusy}
	if s.free == 0 {
		o.AllBusy += s.within(elapsed) - s.within(s.busyFrom)
	}
	o.Lateness.add(&s.lateness)

	return o, unstarted
}
