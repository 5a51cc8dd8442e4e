//go:build !portable

package eventloop

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

const (
	// atOnce is how many sockets a loop takes from the kernel at once.
	atOnce = 512
	// never is the deadline of who has none, in nanoseconds.
	never = math.MaxInt64
	// wakerSlot stands for the loop's own waker among the slots of connections.
	wakerSlot = -1
	// bellSlot stands for the loop's bell.
	bellSlot = -2
)

// loop is an event loop.
type loop struct {
	number  int
	loops   *Loops
	watches *table
	epoll   *os.File
	raw     syscall.RawConn
	poll    func(epoll uintptr) bool
	waker   *os.File
	bell    *bell

	mu sync.Mutex
	// coming are the seats that others than the loop have made ready.
	coming  []*Seat
	running bool

	// hurried says that a deadline is another one, or a connection closed.
	hurried atomic.Bool

	// failed is why the loop cannot go on.
	failed atomic.Pointer[fault]

	// What follows belongs to the loop's goroutine, and to the jobs that it resumes.

	seats map[*Seat]struct{}
	// again are the seats that go on without waiting for anything but their turn.
	again []*Seat
	ready []*Seat
	// sleepers are the seats whose jobs sleep.
	sleepers sleepers
	events   []unix.EpollEvent
	got      int
	// block tells whether the poll under way may wait for sockets.
	block bool
	// due is the earliest deadline of what is waited for, at the latest, as now counts.
	due int64
	// alarm is the deadline that the poll has.
	alarm int64
	left  bool
	stamp stamp
}

// fault is an error.
type fault struct{ error }

func (l *loop) fail(err error) { l.failed.CompareAndSwap(nil, &fault{err}) }

// Count returns how many loops there are, or would be: one for each processor that Go may use.
func Count() int { return runtime.GOMAXPROCS(0) }

// open makes the loops.
func (l *Loops) open() {
	for number := range Count() {
		one, err := newLoop(number, l)
		if err != nil {
			l.err = fmt.Errorf("making an event loop: %w", err)

			return
		}
		l.all = append(l.all, one)
	}
}

func newLoop(number int, loops *Loops) (*loop, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	event, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		_ = unix.Close(epoll)

		return nil, os.NewSyscallError("eventfd", err)
	}
	// Go's own poller waits for the poller, so that no thread does, once it does not block.
	if err := unix.SetNonblock(epoll, true); err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	l := &loop{
		number: number, loops: loops, watches: &loops.watches,
		epoll: os.NewFile(uintptr(epoll), "epoll"), waker: os.NewFile(uintptr(event), "eventfd"),
		seats: map[*Seat]struct{}{}, events: make([]unix.EpollEvent, atOnce), due: never, alarm: never,
	}
	l.poll = l.look
	if l.raw, err = l.epoll.SyscallConn(); err != nil {
		return nil, err
	}
	if l.bell, err = newBell(); err != nil {
		return nil, err
	}
	for slot, file := range map[int32]int{wakerSlot: event, bellSlot: l.bell.timer} {
		wake := unix.EpollEvent{Events: unix.EPOLLIN | edge, Fd: slot}
		if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, file, &wake); err != nil {
			return nil, os.NewSyscallError("epoll_ctl", err)
		}
	}

	return l, nil
}

// Do does the job at a loop: clients of numbers that follow each other are at different ones. It
// returns when the job is over, with its error. A panic of the job is an error too.
func (s *Seat) Do(number int, job func() error) error {
	s.loops.once.Do(s.loops.open)
	if s.loops.err != nil {
		return s.loops.err
	}
	s.loop, s.err, s.paused = s.loops.all[number%len(s.loops.all)], nil, true
	s.start(job)
	s.loop.join(s)
	<-s.over
	s.wakeful()
	s.next, s.loop = nil, nil

	return s.err
}

// join makes a seat ready. Any goroutine may call it.
func (l *loop) join(s *Seat) {
	l.mu.Lock()
	l.coming = append(l.coming, s)
	start := !l.running
	l.running = true
	l.mu.Unlock()
	if start {
		go func() {
			defer crash.Contain("an event loop")
			l.run()
		}()

		return
	}
	l.wake()
}

// wake ends the loop's wait for sockets.
func (l *loop) wake() {
	one := [8]byte{0: 1}
	_, _ = l.waker.Write(one[:]) // it fails when it was written to 2^64 times
}

