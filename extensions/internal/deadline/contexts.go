package deadline

import (
	"context"
	"sync"
	"time"
)

// Contexts makes the contexts of calls: each ends at the call's deadline, and with the context that it
// is within. Calls that end in time and are within the same one have the same context. A call must
// leave nothing behind that its context has to end. The zero value is ready.
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

// End ends the call.
func (c *Contexts) End() {
	if c.watch.End() != Undisturbed {
		c.now = nil
	}
}

// callContext is the context of a call.
type callContext struct {
	context.Context

	mu       sync.Mutex
	deadline time.Time
	done     chan struct{}
	err      error
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
}
