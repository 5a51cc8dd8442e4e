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

// schedule says when the operations of an open-loop phase are due. A client that is free claims the
// next ones, and waits until they are due. Of the clients that wait on goroutines of their own, the
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
	within   uint64          // operations that have before the phase was over
	queue    uint64          // the most operations that were due when no client was free
	free     int             // clients that wait for an operation to be due
	busyFrom time.Duration
	allBusy  time.Duration // how long no client was free
	lateness histogram     // from when an operation was due to its start
	own      histogram     // the part of that in which a client was free: k6's own
}

func newSchedule(rate float64, length time.Duration, places Places) *schedule {
	return &schedule{rate: rate, length: length, places: places}
}

// turn is a number of operations that a client starts together. All of them are due with the first.
type turn struct {
	due    time.Duration // of the phase
	places uint64        // how many operations
	begin  time.Duration
	late   time.Duration // from when they were due to begin
	own    time.Duration // the part of late in which the client was free
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
	// last is what the client has started.
	last turn
}

// take claims the next n operations, which start together, and waits until the first is due. came
// is when the client was free for them. It returns false when there are no more operations, or the
// step was stopped.
func (p *place) take(step *Step, n int, came time.Duration) bool {
	due, places := p.claim(came-p.began, n, p.turn)
	select {
	case <-p.turn:
	case <-step.stopped.Done():
		return false
	}
	defer p.pass()

	return places > 0 && step.waitUntil(p.began+due, &p.alarm) && p.begin(turn{due: due, places: places}, came)
}

// takeAsleep is take for a client that sleeps by itself. One for which there is no operation sleeps
// until the phase is over.
func (p *place) takeAsleep(step *Step, n int, came time.Duration, sleep func(until time.Duration)) bool {
	due, places := p.claim(came-p.began, n, nil)
	if places == 0 {
		due = p.length
	}
	until := p.began + due
	if now() < until {
		sleep(until)
	}

	return places > 0 && !step.stopping() && now() >= until && p.begin(turn{due: due, places: places}, came)
}

// begin begins operations that are due. It is false when that is too late.
func (p *place) begin(t turn, came time.Duration) bool {
	at, due := now(), p.began+t.due
	could := max(due, came-p.behind)
	p.behind = at - could
	t.begin, t.late, t.own = at-p.began, at-due, at-could
	p.last = t

	return p.start(t)
}

// join claims n more operations, which start together with the client's last one and are due with
// it.
func (p *place) join(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.last
	_, t.places = p.next(n)
	p.count(t)
}

// claim says that a client is free, and takes the next n operations for it. It returns when the
// first is due and how many there are, fewer than n at the end. The client waits for its turn, if
// it has any to wait for. Times are counted from the start of the phase, here and below.
func (s *schedule) claim(at time.Duration, n int, waits chan struct{}) (due time.Duration, places uint64) {
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

	return s.next(n)
}

// next takes the next n operations, as far as there are so many.
func (s *schedule) next(n int) (due time.Duration, places uint64) {
	for range n {
		if s.over {
			break
		}
		at := time.Duration(float64(s.places.Next()) / s.rate * float64(time.Second))
		if s.over = at >= s.length; s.over {
			break
		}
		if places == 0 {
			due = at
		}
		places++
	}

	return due, places
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

// start says that a client starts operations, with which one client less is free. It is false when
// that is too late.
func (s *schedule) start(t turn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.begin > s.length+min(max(s.length/catchUpShare, leastCatchUp), mostCatchUp) {
		s.over = true

		return false
	}
	if t.late > t.own { // it has waited for a client
		s.queue = max(s.queue, s.due(t.begin)-min(s.started, s.due(t.begin)))
	}
	s.count(t)
	if s.free--; s.free == 0 {
		s.busyFrom = t.begin
	}

	return true
}

// count counts operations that have started.
func (s *schedule) count(t turn) {
	for range t.places {
		s.lateness.record(t.late)
		s.own.record(t.own)
	}
	s.started += t.places
	if t.begin < s.length {
		s.within += t.places
	}
}

// busy is for how long no client has been free at a time, since the last one was. Another may have
// started an operation since the client at hand was free: then it is zero.
func (s *schedule) busy(at time.Duration) time.Duration {
	return max(s.upTo(at)-s.upTo(s.busyFrom), 0)
}

// upTo is a time, or the end of the phase when that comes first.
func (s *schedule) upTo(at time.Duration) time.Duration { return min(max(at, 0), s.length) }

// due is how many operations are due up to a time.
func (s *schedule) due(elapsed time.Duration) uint64 {
	return s.places.Among(uint64(math.Ceil(s.upTo(elapsed).Seconds() * s.rate)))
}

// OpenLoop is how an open-loop step kept its rate.
type OpenLoop struct {
	Due          uint64        // operations that were due in the window
	Started      uint64        // operations that started in the window
	LongestQueue uint64        // the most operations that were due, and had not started, when no client was free
	AllBusy      time.Duration // for how long of the window no client was free
	Lateness     Distribution  // from when an operation was due to its start

	// InTime is the part of the operations that were due, 0 to 1, that started within StartBound of
	// that, and LateByK6 the part for which a client was free, and which k6 started later than that.
	InTime, LateByK6 float64
}

// KeptRate is the part of the asked rate from which on a step is said to have kept it.
const KeptRate = 0.99

// StartBound is how long after it was due an operation starts in time, in a step of this median
// latency.
func StartBound(median time.Duration) time.Duration {
	const least = 10 * time.Millisecond

	return max(median/10, least)
}

// overloaded tells whether the clients could not keep the rate in a window: for most of it none was
// free. A stall at the end, which is caught up with after the window, is no overload.
func (o *OpenLoop) overloaded(window time.Duration) bool {
	return float64(o.Started) < KeptRate*float64(o.Due) && 2*o.AllBusy > window
}

// read takes a reading after a time, of a step of this median latency, and counts the operations
// that were due and have not started.
func (s *schedule) read(elapsed, median time.Duration) (o *OpenLoop, unstarted uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	due := s.due(elapsed)
	unstarted = due - min(s.started, due)
	o = &OpenLoop{Due: due, Started: min(s.within, due), LongestQueue: max(s.queue, unstarted), AllBusy: s.allBusy}
	if s.free == 0 {
		o.AllBusy += s.busy(elapsed)
	}
	o.Lateness.add(&s.lateness)
	if due > 0 {
		var own Distribution
		own.add(&s.own)
		bound := StartBound(median)
		o.InTime = min(float64(o.Lateness.Count-o.Lateness.Above(bound))/float64(due), 1)
		o.LateByK6 = min(float64(own.Above(bound))/float64(due), 1)
	}

	return o, unstarted
}
