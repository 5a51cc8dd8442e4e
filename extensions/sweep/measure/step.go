package measure

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// maxMessages limits the causes of failures per client and step; further ones count as otherErrors.
const (
	maxMessages = 20
	otherErrors = "other errors"
)

// Plan says what each client in a step does.
type Plan struct {
	Operations uint64        // number of operations, if not 0
	Duration   time.Duration // or time limit
	UntilDone  bool          // or until Client.Done, for operations that clients share
	UntilKnown bool          // or until Step.CloseWindow

	// Warmup is how long the clients work before the start line.
	Warmup time.Duration

	// Rate makes the step an open loop with this many operations per second, shared by the clients,
	// for Duration and before that for Warmup. An operation starts when it is due and a client is
	// free; waiting for a client adds to its latency. Operations that cannot start soon after the
	// end are dropped.
	Rate float64
	// Places returns this instance's places in the schedule of a phase; nil means all.
	Places func() Places

	// Seed orders the variants of a duet.
	Seed uint32

	// Part means that other instances have clients in the step, so this one cannot decide whether
	// it is too short.
	Part bool
}

// windowed reports whether only operations that end within a time window count.
func (p *Plan) windowed() bool {
	return p.Operations == 0 && !p.UntilDone && (p.Duration > 0 || p.UntilKnown)
}

// Step is a number of clients that work at the same time.
type Step struct {
	plan    Plan
	clients []*Client
	onFault func(error)
	onFail  func(op string)

	onAllFail   func(err error, failures uint64)
	allFailOnce sync.Once
	succeeded   atomic.Bool
	common      map[string]*common // causes of failures, before the first success
	onEnd       func()

	ended atomic.Int64
	over  chan struct{} // closed when all have ended

	// marked is the end of the window, or in a step without one the end of the first client; 0
	// before.
	marked atomic.Int64
	// windowEnd is 0 without a window, and notKnownYet until it is closed.
	windowEnd atomic.Int64
	window    *time.Timer

	warmup, schedule *schedule // nil in a closed loop

	extension atomic.Int64

	// ready opens when all clients are connected, line when all have warmed up.
	ready, line *barrier

	stop        atomic.Bool
	stopped     context.Context
	endStarts   context.CancelFunc
	interrupt   atomic.Bool // interrupted operations are not failures
	mu          sync.Mutex
	faultsKnown map[string]struct{}
	requests    requests
	// prefilling is set while clients write keys before the step.
	prefilling atomic.Bool
	waits      []*Waits
	kinds      []*kind

	slots *slots
	order connectOrder

	// duet is nil outside duets, and before that is known.
	duet atomic.Pointer[duet]
	// solo means that a client without variants has begun.
	solo bool
}

// NewStep prepares a step of n clients, n > 0. A client's goroutine calls onFault with each error
// whose cause is new; onFault may be nil.
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
		s.clients[i] = &Client{step: s, index: i, tries: now(), wakeDelay: notWoken}
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

// OnStart sets a function to call just before the start line opens. Call it before any client runs.
func (s *Step) OnStart(fn func()) { s.line.onOpen = fn }

// OnEnd sets a function that the last client's goroutine calls at its end. Call it before any
// client runs.
func (s *Step) OnEnd(fn func()) { s.onEnd = fn }

// AwaitEnd waits until all clients or the context have ended.
func (s *Step) AwaitEnd(ctx context.Context) {
	select {
	case <-s.over:
	case <-ctx.Done():
	}
}

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

// opened starts the slots and the window at the start line.
func (s *Step) opened() {
	width := ShortestSlot
	switch d := s.duet.Load(); {
	case d != nil:
		d.begin(s.line.openedAt)
		width = 2 * d.length // a pair, so that each slot has both variants
	case s.plan.windowed() && !s.plan.UntilKnown: // the width is final
		width = wideEnough(width, s.plan.Duration)
	}
	s.slots.open(s.line.openedAt, width)
	if s.plan.windowed() {
		s.openWindow()
	}
}

// openWindow starts the window. The first client that notices its end, or a timer, marks it.
func (s *Step) openWindow() {
	if s.plan.UntilKnown {
		s.windowEnd.Store(notKnownYet)

		return
	}
	s.windowEnd.Store(int64(s.line.openedAt + s.plan.Duration))
	s.window = time.AfterFunc(s.plan.Duration+1, func() { // an operation that ends exactly with the window counts
		s.mark(time.Duration(s.windowEnd.Load()))
	})
}

