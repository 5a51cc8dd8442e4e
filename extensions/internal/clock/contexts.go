package clock

import (
	"context"
	"sync"
	"time"
)

// Contexts creates contexts of consecutive calls. Each ends at the call's deadline, and when its
// parent ends. Consecutive calls with the same parent reuse one context as long as none ends early;
// so a call must not keep its context. The zero value is ready to use.
type Contexts struct {
	watch *Watch[*callContext]
	now   *callContext
}

// Begin returns the context of a call that starts now with a timeout.
func (c *Contexts) Begin(within context.Context, now time.Time, timeout time.Duration) context.Context {
	if c.watch == nil {
		c.watch = NewWatch((*callContext).interrupt)
	}
	deadline := now.Add(timeout)
	if c.now == nil || c.now.Context != within || !c.now.extend(deadline) {
		c.now = &callContext{Context: within, deadline: deadline, done: make(chan struct{})}
	}
	c.watch.Begin(within, c.now, now, timeout)

	return c.now
}

// End ends the call and returns its outcome.
func (c *Contexts) End() Outcome {
	outcome := c.watch.End()
	if outcome != Undisturbed {
		c.now = nil
	}

	return outcome
}

// Extend sets the current call's deadline to timeout from now, unless it was interrupted. The call
// itself uses it.
func (c *Contexts) Extend(timeout time.Duration) {
	c.watch.Extend(timeout)
	c.now.extend(time.Now().Add(timeout))
}

// Stop releases the timer and the parent context. Begin may follow.
func (c *Contexts) Stop() {
	if c.watch != nil {
		c.watch.Stop()
	}
	c.now = nil
}

type callContext struct {
	context.Context

	mu       sync.Mutex
	deadline time.Time
	done     chan struct{}
	err      error
	after    map[*func()]struct{}
}

func (c *callContext) Deadline() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.deadline, true
}

func (c *callContext) Done() <-chan struct{} { return c.done }

func (c *callContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.err
}

// AfterFunc lets context.AfterFunc and derived contexts work without a waiting goroutine.
func (c *callContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()

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

// extend moves the deadline. It returns false if the context has ended.
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
	if c.err == nil { // Interrupt ended the call
		c.err = context.Canceled
	}
	close(c.done)
	for f := range c.after {
		go (*f)()
	}
	c.after = nil
}
