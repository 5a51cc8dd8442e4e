package nats

import (
	"context"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// deadlines makes the contexts of brief calls that follow one another. Most of those end in time, and cost it no timer, no channel and no
// registration: they have the same context, a timer that is due looks when the call at hand has to be over, and goes on until then.
type deadlines struct {
	mu   sync.Mutex
	now  *callContext // of the call under way or, else, of the next
	busy bool
	// forget ends the registration of now with the context of the VU.
	forget func() bool
	timer  *time.Timer
	due    time.Time // when the timer is; zero when it is not set
}

// callContext is the context of a call: it ends at the call's deadline, and with the VU's.
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

func (c *callContext) end(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = why
		close(c.done)
	}
}

// begin returns the context of a call that has so much time from now on, within that of the VU. The call must leave nothing behind that its
// context has to end.
func (d *deadlines) begin(vu context.Context, now time.Time, timeout time.Duration) context.Context {
	deadline := now.Add(timeout)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy = true
	if d.now == nil || d.now.Context != vu || !d.now.extend(deadline) {
		if d.forget != nil {
			d.forget()
		}
		made := &callContext{Context: vu, deadline: deadline, done: make(chan struct{})}
		d.now, d.forget = made, context.AfterFunc(vu, func() {
			defer crash.Contain("the end of a call")
			made.end(vu.Err())
		})
	}
	switch {
	case d.timer == nil:
		d.due, d.timer = deadline, time.AfterFunc(timeout, d.look)
	case d.due.IsZero() || deadline.Before(d.due):
		d.due = deadline
		d.timer.Reset(timeout)
	}

	return d.now
}

// end ends the call.
func (d *deadlines) end() {
	d.mu.Lock()
	d.busy = false
	d.mu.Unlock()
}

// look is called when the timer is due.
func (d *deadlines) look() {
	defer crash.Contain("the deadline of a call")
	d.mu.Lock()
	defer d.mu.Unlock()
	d.due = time.Time{}
	if !d.busy {
		return
	}
	deadline, _ := d.now.Deadline()
	if left := time.Until(deadline); left > 0 {
		d.due = deadline
		d.timer.Reset(left)

		return
	}
	d.now.end(context.DeadlineExceeded)
}
