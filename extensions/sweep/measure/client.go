package measure

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Client is one of the clients of a step. All methods but those of the step that read it belong to
// the client's own goroutine.
type Client struct {
	// What each operation needs comes first, side by side: of hundreds of clients all memory is
	// outside of the processor's caches.

	step      *Step
	recorded  uint64        // operations of any kind, the warm-up's included
	late      time.Duration // how long after they were due the current operations of a schedule began; or zero
	woken     time.Duration // how long the answer of the current operation has waited to be read; or notWoken
	turns     *turns        // in a duet; else nil
	tap       func(op string, took time.Duration)
	timing    uint64 // counts the times at which operations of calls that do many begin
	measuring bool
	batched   bool // the current operations begin and end together
	done      bool // nothing is left of what the step's clients share
	unused    bool // the operation that the current call is for has not begun

	index int

	mu        sync.Mutex // guards the growth of recorders and counters, never taken for an operation
	recorders []*Recorder
	counters  []*Counter

	stage     stage
	connects  int             // how often it has begun to connect in its turn
	tries     time.Duration   // when it began to try, to connect or to do operations
	failures  uint64          // those of them that failed
	failed    *Recorder       // that of the last failure
	noted     bool            // why is known
	over      <-chan struct{} // closed when what Run calls is cut off
	failedCut bool            // the last failure came after that: it was of what was under way
	before    uint64          // recorded, when the measured phase began
	together  bool            // Run has waited for all clients to be connected
	place     place           // in the schedule that the client follows; or none
	open      []*Recorder     // of operations that have begun and not ended
	complete  atomic.Bool

	started, ended atomic.Int64 // since epoch; zero: not yet
}

// stage is how far a client has come in its step.
type stage int

const (
	connecting stage = iota
	warmingUp
	working
	finished
)

// ErrTwice is returned by Run when the client has already done its share of the step.
var ErrTwice = errors.New("this client has already done its share of the step")

// Stop marks an error of an operation as one that ends the client, instead of counting as one
// failed operation.
func Stop(err error) error { return stopError{err} }

type stopError struct{ error }

func (e stopError) Unwrap() error { return e.error }

// Recorder returns the client's recorder for a kind of operation. Ask once and keep it for the
// step: asking takes a lock.
func (c *Client) Recorder(op string) *Recorder {
	c.mu.Lock()
	defer c.mu.Unlock()

	for _, r := range c.recorders {
		if r.op == op {
			return r
		}
	}
	r := &Recorder{op: op, client: c}
	r.joinStep(r, false)
	if c.turns != nil {
		r.join(c.turns.duet)
	}
	c.recorders = append(c.recorders, r)

	return r
}

// OnOk makes fn be called, by the client's goroutine, for every successful operation of the
// measured phase. Set it before the client runs.
func (c *Client) OnOk(fn func(op string, took time.Duration)) { c.tap = fn }

// kinds are the recorders that there are by now.
func (c *Client) kinds() []*Recorder {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.recorders
}

// ops is how many operations of the client have ended.
func (c *Client) ops() (operations uint64) {
	for _, r := range c.kinds() {
		operations += r.ended() + r.change.Load().ended()
	}

	return operations
}

// Finished tells whether the client is through with the step: its share is done or it was told to
// stop.
func (c *Client) Finished() bool { return c.stage == finished }

// Step is the step that the client is of.
func (c *Client) Step() *Step { return c.step }

// Index is the client's place among those of the step, from zero.
func (c *Client) Index() int { return c.index }

// Started tells whether the client has come to the start line and beyond: what it does is measured,
// or was.
func (c *Client) Started() bool { return c.started.Load() != 0 }

// Measuring tells whether what the client does now is measured.
func (c *Client) Measuring() bool { return c.measuring }

// notWoken stands for a wait that was not measured.
const notWoken = -1

// slow describes an operation that has just ended.
func (c *Client) slow(took time.Duration) Slow {
	s := Slow{Began: max(now()-took-c.step.line.openedAt, 0), Client: c.index, Took: took, Waited: c.late}
	if woken := c.woken; woken != notWoken {
		s.Woken = &woken
	}

	return s
}

// Enough tells a call of Run's fn that does many operations whether it has to return now, after the
// one that it has just recorded: the client's share of the phase is done, the other variant of a
// duet has its turn, or the step starts no more operations. Outside of Run only the latter counts.
func (c *Client) Enough() bool {
	if c.done || c.step.stopping() {
		return true
	}
	plan := &c.step.plan
	switch {
	case c.step.schedule != nil: // Next tells
		return false
	case c.turns != nil && c.turns.over():
		return true
	case c.stage == warmingUp:
		return c.recorded >= plan.WarmupOperations && now() >= c.step.warmUntil()
	case c.stage != working:
		return false
	case plan.Operations != 0:
		return c.step.done(c.recorded-c.before, 0)
	default:
		return c.step.done(0, now())
	}
}

