package measure

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Client is one client in a step. Only the client's goroutine may call its methods, except those
// that the step calls to read it.
type Client struct {
	// Fields that every operation uses come first, to share cache lines.

	step         *Step
	recorded     uint64        // operations, including the warm-up's
	queueDelay   time.Duration // delay of the current scheduled operations, or 0
	wakeDelay    time.Duration // how long the current answer waited to be read, or notWoken
	duetState    *duetState    // nil outside a duet
	timing       uint64        // counts the starts of operations in calls with many
	measuring    bool
	batched      bool // the current operations start and end together
	done         bool // Done was called
	pendingStart bool // the scheduled operation of the current call has not started

	index int

	mu        sync.Mutex // held while recorders and counters are added
	recorders []*Recorder
	counters  []*Counter

	stage     stage
	connects  int           // calls of ConnectInTurn
	tries     time.Duration // start of the first attempt to connect or operate
	failures  uint64
	over      <-chan struct{} // closed when Run's context ends
	failedCut bool            // the last failure came after over was closed
	before    uint64          // value of recorded at the start line
	together  bool            // Run has waited for all clients to connect
	place     place           // position in the schedule, if the step has one
	open      []*Recorder     // operations begun and not ended
	complete  atomic.Bool

	started, ended atomic.Int64 // times on the scale of now; 0 before
}

type stage int

const (
	connecting stage = iota
	warmingUp
	working
	finished
)

// ErrTwice is returned by Run if the client has already done its share.
var ErrTwice = errors.New("this client has already done its share of the step")

// Stop marks an error as one that ends the client, and does not only fail the operation.
func Stop(err error) error { return stopError{err} }

type stopError struct{ error }

func (e stopError) Unwrap() error { return e.error }

// Recorder returns the recorder for an operation name. It takes a lock, so keep the result for the
// step.
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
	if c.duetState != nil {
		r.join(c.duetState.duet)
	}
	c.recorders = append(c.recorders, r)

	return r
}

func (c *Client) kinds() []*Recorder {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.recorders
}

func (c *Client) ops() (operations uint64) {
	for _, r := range c.kinds() {
		operations += r.ended() + r.change.Load().ended()
	}

	return operations
}

// Finished reports whether the client has done its share or was stopped.
func (c *Client) Finished() bool { return c.stage == finished }

// Step returns the client's step.
func (c *Client) Step() *Step { return c.step }

// Index returns the client's index in the step, from 0.
func (c *Client) Index() int { return c.index }

// Started reports whether the client has passed the start line.
func (c *Client) Started() bool { return c.started.Load() != 0 }

// Measuring reports whether the client's operations are measured now.
func (c *Client) Measuring() bool { return c.measuring }

// notWoken marks a wait that was not measured.
const notWoken = -1

func (c *Client) slow(took time.Duration) Slow {
	s := Slow{Began: max(now()-took-c.step.line.openedAt, 0), Client: c.index, Took: took, Waited: c.queueDelay}
	if wakeDelay := c.wakeDelay; wakeDelay != notWoken {
		s.Woken = &wakeDelay
	}

	return s
}

// Enough reports whether a call with many operations must return: the client's share is done, the
// duet's slice is over, or the step starts no more operations. Outside Run only the last applies.
func (c *Client) Enough() bool {
	if c.done || c.step.stopping() {
		return true
	}
	switch {
	case c.step.schedule != nil: // Next decides
		return false
	case c.duetState != nil && c.duetState.over():
		return true
	case c.stage == warmingUp:
		return now() >= c.step.warmUntil()
	case c.stage != working:
		return false
	case c.step.plan.Operations != 0:
		return c.step.done(c.recorded-c.before, 0)
	default:
		return c.step.done(0, now())
	}
}

