//go:build !portable

package eventloop

import (
	"runtime"
	"syscall"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// A loop that holds its processor lets Go's scheduler have it after each time of hold, and its
// poller after each of absence, in nanoseconds. It waits for so many milliseconds of patience at
// once, so that others of the process wait for hold and patience at the longest.
//
// Patience is no shorter than the kernel's tick (CONFIG_HZ is 100 and more), which comes first
// then: a wait that ends before the tick has the kernel set the processor's own timer, and set it
// back when an answer comes. On a virtual machine each of the two is an exit to the host.
const (
	hold     = int64(time.Millisecond)
	absence  = 10 * hold
	patience = 10
)

// worth is from how long a wait on, in nanoseconds, it is worth holding the processor. Answers that
// come sooner are there while Go looks for other work, and then nobody has to wake the loop.
const worth = int64(40 * time.Microsecond)

// holder is what a loop knows of its processor.
type holder struct {
	// alone tells that nobody else wanted a processor when Go's scheduler last had this one, which
	// was at scheduled; its poller has had it at parked. Both are times as now counts.
	alone             bool
	scheduled, parked int64
	// parks tells that the poll under way lets Go's poller have it.
	parks bool
	// mean is that of the last waits, in nanoseconds, most of it of the last sixteen.
	mean int64
}

// mayHold tells whether the loop is one that may hold its processor. It would cost more where there
// is one client, or where clients sleep.
func (l *loop) mayHold() bool {
	return l.alone && l.mean >= worth && len(l.seats) > 1 && len(l.sleepers) == 0
}

// holds tells whether the loop waits for sockets without letting its processor go.
func (l *loop) holds() bool {
	if !l.mayHold() {
		return false
	}
	at := now()
	if at-l.parked >= absence || l.due-at <= patience*int64(time.Millisecond) {
		return false
	}
	if at-l.scheduled >= hold {
		runtime.Gosched()
		l.scheduled, l.alone = now(), l.loops.alone()
	}

	return l.alone
}

// yield lets others have the processor that want it. Go's scheduler takes no part in it.
func yield() { _, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }

// park is called when the loop is to wait by Go's poller.
func (l *loop) park() {
	if !l.parks && l.loops.Active != nil {
		l.parks = true
		l.loops.parked.Add(1)
	}
}

// waited is called after a wait, which took so long. If it was by Go's poller, the thread that
// waited there is this loop's now. Where another loop waits there as well and this one will hold
// its processor, a goroutine is begun, for which the runtime finds another thread, which then
// waits.
func (l *loop) waited(took int64) {
	l.mean += (took - l.mean) / 16
	if !l.parks {
		return
	}
	l.parks, l.parked, l.alone = false, now(), l.loops.alone()
	l.scheduled = l.parked
	if others := l.loops.parked.Add(-1); others > 0 && l.mayHold() {
		go func() { defer crash.Contain("a thread for another event loop") }()
	}
}

// alone tells whether all that the process does are jobs at loops.
func (l *Loops) alone() bool { return l.Active != nil && int64(l.Active()) <= l.inside.Load() }