// Next lets a call of Run's fn that does many operations wait until its next n, which it does
// together, may begin. In an open loop each operation has a place in the schedule: those that begin
// together are due with the first of them, and the first of a call is that for which fn was called.
// Next is false when there is none for this call. sleep sleeps until a time of package clock, or
// until the client has to stop; where it is nil, Next waits by itself.
func (c *Client) Next(n int, sleep func(until time.Duration)) bool {
	c.timing++
	c.batched = n > 1
	switch {
	case c.step.schedule == nil || c.stage == finished:
		return true
	case c.unused:
		c.unused = false
		if c.place.schedule != nil {
			c.place.join(n - 1)
		}

		return true
	case c.turns != nil: // the next one may be the other variant's
		return false
	case c.place.schedule == nil: // outside of Run
		return true
	}
	came := now()
	c.passWindow(came)
	c.step.slots.tick(came)
	var ok bool
	if sleep == nil {
		ok = c.place.take(c.step, n, came)
	} else {
		ok = c.place.takeAsleep(c.step, n, came, sleep)
	}
	c.late = c.place.last.late

	return ok
}

// Of the operations of a call, the client looks at the clock after each that took fastest or
// longer, and after every tickEvery of those that are faster: it misses no beat.
const (
	fastest   = time.Millisecond
	tickEvery = 8
)

// tick looks at the clock, if it has to, after an operation that took so long.
func (c *Client) tick(took time.Duration) {
	if took >= fastest || c.recorded%tickEvery == 0 {
		c.step.slots.tick(now())
	}
}

// Done says, from within a call of Run's fn, that nothing is left of what the step's clients share:
// the client's part ends with the call. It returns false, and nothing happens, unless the plan is
// UntilDone and the measured phase has begun.
func (c *Client) Done() bool {
	if !c.step.plan.UntilDone || c.stage != working {
		return false
	}
	c.done = true

	return true
}

// Run does the client's part of the step: it waits until all clients are here (connected), calls fn
// again and again for the warm-up, calls warm, waits at the start line, and then calls fn until the
// client's share is done: a number of operations, a time or, in an open-loop step, all operations
// of the schedule. A call that records nothing itself counts as one operation named op: successful
// with the call's duration or, when fn returns an error, failed.
//
// When ctx ends, fn has to return an error: what was under way then is one failed operation,
// whether fn recorded it as such or not, and whatever it recorded before.
//
// It returns nil when the share is done or the step has ended, the error of an operation that was
// marked with Stop, and the cause of ctx when that ended while the client was waiting for the
// others.
//
// A call from within fn goes on where the client stands: that is how a session whose first attempts
// failed joins in.
func (c *Client) Run(ctx context.Context, op string, warm func(), fn func() error) error {
	if c.turns == nil { // else the call comes from within a duet
		if err := c.step.asSolo(); err != nil {
			c.Leave()

			return err
		}
	}

	return c.run(ctx, op, warm, fn)
}

func (c *Client) run(ctx context.Context, op string, warm func(), fn func() error) error {
	if c.stage == finished {
		return ErrTwice
	}

	c.over = ctx.Done()
	r := c.Recorder(op)
	if !c.together && c.stage <= warmingUp {
		select {
		case <-c.Arrive():
		case <-ctx.Done():
			c.finish(now())

			return context.Cause(ctx)
		}
		c.together, c.tries = true, now()
	}
	if c.stage == warmingUp {
		if err := c.warmUp(r, fn); err != nil || c.stage == finished {
			return err
		}
		if warm != nil {
			warm()
		}
		c.stage = working
		if err := c.step.line.await(ctx); err != nil {
			c.finish(now())

			return err
		}
		c.measuring, c.before = true, c.recorded
		c.started.Store(int64(now()))
	}

	return c.work(r, fn)
}

// Arrive says that the client is connected. The channel is closed when all clients are. Run does
// the same.
func (c *Client) Arrive() <-chan struct{} {
	if c.stage == connecting {
		c.stage = warmingUp
		c.step.ready.pass()
	}

	return c.step.ready.open
}

// Leave says that the client takes no further part: nobody waits for it any longer.
func (c *Client) Leave() { c.finish(now()) }

// Fault counts an error outside of Run, such as an exception after it, as one failed operation
// named op. Before the measured phase it is only told.
func (c *Client) Fault(op string, err error) {
	if c.step.Interrupted() {
		return
	}
	r := c.Recorder(op)
	began := c.started.Load() != 0
	if began {
		r.countFailure()
	}
	r.note(err, began)
}

