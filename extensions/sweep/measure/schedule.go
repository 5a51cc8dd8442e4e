package measure

import (
	"math"
	"slices"
	"sync"
	"time"
)

// Places are the positions in an open loop's schedule that belong to this instance, in ascending
// order.
type Places interface {
	// Next returns the next place, counted from 0 over all instances.
	Next() uint64
	// Among returns how many of the first n places belong to this instance.
	Among(n uint64) uint64
}

type allPlaces struct{ next uint64 }

func (s *allPlaces) Next() uint64 {
	s.next++

	return s.next - 1
}

func (s *allPlaces) Among(n uint64) uint64 { return n }

// Late operations may start up to a twentieth of the phase after its end, within these bounds, so
// that a stall at the end is treated like one in the middle. Operations that would start later are
// dropped; the rate was not kept.
const (
	catchUpShare = 20
	leastCatchUp = 100 * time.Millisecond
	mostCatchUp  = time.Second
)

// schedule determines when operations in an open-loop phase are due. A free client claims the next
// ones and waits for them. Among clients on goroutines, only the first waits for the clock.
type schedule struct {
	rate   float64 // operations per second
	length time.Duration
	places Places
	alarm  alarm // used by the client that waits for the clock

	mu       sync.Mutex
	turns    []chan struct{} // clients that wait for their turn at the clock, in order
	taken    bool            // a client waits for the clock
	over     bool
	started  uint64
	within   uint64 // operations started before the end of the phase
	queue    uint64 // maximum of due operations while no client was free
	free     int    // clients waiting for an operation
	busyFrom time.Duration
	allBusy  time.Duration // total time without a free client
	lateness histogram     // from due time to start
	own      histogram     // part of lateness with a free client, caused by k6
}

func newSchedule(rate float64, length time.Duration, places Places) *schedule {
	return &schedule{rate: rate, length: length, places: places}
}

// turn is a number of operations that a client starts together.
type turn struct {
	due    time.Duration // relative to the phase
	places uint64
	begin  time.Duration
	late   time.Duration // from due time to start
	own    time.Duration // part of late with a free client
}

// place is a client's position in a schedule.
type place struct {
	*schedule

	began time.Duration
	// behind is how late k6 made the client's last operation. Without that delay, the client would
	// have been free earlier by the same time.
	behind time.Duration
	// turn signals the client's turn at the clock.
	turn chan struct{}
	last turn
}

// take claims the next n operations and waits until they are due. came is the time since when the
// client has been free. It returns false if there are no more operations or the step was stopped.
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

// takeAsleep is like take, with the client's own sleep function. Without an operation, the client
// sleeps to the end of the phase.
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

// begin starts due operations. It returns false if it is too late.
func (p *place) begin(t turn, came time.Duration) bool {
	at, due := now(), p.began+t.due
	could := max(due, came-p.behind)
	p.behind = at - could
	t.begin, t.late, t.own = at-p.began, at-due, at-could
	p.last = t

	return p.start(t)
}

// join claims n more operations, due with the client's last ones.
func (p *place) join(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.last
	_, t.places = p.next(n)
	p.count(t)
}

// claim takes the next n operations for a free client, fewer at the end, and returns when the first
// is due. The client waits for its turn at the clock on waits, if not nil. Times are relative to
// the phase, here and below.
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

func (s *schedule) pass() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken = len(s.turns) > 0; s.taken {
		s.turns[0] <- struct{}{}
		s.turns = slices.Delete(s.turns, 0, 1)
	}
}

// start records that a client starts operations and is no longer free. It returns false if it is
// too late.
func (s *schedule) start(t turn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.begin > s.length+min(max(s.length/catchUpShare, leastCatchUp), mostCatchUp) {
		s.over = true

		return false
	}
	if t.late > t.own { // has waited for a client
		s.queue = max(s.queue, s.due(t.begin)-min(s.started, s.due(t.begin)))
	}
	s.count(t)
	if s.free--; s.free == 0 {
		s.busyFrom = t.begin
	}

	return true
}

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

// busy returns how long no client has been free. It is 0 if another client has started an operation
// since.
func (s *schedule) busy(at time.Duration) time.Duration {
	return max(s.upTo(at)-s.upTo(s.busyFrom), 0)
}

func (s *schedule) upTo(at time.Duration) time.Duration { return min(max(at, 0), s.length) }

// due returns the number of operations due up to a time.
func (s *schedule) due(elapsed time.Duration) uint64 {
	return s.places.Among(uint64(math.Ceil(s.upTo(elapsed).Seconds() * s.rate)))
}

// OpenLoop describes how well an open loop kept its rate.
type OpenLoop struct {
	Due          uint64        // operations due in the window
	Started      uint64        // operations started in the window
	LongestQueue uint64        // maximum of due operations not started while no client was free
	AllBusy      time.Duration // time in the window without a free client
	Lateness     Distribution  // from due time to start

	// InTime is the share of due operations (0 to 1) that started within StartBound. LateByK6 is
	// the share that started later although a client was free.
	InTime, LateByK6 float64
}

// KeptRate is the minimum share of the rate that counts as kept.
const KeptRate = 0.99

// StartBound returns the delay up to which an operation counts as in time, given the step's median
// latency.
func StartBound(median time.Duration) time.Duration {
	const least = 10 * time.Millisecond

	return max(median/10, least)
}

// overloaded reports whether the clients could not keep the rate: none was free for most of the
// window. A stall at the end that is caught up with does not count.
func (o *OpenLoop) overloaded(window time.Duration) bool {
	return float64(o.Started) < KeptRate*float64(o.Due) && 2*o.AllBusy > window
}

// read takes a reading, given the step's median latency. unstarted is the number of due operations
// that have not started.
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
