//go:build !portable

package eventloop

import (
	"os"

	"golang.org/x/sys/unix"
)

// Flags of epoll events. With edge, the kernel reports only changes.
const (
	edge = unix.EPOLLET & 0xffffffff
	gone = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	in   = unix.EPOLLIN | gone
	out  = unix.EPOLLOUT | unix.EPOLLHUP | unix.EPOLLERR
)

// watch is a loop's registration of a socket. The loop and the job that uses the connection share
// it.
type watch struct {
	conn *Conn
	loop *loop
	slot int32
	// number is the watch's generation, to ignore pending events of earlier watches in the slot.
	number int32

	// readable means that there may be bytes to read.
	readable bool
	// ended means that the other end has stopped sending.
	ended   bool
	waiting *Seat
	writing bool
}

func (c *Conn) watch() *watch {
	w := c.watched.Load()
	if l := c.seat.loop; w == nil || w.loop != l {
		w = c.register(l)
	}

	return w
}

// register moves the socket to the loop's epoll.
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
	}) // on a closed connection this fails, and so will the next read or write
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

func (w *watch) remove() { w.loop.watches.remove(w.slot) }

// await yields until the socket is ready or a deadline has passed.
func (w *watch) await(s *Seat, writing bool) {
	l := w.loop
	l.due = min(l.due, w.conn.until())
	w.waiting, w.writing, s.waits = s, writing, w.conn
	s.pause()
	w.waiting, s.waits = nil, nil
}

// record stores an event and returns the seat that waited for it.
func (w *watch) record(events uint32) *Seat {
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
