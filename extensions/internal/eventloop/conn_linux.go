//go:build !portable

package eventloop

import (
	"errors"
	"io"
	"math"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/quiet"
)

// past is a deadline that had passed when it was set. One that passes later ends waits alone.
const past = math.MinInt64

// most is the size of a read or write from which on it may take long, if only to be copied.
const most = 64 << 10

// open is how many connections there are that nobody has closed; usable is how many processors
// Go may use.
var open, usable atomic.Int64 //nolint:gochecknoglobals // the process has one scheduler

// Conn is a connection of package net, for clients that may be at a loop. One goroutine uses it at
// a time; any may set deadlines, and close it.
type Conn struct {
	// What a turn at a seat needs comes first, in what a processor fetches of its memory at once.

	// raw is nil where it can be used on a goroutine alone; else socket is the kernel's number of it,
	// until it is closed.
	raw    syscall.RawConn
	socket uintptr
	// seat is where it is used; nil: on a goroutine.
	seat *Seat
	// watched is how a loop watches the socket; nil: none does.
	watched  atomic.Pointer[watch]
	deadline atomic.Int64
	// reads counts them since the last one whose wait was measured.
	reads int
	// busy tells that the socket is read or written at a seat, which keeps who closes it waiting.
	busy, closed atomic.Bool
	// stamped tells that the kernel keeps the times of when bytes came.
	stamped bool
	// asked: what was written on a goroutine has no answer yet.
	asked atomic.Bool

	// Conn is the connection as a goroutine of its own uses it.
	net.Conn
}

// NewConn returns a connection of package net as one that a client at a loop can use. Others than
// those of sockets are used on a goroutine.
func NewConn(inner net.Conn) *Conn {
	c := &Conn{Conn: quiet.Conn(inner)}
	if system, ok := inner.(syscall.Conn); ok {
		if raw, err := system.SyscallConn(); err == nil && raw.Control(func(socket uintptr) { c.socket = socket }) == nil {
			c.raw = raw
		}
	}
	usable.Store(int64(runtime.GOMAXPROCS(0)))
	open.Add(1)

	return c
}

// Use says at which seat the connection is used from now on; nil, or one whose job is not under
// way: by a goroutine.
func (c *Conn) Use(s *Seat) {
	c.seat = nil
	if c.raw != nil && s.Inside() {
		c.seat = s
	}
}

// Near tells whether the loop of the seat watches the connection: to use it at another one takes
// two more system calls. It is true where no loop has a part in it.
func (c *Conn) Near(s *Seat) bool {
	if !s.Inside() {
		return true
	}
	w := c.watched.Load()

	return w != nil && w.loop == s.loop
}

// NetConn returns the connection underneath, as that of package tls does.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// once reads or writes the socket at a seat, without waiting for it. Package net keeps who closes
// it waiting with a lock and the poller's notes of the socket, four places more of a client's
// memory, which are outside of the processor's caches.
func (c *Conn) once(b []byte, call func(socket uintptr, b []byte) (int, syscall.Errno)) (int, error) {
	c.busy.Store(true)
	defer c.busy.Store(false)
	switch {
	case c.closed.Load():
		return 0, net.ErrClosed
	case c.deadline.Load() == past:
		return 0, os.ErrDeadlineExceeded
	}
	n, errno := call(c.socket, b)
	if errno != 0 {
		return n, errno
	}

	return n, nil
}

// Read implements net.Conn.
func (c *Conn) Read(b []byte) (int, error) {
	if c.seat == nil || len(b) == 0 {
		return c.readAlone(b)
	}
	w := c.watch()
	for b = b[:min(len(b), most)]; ; {
		if !w.readable && !w.ended {
			w.await(c.seat, false)
		}
		n, err := c.receive(b)
		switch {
		case errors.Is(err, syscall.EAGAIN):
			w.readable = false
			if c.late() {
				return 0, c.failed("read", os.ErrDeadlineExceeded)
			}

			continue
		case err != nil:
			return n, c.failed("read", err)
		case n == 0:
			return 0, io.EOF
		}
		w.readable = n == len(b) // else all that had come was read

		return n, nil
	}
}

// readAlone reads on a goroutine of its own. One that has asked lets the others go before it looks
// for its answer, where there are more of them than processors. Else Go would let it go on, with
// its next request, for as long as its answers are there, while those of others wait: who waits for
// a socket has a turn only when nobody else could go on.
func (c *Conn) readAlone(b []byte) (int, error) {
	if c.asked.Load() && len(b) > 0 {
		c.asked.Store(false)
		if open.Load() > usable.Load() {
			runtime.Gosched()
		}
	}

	return c.Conn.Read(b)
}

// Write implements net.Conn.
func (c *Conn) Write(b []byte) (int, error) {
	if c.seat == nil || len(b) == 0 {
		c.asked.Store(true)

		return c.Conn.Write(b)
	}
	for done := 0; ; {
		n, err := c.once(b[done:min(len(b), done+most)], quiet.Write)
		done += n
		switch {
		case errors.Is(err, syscall.EAGAIN):
			if c.late() {
				return done, c.failed("write", os.ErrDeadlineExceeded)
			}
			c.watch().await(c.seat, true)
		case err != nil:
			return done, c.failed("write", err)
		case done == len(b):
			return done, nil
		}
	}
}

// Close implements net.Conn. Who waits for the socket does so no more.
func (c *Conn) Close() error {
	if !c.closed.Swap(true) {
		open.Add(-1)
	}
	for c.busy.Load() {
		runtime.Gosched()
	}
	err := c.Conn.Close()
	if w := c.watched.Swap(nil); w != nil {
		w.remove()
		w.loop.hurry()
	}

	return err
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error { return c.setDeadline(t, c.Conn.SetDeadline) }

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.setDeadline(t, c.Conn.SetReadDeadline) }

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.setDeadline(t, c.Conn.SetWriteDeadline) }

// setDeadline keeps the deadline that was set last, of reading or writing: a client does one of
// them at a time, and sets the deadline before.
func (c *Conn) setDeadline(t time.Time, inner func(time.Time) error) error {
	err := inner(t)
	at := int64(0)
	if !t.IsZero() {
		if at = instant(t); at <= now() {
			at = past
		}
	}
	before := c.deadline.Swap(at)
	if w := c.watched.Load(); w != nil && at != 0 && (before == 0 || at < before) {
		w.loop.hurry()
	}

	return err
}

// until is when the one who waits for the socket has to look again, as now counts.
func (c *Conn) until() int64 {
	if c.closed.Load() {
		return past
	}
	if at := c.deadline.Load(); at != 0 {
		return at
	}

	return never
}

func (c *Conn) late() bool {
	at := c.deadline.Load()

	return at != 0 && now() >= at
}

// failed is an error as package net words it.
func (c *Conn) failed(operation string, err error) error {
	var raw *net.OpError
	if errors.As(err, &raw) {
		err = raw.Err
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		err = os.NewSyscallError(operation, errno)
	}

	return &net.OpError{Op: operation, Net: c.RemoteAddr().Network(), Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: err}
}
