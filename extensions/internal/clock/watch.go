package clock

import (
	"context"
	"sync"
	"time"
)

// Outcome says how a call ended.
type Outcome int

const (
	// Undisturbed calls were not interrupted.
	Undisturbed Outcome = iota
	// Late calls exceeded their timeout.
	Late
	// Ended calls were interrupted by their context or by Interrupt.
	Ended
)

// Watch interrupts consecutive calls that use a T, such as a connection. One goroutine begins and
// ends calls; any goroutine may interrupt them.
type Watch[T any] struct {
	// interrupt makes the current call return soon. It runs at most once per call, on any
	// goroutine, and End waits for it. It must not use the watch.
	interrupt func(T, Outcome)

	mu     sync.Mutex
	timer  *time.Timer
	ctx    context.Context //nolint:containedctx // it is compared with the next call's
	forget func() bool
	busy   bool
	// uses is the argument of interrupt.
	uses     T
	deadline time.Time
	// due is when the timer fires; zero if it is not set.
	due     time.Time
	outcome Outcome
}

// NewWatch returns a watch that calls interrupt.
func NewWatch[T any](interrupt func(T, Outcome)) *Watch[T] { return &Watch[T]{interrupt: interrupt} }

// Begin starts watching a call. timeout 0 means none. If ctx has already ended, it interrupts the
// call immediately.
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
	w.ctx, w.forget = ctx, context.AfterFunc(ctx, func() { w.leave(ctx) })
}

// arm sets the call's deadline. The caller holds w.mu.
func (w *Watch[T]) arm(deadline time.Time, timeout time.Duration) {
	w.deadline = deadline
	switch {
	case w.timer == nil:
		w.due, w.timer = deadline, time.AfterFunc(timeout, w.fire)
	case w.due.IsZero() || deadline.Before(w.due):
		w.due = deadline
		w.timer.Reset(timeout)
	}
}

// release cancels the registration with the context. The caller holds w.mu.
func (w *Watch[T]) release() {
	if w.forget != nil {
		w.forget()
	}
	w.ctx, w.forget = nil, nil
}

// End ends the call and returns its outcome. The watch keeps a reference to what the call used
// until the next call.
func (w *Watch[T]) End() Outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = false

	return w.outcome
}

// Extend sets the current call's deadline to timeout from now, unless it was interrupted.
func (w *Watch[T]) Extend(timeout time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy {
		w.arm(time.Now().Add(timeout), timeout)
	}
}

// Interrupt interrupts the current call, if any.
func (w *Watch[T]) Interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.disturb(Ended)
}

// Stop releases the timer, the context and the last call's T. Begin may follow.
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

func (w *Watch[T]) fire() {
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

func (w *Watch[T]) leave(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx == ctx {
		w.disturb(Ended)
	}
}

// disturb interrupts the current call, if any. The caller holds w.mu.
func (w *Watch[T]) disturb(why Outcome) {
	if w.busy && w.outcome == Undisturbed {
		w.outcome = why
		w.interrupt(w.uses, why)
	}
}
