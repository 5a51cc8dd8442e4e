package deadline

import (
	"context"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// Outcome is what happened to a call.
type Outcome int

const (
	// Undisturbed calls have ended by themselves.
	Undisturbed Outcome = iota
	// Late calls took too long.
	Late
	// Ended calls were cut off by the end of their context, or by Interrupt.
	Ended
)

// Watch interrupts the calls of one user that use a T, such as a connection. One goroutine begins
// and ends them; any may interrupt them. Until the first call it costs nothing.
type Watch[T any] struct {
	// interrupt makes the call return soon that uses the T. It is called once for a call, on any
	// goroutine and before End returns, which waits for it. It must not use the watch.
	interrupt func(T, Outcome)

	mu    sync.Mutex
	timer *time.Timer
	ctx   context.Context //nolint:containedctx // it is compared with the next call's
	// forget ends the registration with ctx.
	forget func() bool
	busy   bool
	// uses is what the call under way uses.
	uses T
	// deadline is that of the call under way; zero for none.
	deadline time.Time
	// due is when the timer is; zero when it is not set.
	due     time.Time
	outcome Outcome
}

// New returns a watch that interrupts calls so.
func New[T any](interrupt func(T, Outcome)) *Watch[T] { return &Watch[T]{interrupt: interrupt} }

// Begin watches a call that begins now, for so much time, 0 for any. A context that has ended
// already interrupts it as well.
func (w *Watch[T]) Begin(ctx context.Context, uses T, now time.Time, timeout time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy, w.outcome, w.uses, w.deadline = true, Undisturbed, uses, time.Time{}
	if timeout > 0 {
		w.arm(now.Add(timeout), timeout)
	}
	if w.ctx == ctx {
		if ctx.Err() != nil {
			w.disturb(Ended)
		}

		return
	}
	w.release()
	w.ctx, w.forget = ctx, context.AfterFunc(ctx, func() {
		defer crash.Contain("the end of a call's context")
		w.leave(ctx)
	})
}

// arm gives the call a deadline. The caller holds w.mu.
func (w *Watch[T]) arm(deadline time.Time, timeout time.Duration) {
	w.deadline = deadline
	switch {
	case w.timer == nil:
		w.due, w.timer = deadline, time.AfterFunc(timeout, w.look)
	case w.due.IsZero() || deadline.Before(w.due):
		w.due = deadline
		w.timer.Reset(timeout)
	}
}

// release ends the registration with the context. The caller holds w.mu.
func (w *Watch[T]) release() {
	if w.forget != nil {
		w.forget()
	}
	w.ctx, w.forget = nil, nil
}

// End ends a call, and says what happened to it. What the call used stays with the watch until the
// next one.
func (w *Watch[T]) End() Outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = false

	return w.outcome
}

// Extend gives the call under way so much time from now on, unless it was interrupted.
func (w *Watch[T]) Extend(timeout time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy {
		w.arm(time.Now().Add(timeout), timeout)
	}
}

// Interrupt interrupts the call under way, if there is one.
func (w *Watch[T]) Interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.disturb(Ended)
}

// Stop lets the timer, the context and what the last call used go. Another call may begin later.
func (w *Watch[T]) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.due = time.Time{}
	w.release()
	if !w.busy {
		var none T
		w.uses = none
	}
}

// look is called when the timer is due.
func (w *Watch[T]) look() {
	defer crash.Contain("the deadline of a call")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due = time.Time{}
	if !w.busy || w.deadline.IsZero() {
		return
	}
	if left := time.Until(w.deadline); left > 0 {
		w.due = w.deadline
		w.timer.Reset(left)

		return
	}
	w.disturb(Late)
}

// leave is called when a context has ended.
func (w *Watch[T]) leave(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx == ctx {
		w.disturb(Ended)
	}
}

// disturb interrupts the call under way, if there is one. The caller holds w.mu.
func (w *Watch[T]) disturb(why Outcome) {
	if w.busy && w.outcome == Undisturbed {
		w.outcome = why
		w.interrupt(w.uses, why)
	}
}
