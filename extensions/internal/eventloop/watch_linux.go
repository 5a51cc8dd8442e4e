//go:build !portable

package eventloop

import (
	"os"

	"golang.org/x/sys/unix"
)

// What the kernel tells of sockets. With edge, it tells of one only when something has happened
// since it last did.
const (
	edge = unix.EPOLLET & 0xffffffff
	gone = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	in   = unix.EPOLLIN | gone
	out  = unix.EPOLLOUT | unix.EPOLLHUP | unix.EPOLLERR
)

// watch is a loop's watch over a connection's socket. It belongs to the loop, and to the job that
// uses the connection there.
type watch struct {
	conn *Conn
	loop *loop
	slot int32
	// number tells the watch from those that have had its slot: what the kernel has told of one of
	// them may still wait for its turn.
	number int32

	// readable says that there may be something to read.
	readable bool
	// ended says that the other end will say no more.
	ended bool
	// waiting is who waits for the socket; nil: nobody.
	waiting *Seat
	// writing tells that it is waited for to write.
	writing bool
}

// watch is the watch of the loop at which the connection is used now.
func (c *Conn) watch() *watch {
	w := c.watched.Load()
	if l := c.seat.loop; w == nil || w.loop != l {
		w = c.register(l)
	}

	return w
}

// register lets the loop watch the socket, and no other.
func (c *Conn) register(l *loop) *watch {
	w := &watch{conn: c, loop: l}
	w.slot = l.watches.put(w)
	before := c.watched.Swap(w)
	_ = c.raw.Control(func(socket uintptr) {
		if before != nil {
			before.loop.control(unix.EPOLL_CTL_DEL, socket, nil)
		}
		c.stamped = c.stamped || keepTimes(socket)
		events := uint32(unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | edge)
		l.control(unix.EPOLL_CTL_ADD, socket, &unix.EpollEvent{Events: events, Fd: w.slot, Pad: w.number})
	}) // it fails on a closed connection, and so does what comes next
	if before != nil {
		before.remove()
	}
	if c.closed.Load() && c.watched.CompareAndSwap(w, nil) {
		w.remove()
	}

	return w
}

func (l *loop) control(operation int, socket uintptr, event *unix.EpollEvent) {
	_ = l.raw.Control(func(epoll uintptr) {
		if err := unix.EpollCtl(int(epoll), operation, int(socket), event); err != nil {
			l.fail(os.NewSyscallError("epoll_ctl", err))
		}
	}) // loops are never closed
}

// remove gives the slot back.
func (w *watch) remove() { w.loop.watches.remove(w.slot) }

// await lets the others at the loop go until something happens to the socket, or a deadline is
// over.
func (w *watch) await(s *Seat, writing bool) {
	l := w.loop
	l.due = min(l.due, w.conn.until())
	w.waiting, w.writing, s.waits = s, writing, w.conn
	s.pause()
	w.waiting, s.waits = nil, nil
}

// happened keeps what has happened to the socket, and returns the seat that has waited for it.
func (w *watch) happened(events uint32) *Seat {
	if events&gone != 0 {
		w.ended = true
	}
	if events&in != 0 {
		w.readable = true
	}
	if w.waiting != nil && (w.writing && events&out != 0 || !w.writing && events&in != 0) {
		return w.waiting
	}

	return nil
}