// Next waits until the next n operations, which run together, may start. In an open loop, all n are
// due when the first one is. The first operation in a call of fn is the one that fn was called for.
// Next returns false if the call gets no more operations. sleep sleeps until a time of package
// clock or until the client must stop; if nil, Next sleeps itself.
func (c *Client) Next(n int, sleep func(until time.Duration)) bool {
	c.timing++
	c.batched = n > 1
	switch {
	case c.step.schedule == nil || c.stage == finished:
		return true
	case c.pendingStart:
		c.pendingStart = false
		if c.place.schedule != nil {
			c.place.join(n - 1)
		}

		return true
	case c.duetState != nil: // the next one may belong to the other variant
		return false
	case c.place.schedule == nil: // outside Run
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
	c.queueDelay = c.place.last.late

	return ok
}

// In calls with many operations, the client checks the clock after each that takes fastest or
// longer, and after every tickEvery faster ones.
const (
	fastest   = time.Millisecond
	tickEvery = 8
)

func (c *Client) tick(took time.Duration) {
	if took >= fastest || c.recorded%tickEvery == 0 {
		c.step.slots.tick(now())
	}
}

// Done reports that the work that clients share is used up; the client's part ends with the current
// call. It returns false, without effect, unless the plan is UntilDone and the measured phase has
// begun.
func (c *Client) Done() bool {
	if !c.step.plan.UntilDone || c.stage != working {
		return false
	}
	c.done = true

	return true
}

// Run does the client's part of the step. It waits until all clients are connected, calls fn for
// the warm-up, calls warm, waits at the start line, and calls fn until the client's share is done.
// If fn records nothing, a call counts as one operation named op, with the call's duration, and as
// failed if fn returns an error.
//
// When ctx ends, fn must return an error. The interrupted operation counts as one failure, whatever
// fn recorded.
//
// Run returns nil at the end of the share or step, an error marked with Stop, or the context's
// cause if it ended while waiting for other clients. fn may call Run again; the nested call
// continues at the client's stage.
func (c *Client) Run(ctx context.Context, op string, warm func(), fn func() error) error {
	if c.duetState == nil { // nested inside a duet
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

// Arrive reports that the client is connected. The channel is closed when all clients are. Run
// calls it too.
func (c *Client) Arrive() <-chan struct{} {
	if c.stage == connecting {
		c.stage = warmingUp
		c.step.ready.pass()
	}

	return c.step.ready.open
}

// Leave ends the client's part. The other clients no longer wait for it.
func (c *Client) Leave() { c.finish(now()) }

// Fault counts an error outside Run as a failed operation named op. Before the measured phase it
// only reports it.
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

// finish ends the client's part at any stage and passes the remaining barriers.
func (c *Client) finish(at time.Duration) {
	if c.stage < warmingUp {
		c.step.ready.pass()
	}
	if c.stage < working {
		c.step.line.pass()
	}
	if c.duetState != nil {
		c.duetState.flush()
	}
	c.stage = finished
	if c.measuring && c.step.windowEnd.Load() == 0 {
		c.step.mark(at)
	}
	c.measuring = false // operations after the share do not count
	if c.ended.CompareAndSwap(0, int64(at)) {
		c.step.clientEnded()
	}
}

func (c *Client) warmUp(r *Recorder, fn func() error) error {
	if c.step.warmup != nil {
		if _, err := c.follow(r, c.step.warmup, c.step.ready.openedAt, fn); err != nil || c.stage == finished || c.duetState.warmed() {
			return err
		}
	}
	for begin := now(); begin < c.step.warmUntil() || !c.duetState.warmed(); {
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
			c.complete.Store(!c.cutOff()) // unless its last operation was interrupted
			c.finish(end)

			return nil
		}
		begin = end // one clock reading serves as end and next begin
	}
	c.finish(begin)

	return nil
}

// follow does operations of a schedule that started at start. over is true if the schedule has no
// more.
func (c *Client) follow(r *Recorder, s *schedule, start time.Duration, fn func() error) (over bool, err error) {
	c.place = place{schedule: s, began: start, turn: make(chan struct{}, 1)}
	defer func() { c.place, c.queueDelay = place{}, 0 }()
	for free := now(); !c.step.stopping(); {
		if !c.place.take(c.step, 1, free) {
			return !c.step.stopping(), nil
		}
		c.queueDelay = c.place.last.late
		if free, err = c.operate(r, start+c.place.last.begin, fn); err != nil || c.stage == finished {
			return false, err
		}
	}

	return false, nil
}

// operate calls fn and counts the call as an operation, unless fn recorded any. It returns an error
// marked with Stop.
func (c *Client) operate(r *Recorder, begin time.Duration, fn func() error) (end time.Duration, err error) {
	recorded, failures := c.recorded, c.failures
	c.pendingStart = true
	if c.duetState != nil {
		c.duetState.enter(c, begin)
	}
	err = fn()
	end = now()
	c.pendingStart = false
	c.passWindow(end)
	c.step.slots.tick(end)
	if c.duetState != nil {
		c.duetState.leave(c, end)
	}
	if len(c.open) > 0 {
		c.closeOpen(err)
	}

	silent := c.recorded == recorded
	if err == nil {
		if silent && c.stage != finished && !c.done { // a nested Run may have finished
			r.Ok(end - begin)
		}

		return end, nil
	}

	var stop stopError
	switch {
	case errors.As(err, &stop):
		c.finish(end)

		return end, stop.error
	case c.step.Interrupted(): // an interrupt by the user is not a failure
	case silent:
		r.FailAfter(end-begin, err)
	case !c.hasFailed(failures): // even after recorded successes
		r.Fail(err)
	}

	return end, nil
}

// passWindow records the end of the window, if a call has ended after it.
func (c *Client) passWindow(end time.Duration) {
	if over := c.step.windowEnd.Load(); c.measuring && over != 0 && int64(end) > over {
		c.step.mark(time.Duration(over))
	}
}

// hasFailed reports whether the call has recorded its failure. After an interruption, earlier
// failures do not count.
func (c *Client) hasFailed(failures uint64) bool {
	return c.failures != failures && (c.failedCut || !c.cutOff())
}

// cutOff reports whether Run's context has ended.
func (c *Client) cutOff() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// closeOpen fails the operations that the call began and did not end, unless err is marked with
// Stop.
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