const notKnownYet = math.MaxInt64

// CloseWindow ends the window of a step with UntilKnown. Any goroutine may call it after the start
// line.
func (s *Step) CloseWindow() {
	end := now()
	if s.windowEnd.CompareAndSwap(notKnownYet, int64(end)) {
		s.mark(end)
	}
}

func (s *Step) done(operations uint64, at time.Duration) bool {
	switch {
	case s.plan.Operations != 0:
		return operations >= s.plan.Operations
	case s.plan.UntilDone:
		return false
	default:
		return int64(at) >= s.windowEnd.Load()
	}
}

// mark makes all recorders keep their current counts. Only the first call has an effect.
func (s *Step) mark(at time.Duration) {
	if s.marked.CompareAndSwap(0, int64(at)) {
		s.slots.stopAt(at)
	}
}

// OnFail sets a function that a client's goroutine calls for each failed measured operation. Call
// it before any client runs.
func (s *Step) OnFail(fn func(op string)) { s.onFail = fn }

// OpenLoop reports whether the step is an open loop.
func (s *Step) OpenLoop() bool { return s.schedule != nil }

// Rate returns the operations per second of an open loop; 0 otherwise.
func (s *Step) Rate() float64 { return s.plan.Rate }

// Clients returns the number of clients.
func (s *Step) Clients() int { return len(s.clients) }

// Client returns client i, from 0.
func (s *Step) Client(i int) *Client { return s.clients[i] }

// Over reports whether all clients have ended.
func (s *Step) Over() bool { return s.ended.Load() >= int64(len(s.clients)) }

// Stop prevents further operations; current ones may end.
func (s *Step) Stop() {
	s.stop.Store(true)
	s.endStarts()
}

// Interrupt stops the step for the user. Interrupted operations do not count as failed.
func (s *Step) Interrupt() {
	s.interrupt.Store(true)
	s.Stop()
}

// InterruptUnlessStopped interrupts the step, unless it was already stopped. In that case,
// interrupted operations took too long and count as failed.
func (s *Step) InterruptUnlessStopped() {
	if !s.stopping() {
		s.Interrupt()
	}
}

// Starts returns a context that ends when no client starts further operations.
func (s *Step) Starts() context.Context { return s.stopped }

// Interrupted reports whether Interrupt was called.
func (s *Step) Interrupted() bool { return s.interrupt.Load() }

func (s *Step) stopping() bool { return s.stop.Load() }

// Longer waits use Go's timers, which Stop can end, and the last part the alarm.
const (
	farAway = 20 * time.Millisecond
	theRest = 3 * time.Millisecond
)

// waitUntil waits until t. It returns false if the step was stopped.
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

// Connected returns a channel that is closed when all clients are connected.
func (s *Step) Connected() <-chan struct{} { return s.ready.open }

// ExtendWarmUp extends the warm-up of a closed loop, while it lasts. Any goroutine may call it.
func (s *Step) ExtendWarmUp(by time.Duration) { s.extension.Add(int64(by)) }

// WarmUpExtended returns the extension of the warm-up.
func (s *Step) WarmUpExtended() time.Duration { return time.Duration(s.extension.Load()) }

func (s *Step) warmUntil() time.Duration {
	return s.ready.openedAt + s.plan.Warmup + s.WarmUpExtended()
}

// Line returns a channel that is closed when the start line opens.
func (s *Step) Line() <-chan struct{} { return s.line.open }

// Prefilling reports that clients write keys before the step starts.
func (s *Step) Prefilling() { s.prefilling.Store(true) }

// Preparing describes what the clients do before the start line opens.
func (s *Step) Preparing() string {
	switch {
	case s.ready.isOpen():
		return "warming up"
	case s.prefilling.Load():
		return "prefilling"
	default:
		return "connecting"
	}
}

// Started reports whether the measured phase has begun.
func (s *Step) Started() bool { return s.line.isOpen() }

// Progress returns the number of finished operations, including failed ones, and the measured time.
// It is cheaper than Read.
func (s *Step) Progress() (operations uint64, elapsed time.Duration) {
	return s.Ended(), s.elapsed(0, 0)
}

// Ended returns the number of finished operations, including failed ones.
func (s *Step) Ended() (operations uint64) {
	for _, c := range s.clients {
		operations += c.ops()
	}

	return operations
}
