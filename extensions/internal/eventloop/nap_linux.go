//go:build !portable

package eventloop

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A server that answers what was asked for together one by one, and so wakes its client for each
// answer, is told from others by how often the client waits for the socket until it has all.
const oneByOne = 4

// A nap is an eighth of the time that clients wait for all their answers, in nanoseconds at the
// least and at the most. The kernel adds some 50 us of its own.
const (
	napPart     = 8
	shortestNap = int64(50 * time.Microsecond)
	longestNap  = int64(500 * time.Microsecond)
)

// batch is what a connection knows of the answers that were asked for together.
type batch struct {
	// pending is how many are still to come.
	pending int
	// waits is how often the client has waited since it asked for these; apart tells that the
	// server sent those before one by one.
	waits int
	apart bool
	// began is when the first of them was waited for, as now counts.
	began int64
}

// drowsiness is what a loop knows of clients whose answers come one by one.
type drowsiness struct {
	// patient is how many of them wait, and batches the mean time that it takes until one of them
	// has all, most of it of the last sixteen, in nanoseconds.
	patient int
	batches int64
}

// Pending says that so many of the answers that were asked for together are still to come. A client
// calls it before it reads each of them, and with 0 when it has all. It may find some of them
// later, so that all take less: see the package's documentation.
func (c *Conn) Pending(answers int) {
	if c.seat == nil {
		return
	}
	b, l := &c.batch, c.seat.loop
	before := b.pending
	b.pending = answers
	switch {
	case before == 0 && answers > 0:
		b.began, b.waits = now(), 0
	case before > 0 && answers == 0:
		b.over()
		l.batches += (now() - b.began - l.batches) / 16
	}
}

// over is called when all answers are there.
func (b *batch) over() { b.apart = b.waits >= oneByOne || b.apart && b.waits > 1 }

// awaitAnswer waits until there is something to read.
func (c *Conn) awaitAnswer(w *watch) {
	c.batch.waits++
	if c.batch.pending <= 1 || !c.batch.apart {
		w.await(c.seat, false)

		return
	}
	w.loop.patient++
	w.await(c.seat, false)
	w.loop.patient--
}

// drowsy is for how long the loop does not have to look for answers, in nanoseconds; 0: it has to.
func (l *loop) drowsy() int64 {
	long := l.batches / napPart
	if l.patient == 0 || l.patient < len(l.seats) || long < shortestNap {
		return 0
	}

	return min(long, longestNap)
}

// nap is called before the loop waits for sockets. Where each of its clients has answers to come
// one by one, and where a crowd waits for a slow server, it looks away for a time, and keeps its
// processor from others of the process as long. at is now, where the loop may hold its processor.
func (l *loop) nap(at int64) {
	long := l.drowsy()
	if long == 0 && l.loops.Active != nil {
		l.looks(at)
		if long = l.away(len(l.seats)); long > 0 && !l.holds() {
			long = 0
		}
	}
	if long > 0 {
		nap := unix.NsecToTimespec(long)
		_, _, _ = syscall.RawSyscall(unix.SYS_NANOSLEEP, // a signal ends it
			uintptr(unsafe.Pointer(&nap)), 0, 0) //nolint:gosec // as package syscall asks for
	}
}
