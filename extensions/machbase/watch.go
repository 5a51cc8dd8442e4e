package machbase

import (
	"context"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// disturbance is what happened to a call.
type disturbance int

const (
	undisturbed disturbance = iota
	late                    // it took too long
	ended                   // its context did
)

// watch interrupts calls that take too long, and those whose context ends. Most calls cost it no timer and no registration: a timer
// that is due looks when the call at hand has to be over, and goes on until then; a context is watched until another one comes.
type watch struct {
	interrupt func()
	timer     *time.Timer

	mu       sync.Mutex
	ctx      context.Context //nolint:containedctx // it is compared with the next call's
	forget   func() bool     // the context
	busy     bool
	deadline time.Time // of the call under way
	due      time.Time // when the timer is; zero when it is not set
	outcome  disturbance
}

func newWatch(interrupt func()) *watch {
	w := &watch{interrupt: interrupt, forget: func() bool { return true }}
	w.timer = time.AfterFunc(time.Hour, w.look)
	w.timer.Stop()

	return w
}

// begin watches a call. The caller looks afterwards whether the context had ended before.
func (w *watch) begin(ctx context.Context, timeout time.Duration) {
	deadline := time.Now().Add(timeout)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy, w.outcome, w.deadline = true, undisturbed, deadline
	if w.due.IsZero() || deadline.Before(w.due) {
		w.due = deadline
		w.timer.Reset(timeout)
	}
	if w.ctx != ctx {
		w.forget()
		w.ctx, w.forget = ctx, context.AfterFunc(ctx, func() {
			defer crash.Contain("the watch of a call")
			w.leave(ctx)
		})
	}
}

// end ends a call, and says what happened to it.
func (w *watch) end() disturbance {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = false

	return w.outcome
}

// extend gives the call under way so much time from now on, unless its time is over.
func (w *watch) extend(timeout time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = time.Now().Add(timeout)
}

// stop ends the watch.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.forget()
}

// look is called when the timer is due.
func (w *watch) look() {
	defer crash.Contain("the watch of a call")
	w.mu.Lock()
	left := time.Until(w.deadline)
	if w.busy && left > 0 {
		w.due = w.deadline
		w.timer.Reset(left)
		w.mu.Unlock()

		return
	}
	w.due = time.Time{}
	w.disturb(late)
}

// leave is called when a context has ended.
func (w *watch) leave(ctx context.Context) {
	w.mu.Lock()
	if w.ctx != ctx {
		w.mu.Unlock()

		return
	}
	w.disturb(ended)
}

// disturb interrupts the call under way, if there is one, and unlocks.
func (w *watch) disturb(why disturbance) {
	first := w.busy && w.outcome == undisturbed
	if first {
		w.outcome = why
	}
	w.mu.Unlock()
	if first {
		w.interrupt()
	}
}
