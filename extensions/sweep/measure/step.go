package measure

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// maxMessages bounds how many causes of failures a client or a step keeps; the rest is counted
// under otherErrors.
const (
	maxMessages = 20
	otherErrors = "other errors"
)

// Plan says what a step asks of each of its clients.
type Plan struct {
	Operations uint64        // how many operations, when not zero
	Duration   time.Duration // or else for how long
	UntilDone  bool          // or else until Client.Done: there is a number of operations that the clients share
	UntilKnown bool          // or else until Step.CloseWindow: enough is known

	// Warmup and WarmupOperations are what each client does before the start line: for how long, or
	// how many operations. Zero: nothing.
	Warmup           time.Duration
	WarmupOperations uint64

	// Rate makes the step an open loop: its clients share this many operations a second, for the
	// time of Duration and, before that, of Warmup. Operations start when they are due, whether
	// those before have ended or not, as far as there are clients; an operation that had to wait
	// for a client took as much longer. What has not started soon after that time is not done.
	Rate float64
	// Places returns this instance's places in the schedule of a phase; nil: all.
	Places func() Places

	// Seed is that of the order in which the variants of a duet come.
	Seed uint32

	// Part tells that other instances of k6 have clients in the step. Whether a step with a time is
	// too short is then for the whole to tell.
	Part bool
}

// windowed tells whether a time is asked for, known before or not: operations count that end within
// it.
func (p *Plan) windowed() bool {
	return p.Operations == 0 && !p.UntilDone && (p.Duration > 0 || p.UntilKnown)
}

// Step is a number of clients that do the same at the same time.
type Step struct {
	plan    Plan
	clients []*Client
	onFault func(error)
	onFail  func(op string)

	onAllFail   func(err error, failures uint64)
	allFailOnce sync.Once
	succeeded   atomic.Bool
	common      map[string]*common // by cause; as long as nothing has succeeded
	onEnd       func()

	ended atomic.Int64  // clients that have ended
	over  chan struct{} // closed when all have

	// marked is when the window of a step with a duration was over, or when the first client of
	// another ended; zero: not yet.
	marked atomic.Int64
	// windowEnd is when the window is over; zero where there is none, and notKnownYet until somebody
	// closes it.
	windowEnd atomic.Int64
	window    *time.Timer

	warmup, schedule *schedule // of an open-loop step; else nil

	// extension is by how much the warm-up lasts longer than planned, ns.
	extension atomic.Int64

	// ready opens when all clients are connected, line when all have warmed up: the start of the
	// measured phase.
	ready, line *barrier

	stop        atomic.Bool     // start no more operations
	stopped     context.Context // ended then
	endStarts   context.CancelFunc
	interrupt   atomic.Bool // and what is cut off now is nobody's failure
	mu          sync.Mutex
	faultsKnown map[string]struct{}
	// waits are those of the goroutines on which clients take turns.
	waits []*Waits
	kinds []*kind

	slots *slots
	order connectOrder

	// duet is nil in a step that is none, or of which that is not known yet.
	duet atomic.Pointer[duet]
	// solo tells that a client has begun that takes no turns between variants.
	solo bool
}

