package deadline

import (
	"context"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// callback names, in the log, what has asked to be called when a call's context ends.
const callback = "a callback of a call's context"

// Contexts makes the contexts of calls: each ends at the call's deadline, and with the context that
// it is within. Calls that end in time and are within the same one have the same context. A call
// must leave nothing behind that its context has to end. The zero value is ready.
type Contexts struct {
	watch *Watch[*callContext]
	now   *callContext
}

// Begin returns the context of a call that begins now and has so much time.
func (c *Contexts) Begin(within context.Context, now time.Time, timeout time.Duration) context.Context {
	if c.watch == nil {
		c.watch = New((*callContext).interrupt)
	}
	deadline := now.Add(timeout)
	if c.now == nil || c.now.Context != within || !c.now.extend(deadline) {
		c.now = &callContext{Context: within, deadline: deadline, done: make(chan struct{})}
	}
	c.watch.Begin(within, c.now, now, timeout)

	return c.now
}

// End ends the call, and says what happened to it.
func (c *Contexts) End() Outcome {
	outcome := c.watch.End()
	if outcome != Undisturbed {
		c.now = nil
	}

	return outcome
}

// Extend gives the call under way so much time from now on, unless it was interrupted. It is for
// the call itself.
func (c *Contexts) Extend(timeout time.Duration) {
	c.watch.Extend(timeout)
	c.now.extend(time.Now().Add(timeout))
}

// Stop lets the timer and the context go that calls were within. Another call may begin later.
func (c *Contexts) Stop() {
	if c.watch != nil {
		c.watch.Stop()
	}
	c.now = nil
}

// callContext is the context of a call.
type callContext struct {
	context.Context

	mu       sync.Mutex
	deadline time.Time
	done     chan struct{}
	err      error
	// after are functions to call at its end.
	after map[*func()]struct{}
}

// Deadline implements context.Context.
func (c *callContext) Deadline() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.deadline, true
}

// Done implements context.Context.
func (c *callContext) Done() <-chan struct{} { return c.done }

// Err implements context.Context.
func (c *callContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.err
}

// AfterFunc spares context.AfterFunc, and contexts within this one, a goroutine that waits.
func (c *callContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		crash.Go(callback, f)

		return func() bool { return false }
	}
	if c.after == nil {
		c.after = map[*func()]struct{}{}
	}
	c.after[&f] = struct{}{}

	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, waits := c.after[&f]
		delete(c.after, &f)

		return waits
	}
}

// extend moves the deadline of a context that has not ended. It returns false for one that has.
func (c *callContext) extend(deadline time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = deadline

	return c.err == nil
}

func (c *callContext) interrupt(why Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	if c.err = context.DeadlineExceeded; why == Ended {
		c.err = c.Context.Err()
	}
	if c.err == nil { // by Interrupt
		c.err = context.Canceled
	}
	close(c.done)
	for f := range c.after {
		crash.Go(callback, *f)
	}
	c.after = nil
}