// finish ends the client's part, wherever it stands: those who still wait for it at a barrier need
// to no longer.
func (c *Client) finish(at time.Duration) {
	if c.stage < warmingUp {
		c.step.ready.pass()
	}
	if c.stage < working {
		c.step.line.pass()
	}
	if c.turns != nil {
		c.turns.flush()
	}
	c.stage = finished
	if c.measuring && c.step.windowEnd.Load() == 0 {
		c.step.mark(at)
	}
	c.measuring = false // what comes after its share is nobody's measure
	if c.ended.CompareAndSwap(0, int64(at)) {
		c.step.clientEnded()
	}
}

func (c *Client) warmUp(r *Recorder, fn func() error) error {
	if c.step.warmup != nil {
		if _, err := c.follow(r, c.step.warmup, c.step.ready.openedAt, fn); err != nil || c.stage == finished || c.turns.warmed() {
			return err
		}
	}
	plan := &c.step.plan
	for begin := now(); begin < c.step.warmUntil() || c.recorded < plan.WarmupOperations || !c.turns.warmed(); {
		if c.step.stopping() {
			return nil
		}
		end, err := c.operate(r, begin, fn)
		if err != nil || c.stage == finished {
			return err
		}
		begin = end
	}

	return nil
}

func (c *Client) work(r *Recorder, fn func() error) error {
	if c.step.schedule != nil {
		over, err := c.follow(r, c.step.schedule, c.step.line.openedAt, fn)
		c.complete.Store(over)
		c.finish(now())

		return err
	}
	begin := now()
	for !c.step.stopping() {
		end, err := c.operate(r, begin, fn)
		if err != nil || c.stage == finished {
			return err
		}
		if c.done || c.step.done(c.recorded-c.before, end) {
			c.complete.Store(!c.cutOff()) // what was cut off has not done its share
			c.finish(end)

			return nil
		}
		begin = end // one reading of the clock an operation: the end of one is the beginning of the next
	}
	c.finish(begin)

	return nil
}

// follow does operations of a schedule that began at start until there are no more; then over is
// true.
func (c *Client) follow(r *Recorder, s *schedule, start time.Duration, fn func() error) (over bool, err error) {
	c.place = place{schedule: s, began: start, turn: make(chan struct{}, 1)}
	defer func() { c.place, c.late = place{}, 0 }()
	for free := now(); !c.step.stopping(); {
		if !c.place.take(c.step, 1, free) {
			return !c.step.stopping(), nil
		}
		c.late = c.place.last.late
		if free, err = c.operate(r, start+c.place.last.begin, fn); err != nil || c.stage == finished {
			return false, err
		}
	}

	return false, nil
}

// operate calls fn once and records the call, unless fn recorded its operations itself. Its error
// is one that was marked with Stop.
func (c *Client) operate(r *Recorder, begin time.Duration, fn func() error) (end time.Duration, err error) {
	recorded, failures := c.recorded, c.failures
	c.noted, c.unused = false, true
	if c.turns != nil {
		c.turns.enter(c, begin)
	}
	err = fn()
	end = now()
	c.unused = false
	c.passWindow(end)
	c.step.slots.tick(end)
	if c.turns != nil {
		c.turns.leave(c, end)
	}
	if len(c.open) > 0 {
		c.closeOpen(err)
	}

	silent := c.recorded == recorded
	if err == nil {
		if silent && c.stage != finished && !c.done { // finished: a Run within fn has ended the client's part
			r.Ok(end - begin)
		}

		return end, nil
	}

	var stop stopError
	switch {
	case errors.As(err, &stop):
		c.finish(end)

		return end, stop.error
	case c.step.Interrupted(): // what Ctrl-C cuts off is no failure of the server's
	case silent:
		r.FailAfter(end-begin, err)
	case !c.hasFailed(failures): // even when it recorded successes before it failed
		r.Fail(err)
	case !c.noted: // it recorded the failure, and not why
		c.failed.note(err, c.measuring)
	}

	return end, nil
}

// passWindow marks the end of the step's window when a call has ended after it.
func (c *Client) passWindow(end time.Duration) {
	if over := c.step.windowEnd.Load(); c.measuring && over != 0 && int64(end) > over {
		c.step.mark(time.Duration(over))
	}
}

// hasFailed tells whether a call before which there were so many failures has recorded that of what
// made it return. One from before it was cut off is of something else.
func (c *Client) hasFailed(failures uint64) bool {
	return c.failures != failures && (c.failedCut || !c.cutOff())
}

// cutOff tells whether the context of Run has ended.
func (c *Client) cutOff() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// closeOpen counts operations as failed that the call has begun and not ended, unless it was told
// to stop.
func (c *Client) closeOpen(err error) {
	var stop stopError
	if errors.As(err, &stop) {
		c.open = nil
	}
	for len(c.open) > 0 {
		r := c.open[len(c.open)-1]
		r.close()
		r.Fail(ErrNotEnded)
	}
}