// NewStep prepares a step of n clients, n > 0. onFault is told of every error of an operation whose
// cause is new, from the client's goroutine; it may be nil.
func NewStep(n int, plan Plan, onFault func(error)) *Step {
	s := &Step{
		plan:        plan,
		clients:     make([]*Client, n),
		ready:       newBarrier(n),
		line:        newBarrier(n),
		faultsKnown: make(map[string]struct{}),
		onFault:     onFault,
		slots:       newSlots(),
		over:        make(chan struct{}),
		order:       connectOrder{progress: now()},
	}
	s.stopped, s.endStarts = context.WithCancel(context.Background())
	for i := range s.clients {
		s.clients[i] = &Client{step: s, index: i, tries: now(), woken: notWoken}
	}
	s.line.onOpened = s.opened
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

// OnStart makes fn be called at the last moment before the start line opens. Set it before any
// client runs.
func (s *Step) OnStart(fn func()) { s.line.onOpen = fn }

// OnEnd makes fn be called when the last client has ended, by that client's goroutine. Set it
// before any client runs.
func (s *Step) OnEnd(fn func()) { s.onEnd = fn }

// AwaitEnd waits until all clients have ended, or the context.
func (s *Step) AwaitEnd(ctx context.Context) {
	select {
	case <-s.over:
	case <-ctx.Done():
	}
}

// clientEnded counts a client that has ended.
func (s *Step) clientEnded() {
	if s.ended.Add(1) < int64(len(s.clients)) {
		return
	}
	defer close(s.over)
	if s.onEnd != nil {
		s.onEnd()
	}
	s.slots.close()
	if s.window != nil {
		s.window.Stop()
	}
	if s.schedule != nil {
		s.warmup.alarm.close()
		s.schedule.alarm.close()
	}
}

// opened begins what lasts from the start line on.
func (s *Step) opened() {
	width := ShortestSlot
	switch d := s.duet.Load(); {
	case d != nil:
		d.begin(s.line.openedAt)
		width = 2 * d.length // a pair: each slot has both variants
	case s.plan.windowed() && !s.plan.UntilKnown: // as wide as they come to be
		width = wideEnough(width, s.plan.Duration)
	}
	s.slots.open(s.line.openedAt, width)
	if s.plan.windowed() {
		s.openWindow()
	}
}

// openWindow begins the time within which operations count. Who first sees that it is over marks
// that: a client, or the timer while all clients wait.
func (s *Step) openWindow() {
	if s.plan.UntilKnown {
		s.windowEnd.Store(notKnownYet)

		return
	}
	s.windowEnd.Store(int64(s.line.openedAt + s.plan.Duration))
	s.window = time.AfterFunc(s.plan.Duration+1, func() { // what ends with the window is within
		defer crash.Contain("the end of a window")
		s.mark(time.Duration(s.windowEnd.Load()))
	})
}

// notKnownYet stands for the end of a window that has not been closed.
const notKnownYet = math.MaxInt64

// CloseWindow ends the window of a step that is to last until enough is known. It may be called by
// any goroutine once the start line is open.
func (s *Step) CloseWindow() {
	end := now()
	if s.windowEnd.CompareAndSwap(notKnownYet, int64(end)) {
		s.mark(end)
	}
}

// done tells whether a client has done its share with so many operations, at a time after the start
// line opened.
func (s *Step) done(operations uint64, at time.Duration) bool {
	switch {
	case s.plan.Operations != 0:
		return operations >= s.plan.Operations
	case s.plan.UntilDone:
		return false
	case s.plan.UntilKnown:
		return int64(at) >= s.windowEnd.Load()
	}

	return at-s.line.openedAt >= s.plan.Duration
}

// mark tells all recorders to keep how many operations they have counted by now. The first mark
// counts.
func (s *Step) mark(at time.Duration) {
	if s.marked.CompareAndSwap(0, int64(at)) {
		s.slots.stopAt(at)
	}
}

// OnFail makes fn be called for every failed operation of the measured phase, by the client's
// goroutine. Set it before any client runs.
func (s *Step) OnFail(fn func(op string)) { s.onFail = fn }

// OpenLoop tells whether operations start when they are due.
func (s *Step) OpenLoop() bool { return s.schedule != nil }

// Rate is how many operations a second start in an open loop; zero in another step.
func (s *Step) Rate() float64 { return s.plan.Rate }

// Clients is how many clients the step has.
func (s *Step) Clients() int { return len(s.clients) }

// Client returns client i, counted from zero.
func (s *Step) Client(i int) *Client { return s.clients[i] }

// Over tells whether all clients have ended.
func (s *Step) Over() bool { return s.ended.Load() >= int64(len(s.clients)) }

// Stop lets no client start another operation; those under way may end.
func (s *Step) Stop() {
	s.stop.Store(true)
	s.endStarts()
}

// Interrupt stops the step on the user's wish: operations that are cut off from now on are not
// counted as failed.
func (s *Step) Interrupt() {
	s.interrupt.Store(true)
	s.Stop()
}

// InterruptUnlessStopped interrupts the step, unless it was stopped before: then what is cut off
// took too long.
func (s *Step) InterruptUnlessStopped() {
	if !s.stopping() {
		s.Interrupt()
	}
}

// Starts ends when no client starts another operation.
func (s *Step) Starts() context.Context { return s.stopped }

// Interrupted tells whether Interrupt was called.
func (s *Step) Interrupted() bool { return s.interrupt.Load() }

func (s *Step) stopping() bool { return s.stop.Load() }

// What is far away is waited for with Go's timers, which Stop ends at once; the rest with the
// alarm.
const (
	farAway = 20 * time.Millisecond
	theRest = 3 * time.Millisecond
)

// waitUntil waits until t. It returns false when the step was stopped meanwhile.
func (s *Step) waitUntil(t time.Duration, a *alarm) bool {
	for !s.stopping() {
		switch left := t - now(); {
		case left <= 0:
			return true
		case left <= farAway:
			a.sleep(left)
		default:
			s.sleep(left - theRest)
		}
	}

	return false
}

// sleep sleeps for d, or until the step is stopped.
func (s *Step) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.stopped.Done():
	}
}

func (s *Step) failure(op string) {
	if s.onFail != nil {
		s.onFail(op)
	}
}

func (s *Step) fault(c *Client, cause string, err error) {
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
	s.failedWith(c, cause, err)
}

// Connected is closed when all clients are connected: the warm-up has begun.
func (s *Step) Connected() <-chan struct{} { return s.ready.open }

// ExtendWarmUp makes the warm-up of a closed loop last longer. It may be called until the warm-up
// is over, by any goroutine.
func (s *Step) ExtendWarmUp(by time.Duration) { s.extension.Add(int64(by)) }

// WarmUpExtended is by how much the warm-up lasts longer than planned.
func (s *Step) WarmUpExtended() time.Duration { return time.Duration(s.extension.Load()) }

// warmUntil is when the time of the warm-up is over.
func (s *Step) warmUntil() time.Duration {
	return s.ready.openedAt + s.plan.Warmup + s.WarmUpExtended()
}

// Line is closed when the start line opens: the measured phase has begun.
func (s *Step) Line() <-chan struct{} { return s.line.open }

// Started tells whether the measured phase has begun.
func (s *Step) Started() bool { return s.line.isOpen() }

// Progress is a cheap reading: how many operations have ended, failed ones included, and for how
// long the step has been measured.
func (s *Step) Progress() (operations uint64, elapsed time.Duration) {
	return s.Ended(), s.elapsed(0, 0)
}

// Ended is how many operations have ended, failed ones included.
func (s *Step) Ended() (operations uint64) {
	for _, c := range s.clients {
		operations += c.ops()
	}

	return operations
}
