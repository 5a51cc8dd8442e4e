package measure

import (
	"sync"
	"sync/atomic"
	"time"
)

// maxMessages bounds how many causes of failures a client or a step keeps; the rest is counted under otherErrors.
const (
	maxMessages = 20
	otherErrors = "other errors"
)

// Plan says what a step asks of each of its clients.
type Plan struct {
	Operations uint64        // how many operations, when not zero
	Duration   time.Duration // or else for how long
	UntilDone  bool          // or else until Client.Done: there is a number of operations that the clients share

	// Warmup and WarmupOperations are what each client does before the start line: for how long, or how many
	// operations. Zero: nothing.
	Warmup           time.Duration
	WarmupOperations uint64

	// Rate makes the step an open loop: its clients share this many operations a second, for the time of Duration and,
	// before that, of Warmup. Operations start when they are due, whether those before have ended or not, as far as there
	// are clients; an operation that had to wait for a client took as much longer.
	Rate float64
	// Places returns this instance's places in the schedule of a phase; nil: all.
	Places func() Places
}

func (p *Plan) done(operations uint64, elapsed time.Duration) bool {
	if p.Operations != 0 {
		return operations >= p.Operations
	}

	return elapsed >= p.Duration && !p.UntilDone
}

// Step is a number of clients that do the same at the same time.
type Step struct {
	plan    Plan
	clients []*Client
	onFault func(error)
	onFail  func(op string)
	onEnd   func()

	ended atomic.Int64 // clients that have ended

	warmup, schedule *schedule // of an open-loop step; else nil

	// ready opens when all clients are connected, line when all have warmed up: the start of the measured phase.
	ready, line *barrier

	stop        atomic.Bool   // start no more operations
	stopped     chan struct{} // closed then
	stopOnce    sync.Once
	interrupt   atomic.Bool // and what is cut off now is nobody's failure
	mu          sync.Mutex
	faultsKnown map[string]struct{}
}

// NewStep prepares a step of n clients, n > 0. onFault is told of every error of an operation whose cause
// is new, from the client's goroutine; it may be nil.
func NewStep(n int, plan Plan, onFault func(error)) *Step {
	s := &Step{
		plan:        plan,
		clients:     make([]*Client, n),
		ready:       newBarrier(n),
		line:        newBarrier(n),
		stopped:     make(chan struct{}),
		faultsKnown: make(map[string]struct{}),
		onFault:     onFault,
	}
	for i := range s.clients {
		s.clients[i] = &Client{step: s, index: i}
	}
	if plan.Rate > 0 {
		places := plan.Places
		if places == nil {
			places = func() Places { return &allPlaces{} }
		}
		s.warmup = newSchedule(plan.Rate, plan.Warmup, places())
		s.schedule = newSchedule(plan.Rate, plan.Duration, places())
	}

	return s
}

// OnStart makes fn be called at the last moment before the start line opens. Set it before any client runs.
func (s *Step) OnStart(fn func()) { s.line.onOpen = fn }

// OnEnd makes fn be called when the last client has ended, by that client's goroutine. Set it before any client runs.
func (s *Step) OnEnd(fn func()) { s.onEnd = fn }

// clientEnded counts a client that has ended.
func (s *Step) clientEnded() {
	if s.ended.Add(1) == int64(len(s.clients)) && s.onEnd != nil {
		s.onEnd()
	}
}

// OnFail makes fn be called for every failed operation of the measured phase, by the client's goroutine. Set it before
// any client runs.
func (s *Step) OnFail(fn func(op string)) { s.onFail = fn }

// Clients is how many clients the step has.
func (s *Step) Clients() int { return len(s.clients) }

// Client returns client i, counted from zero.
func (s *Step) Client(i int) *Client { return s.clients[i] }

// Stop lets no client start another operation; those under way may end.
func (s *Step) Stop() {
	s.stop.Store(true)
	s.stopOnce.Do(func() { close(s.stopped) })
}

// Interrupt stops the step on the user's wish: operations that are cut off from now on are not counted as failed.
func (s *Step) Interrupt() {
	s.interrupt.Store(true)
	s.Stop()
}

// InterruptUnlessStopped interrupts the step, unless it was stopped before: then what is cut off took too long.
func (s *Step) InterruptUnlessStopped() {
	if !s.stopping() {
		s.Interrupt()
	}
}

// Interrupted tells whether Interrupt was called.
func (s *Step) Interrupted() bool { return s.interrupt.Load() }

func (s *Step) stopping() bool { return s.stop.Load() }

// sleepUntil returns false when the step was stopped meanwhile.
func (s *Step) sleepUntil(t time.Duration) bool {
	left := t - now()
	if left <= 0 {
		return true
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.stopped:
		return false
	}
}

func (s *Step) failure(op string) {
	if s.onFail != nil {
		s.onFail(op)
	}
}

func (s *Step) fault(cause string, err error) {
	s.mu.Lock()
	_, known := s.faultsKnown[cause]
	if !known && len(s.faultsKnown) < maxMessages {
		s.faultsKnown[cause] = struct{}{}
	} else {
		known = true
	}
	s.mu.Unlock()

	if !known && s.onFault != nil {
		s.onFault(err)
	}
}

// Line is closed when the start line opens: the measured phase has begun.
func (s *Step) Line() <-chan struct{} { return s.line.open }

// Started tells whether the measured phase has begun.
func (s *Step) Started() bool { return s.line.isOpen() }

// Progress is a cheap reading: how many operations have ended, failed ones included, and for how long the step has
// been measured.
func (s *Step) Progress() (operations uint64, elapsed time.Duration) {
	for _, c := range s.clients {
		for _, r := range c.kinds() {
			operations += uint64(r.durations.count.Load()) + r.failed.Load()
		}
	}

	return operations, s.elapsed(0, 0)
}