// hurry lets the loop look at deadlines now.
func (l *loop) hurry() {
	if !l.hurried.Swap(true) {
		l.wake()
	}
}

// run goes round as long as there are jobs.
func (l *loop) run() {
	over := false
	defer func() {
		if !over {
			l.abandon(crash.CaughtFrom("an event loop", recover()))
		}
	}()
	for l.arrivals() {
		l.ready, l.again = append(l.ready, l.again...), l.again[:0]
		if !l.wait(len(l.ready) == 0 && l.setBell()) {
			panic(l.failed.Load().error)
		}
		l.rouse()
		l.resumeReady()
		l.resumeAll()
		for l.hurried.Swap(false) || l.due != never && now() >= l.due {
			l.expire() // a job that has its turn now may wait next for what is over as well
		}
		if l.left {
			l.left = false
			runtime.Gosched() // who waited for the job goes on now, on this processor if on no other
		}
	}
	over = true
}

// arrivals takes over the seats that others have made ready. It is false when no job is left.
func (l *loop) arrivals() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.coming {
		l.seats[s] = struct{}{}
	}
	l.ready = append(l.ready, l.coming...)
	l.coming = l.coming[:0]
	l.running = len(l.seats) > 0

	return l.running
}

// resumeReady resumes the seats that waited for nothing but their turn.
func (l *loop) resumeReady() {
	for _, s := range l.ready {
		l.resume(s)
	}
	clear(l.ready)
	l.ready = l.ready[:0]
}

// resumeAll gives a turn to each client whose socket is ready, in the kernel's order.
func (l *loop) resumeAll() {
	for i := range l.got {
		event := &l.events[i]
		switch event.Fd {
		case wakerSlot:
			continue
		case bellSlot:
			l.bell.rings = never

			continue
		}
		w := l.watches.at(event.Fd)
		if w == nil || w.loop != l || w.number != event.Pad {
			continue // the connection was closed, or is used at another loop by now
		}
		if s := w.happened(event.Events); s != nil {
			l.resume(s)
		}
	}
	l.got = 0
}

// resume gives a client its turn.
func (l *loop) resume(s *Seat) {
	if _, more := s.next(); more {
		return
	}
	delete(l.seats, s)
	l.left = true
	s.end()
}

// wait asks the kernel for sockets that are ready, and waits for one if it may.
func (l *loop) wait(block bool) bool {
	l.block = block
	if block && l.alarm != l.due {
		l.setAlarm()
	}
	err := l.raw.Read(l.poll)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		l.fail(err)
	}
	if err != nil && l.alarm != never { // else the next wait would not be one
		l.alarm = never
		if err := l.epoll.SetReadDeadline(time.Time{}); err != nil {
			l.fail(err)
		}
	}

	return l.failed.Load() == nil
}

func (l *loop) setAlarm() {
	l.alarm = l.due
	at := time.Time{}
	if l.due != never {
		at = timeOf(l.due)
	}
	if err := l.epoll.SetReadDeadline(at); err != nil {
		l.fail(err)
	}
}

// look asks the kernel for sockets that are ready. It is false when the loop has to wait for one,
// which it does in Go's poller.
func (l *loop) look(epoll uintptr) bool {
	n, errno := epollWait(epoll, l.events)
	switch {
	case errno == syscall.EINTR:
		n = 0
	case errno != 0:
		l.fail(os.NewSyscallError("epoll_wait", errno))

		return true
	}
	l.got = n

	return n > 0 || !l.block
}

// expire resumes the jobs whose connections have a deadline that is over, or were closed, and finds
// the next deadline.
func (l *loop) expire() {
	by := now()
	l.due = never
	l.rouseEnded()
	var late []*Seat
	for s := range l.seats {
		if s.waits == nil {
			continue
		}
		if until := s.waits.until(); until <= by {
			late = append(late, s)
		} else {
			l.due = min(l.due, until)
		}
	}
	for _, s := range late {
		l.resume(s)
	}
}

// abandon ends all jobs with an error when the loop itself is at fault.
func (l *loop) abandon(err error) {
	left := slices.Collect(maps.Keys(l.seats))
	clear(l.seats)
	l.ready, l.again, l.sleepers, l.got = nil, nil, nil, 0
	l.mu.Lock()
	left = append(left, l.coming...)
	l.coming, l.running = nil, false // from here on another goroutine may be the loop's
	l.mu.Unlock()
	for _, s := range left {
		s.err = err
		s.end()
	}
}
