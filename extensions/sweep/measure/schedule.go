package measure

import (
	"math"
	"slices"
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
// claims the next one, and waits until it is due. So an operation is late only when no client was
// free, or when the generator itself was. Of the clients that wait on goroutines of their own, the
// first one alone waits for the clock.
type schedule struct {
	rate   float64 // operations a second
	length time.Duration
	places Places
	alarm  alarm // belongs to the client whose turn it is to wait for the clock

	mu       sync.Mutex      // guards what follows
	turns    []chan struct{} // of the clients that wait for that, in the order of their operations
	taken    bool            // a client has the turn
	over     bool            // no operation starts any more
	started  uint64          // operations that have
	inTime   uint64          // operations that have before the phase was over
	queue    uint64          // the most operations that were due when no client was free
	free     int             // clients that wait for an operation to be due
	busyFrom time.Duration
	allBusy  time.Duration // how long no client was free
	lateness histogram     // from when an operation was due, and a client free, to its start
}

func newSchedule(rate float64, length time.Duration, places Places) *schedule {
	return &schedule{rate: rate, length: length, places: places}
}

// turn is an operation of a schedule that a client starts.
type turn struct {
	begin time.Duration
	// late is how long the operation had to wait for a client to be free.
	late time.Duration
}

// place is where a client stands in a schedule.
type place struct {
	*schedule

	// began is when the phase did.
	began time.Duration
	// behind is how late the generator was with the client's last operation: had it been in time,
	// the client would have been free so much earlier.
	behind time.Duration
	// turn gets the client's turn to wait for the clock.
	turn chan struct{}
}

// take claims the next operation, and waits until it is due. came is when the client was free for
// it. It returns false when there are no more operations, or the step was stopped.
func (p *place) take(step *Step, came time.Duration) (turn, bool) {
	offset, ok := p.claim(came-p.began, p.turn)
	select {
	case <-p.turn:
	case <-step.stopped.Done():
		return turn{}, false
	}
	defer p.pass()
	if !ok || !step.waitUntil(p.began+offset, &p.alarm) {
		return turn{}, false
	}

	return p.begin(offset, came)
}

// takeAsleep is take for a client that sleeps by itself. One for which there is no operation sleeps
// until the phase is over.
func (p *place) takeAsleep(step *Step, came time.Duration, sleep func(until time.Duration)) (turn, bool) {
	offset, ok := p.claim(came-p.began, nil)
	if !ok {
		offset = p.length
	}
	due := p.began + offset
	if now() < due {
		sleep(due)
	}
	if !ok || step.stopping() || now() < due {
		return turn{}, false
	}

	return p.begin(offset, came)
}

// begin begins the operation that is due at a time of the phase. It is false when that is too late.
func (p *place) begin(offset, came time.Duration) (turn, bool) {
	at, due := now(), p.began+offset
	could := max(due, came-p.behind)
	p.behind = at - could

	return turn{begin: at, late: could - due}, p.start(at-p.began, offset, could-p.began)
}

// claim says that a client is free, and takes the next operation for it. It returns when that is
// due; false when there are no more. Then the client waits for its turn, if it has any to wait for.
// Times are counted from the start of the phase, here and below.
func (s *schedule) claim(at time.Duration, waits chan struct{}) (due time.Duration, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free == 0 {
		s.allBusy += s.busy(at)
	}
	s.free++
	switch {
	case waits == nil:
	case s.taken:
		s.turns = append(s.turns, waits)
	default:
		s.taken = true
		waits <- struct{}{}
	}
	if s.over {
		return 0, false
	}
	due = time.Duration(float64(s.places.Next()) / s.rate * float64(time.Second))
	s.over = due >= s.length

	return due, !s.over
}

// pass passes the turn on.
func (s *schedule) pass() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken = len(s.turns) > 0; s.taken {
		s.turns[0] <- struct{}{}
		s.turns = slices.Delete(s.turns, 0, 1)
	}
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

// busy is for how long no client has been free at a time, since the last one was. Another may have
// started an operation since the client at hand was free: then it is zero.
func (s *schedule) busy(at time.Duration) time.Duration {
	return max(s.within(at)-s.within(s.busyFrom), 0)
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
		o.AllBusy += s.busy(elapsed)
	}
	o.Lateness.add(&s.lateness)

	return o, unstarted
}
