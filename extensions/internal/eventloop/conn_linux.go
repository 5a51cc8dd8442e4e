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

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
)

// past marks a deadline that was in the past when set. A future deadline only ends waits.
const past = math.MinInt64

// most is the size in bytes from which a read or write goes through package net. Copying that much
// would block the loop for long.
const most = 64 << 10

// open counts open connections; usable is GOMAXPROCS.
var open, usable atomic.Int64 //nolint:gochecknoglobals // the process has one scheduler

// Conn is a net.Conn for clients at an event loop. One goroutine uses it at a time; any may set
// deadlines or close it.
type Conn struct {
	// Fields that every operation at a seat uses come first, to share cache lines.

	// raw is nil if the connection works only on a goroutine; otherwise socket is its file
	// descriptor until it is closed.
	raw    syscall.RawConn
	socket uintptr
	// seat is nil if a goroutine uses the connection.
	seat *Seat
	// watched is the loop's watch over the socket, if any.
	watched  atomic.Pointer[watch]
	deadline atomic.Int64
	// reads counts reads since the last measured one.
	reads int
	// busy is set while a seat reads or writes the socket; Close waits for it.
	busy, closed atomic.Bool
	// stamped means that the kernel records arrival times.
	stamped bool
	// asked means that a goroutine has sent a request and not yet read an answer.
	asked atomic.Bool

	// Conn is used on goroutines.
	net.Conn
}

// NewConn wraps a net.Conn for use at a loop. Connections without a socket work only on goroutines.
func NewConn(inner net.Conn) *Conn {
	c := &Conn{Conn: netutil.RawConn(inner)}
	if system, ok := inner.(syscall.Conn); ok {
		if raw, err := system.SyscallConn(); err == nil && raw.Control(func(socket uintptr) { c.socket = socket }) == nil {
			c.raw = raw
		}
	}
	usable.Store(int64(runtime.GOMAXPROCS(0)))
	open.Add(1)

	return c
}

// Use assigns the connection to a seat. With nil, or a seat without a running job, it works on a
// goroutine.
func (c *Conn) Use(s *Seat) {
	c.seat = nil
	if c.raw != nil && s.Inside() {
		c.seat = s
	}
}

// Near reports whether the seat's loop watches the connection, or no loop is involved. Using it at
// another loop costs two more system calls.
func (c *Conn) Near(s *Seat) bool {
	if !s.Inside() {
		return true
	}
	w := c.watched.Load()

	return w != nil && w.loop == s.loop
}

// NetConn returns the wrapped connection, like tls.Conn's method.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// once reads or writes the socket without waiting. It bypasses package net, whose locks and poller
// state would add four cache misses.
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
				return 0, netutil.OpError(c, "read", os.ErrDeadlineExceeded)
			}

			continue
		case err != nil:
			return n, netutil.OpError(c, "read", err)
		case n == 0:
			return 0, io.EOF
		}
		w.readable = n == len(b) // a partial read means that the socket is empty

		return n, nil
	}
}

// readAlone reads on the client's goroutine. After a request it yields before it reads, if there
// are more connections than processors. Otherwise Go would let a client with a fast server run many
// operations in a row while others wait for the poller.
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
		n, err := c.once(b[done:min(len(b), done+most)], netutil.RawWrite)
		done += n
		switch {
		case errors.Is(err, syscall.EAGAIN):
			if c.late() {
				return done, netutil.OpError(c, "write", os.ErrDeadlineExceeded)
			}
			c.watch().await(c.seat, true)
		case err != nil:
			return done, netutil.OpError(c, "write", err)
		case done == len(b):
			return done, nil
		}
	}
}

// Close implements net.Conn and ends waits.
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

// setDeadline keeps the last deadline for reads and writes alike: a client does one of them at a
// time and sets the deadline before.
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

// until returns when a waiting job must be checked again, on the scale of now.
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
