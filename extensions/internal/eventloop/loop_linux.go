//go:build !portable

package eventloop

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

const (
	atOnce = 512
	// never is the deadline of jobs without one, in nanoseconds.
	never = math.MaxInt64
	// wakerSlot is the slot of the loop's eventfd.
	wakerSlot = -1
	// bellSlot is the slot of the loop's timer.
	bellSlot = -2
)

type loop struct {
	number  int
	loops   *Loops
	watches *table
	epoll   *os.File
	raw     syscall.RawConn
	poll    func(epoll uintptr) bool
	waker   *os.File
	// bell is a kernel timer that wakes the loop. Go's timers wake an idle process up to a
	// millisecond late.
	bell int

	mu sync.Mutex
	// coming holds seats that other goroutines have made ready.
	coming  []*Seat
	running bool

	// hurried is set when a deadline changed or a connection was closed.
	hurried atomic.Bool

	failed atomic.Pointer[fault]

	// The fields below belong to the loop's goroutine and its jobs.

	seats map[*Seat]struct{}
	// again holds seats that wait only for their turn.
	again    []*Seat
	ready    []*Seat
	sleepers sleepers
	events   []unix.EpollEvent
	got      int
	// block allows the current poll to wait.
	block bool
	// due is at or before the earliest deadline, on the scale of now.
	due int64
	// rings is the timer's next expiry on the scale of now.
	rings int64
	left  bool
	stamp stamp
}

type fault struct{ error }

func (l *loop) fail(err error) { l.failed.CompareAndSwap(nil, &fault{err}) }

// Count returns the number of loops: GOMAXPROCS.
func Count() int { return runtime.GOMAXPROCS(0) }

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
	// With a non-blocking descriptor, Go's poller waits for epoll without a thread.
	if err := unix.SetNonblock(epoll, true); err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	l := &loop{
		number: number, loops: loops, watches: &loops.watches,
		epoll: os.NewFile(uintptr(epoll), "epoll"), waker: os.NewFile(uintptr(event), "eventfd"),
		seats: map[*Seat]struct{}{}, events: make([]unix.EpollEvent, atOnce), due: never, rings: never,
	}
	l.poll = l.tryPoll
	if l.raw, err = l.epoll.SyscallConn(); err != nil {
		return nil, err
	}
	if l.bell, err = unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK); err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	for slot, file := range map[int32]int{wakerSlot: event, bellSlot: l.bell} {
		wake := unix.EpollEvent{Events: unix.EPOLLIN | edge, Fd: slot}
		if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, file, &wake); err != nil {
			return nil, os.NewSyscallError("epoll_ctl", err)
		}
	}

	return l, nil
}

// Do runs the job at a loop and returns its error. Consecutive numbers go to different loops. A
// panic becomes an error.
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

func (s *Seat) start(job func() error) {
	s.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		s.yield = yield
		s.err = guarded(job)
	})
}

// join makes a seat ready. Any goroutine may call it.
func (l *loop) join(s *Seat) {
	l.mu.Lock()
	l.coming = append(l.coming, s)
	start := !l.running
	l.running = true
	l.mu.Unlock()
	if start {
		go l.run()

		return
	}
	l.wake()
}

func (l *loop) wake() {
	one := [8]byte{0: 1}
	_, _ = l.waker.Write(one[:]) // can fail only after 2^64 writes
}

// hurry makes the loop check deadlines now.
func (l *loop) hurry() {
	if !l.hurried.Swap(true) {
		l.wake()
	}
}

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
			l.expire() // a job resumed above may wait for one that ends here
		}
		if l.left {
			l.left = false
			runtime.Gosched() // lets a goroutine that waited for the job continue, even on a single processor
		}
	}
	over = true
}

// arrivals takes over newly ready seats. It returns false if no job is left.
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

func (l *loop) resumeReady() {
	for _, s := range l.ready {
		l.resume(s)
	}
	clear(l.ready)
	l.ready = l.ready[:0]
}

// resumeAll resumes each client whose socket is ready, in the kernel's order.
func (l *loop) resumeAll() {
	for i := range l.got {
		event := &l.events[i]
		switch event.Fd {
		case wakerSlot:
			continue
		case bellSlot:
			l.rings = never

			continue
		}
		w := l.watches.at(event.Fd)
		if w == nil || w.loop != l || w.number != event.Pad {
			continue // closed, or moved to another loop
		}
		if s := w.record(event.Events); s != nil {
			l.resume(s)
		}
	}
	l.got = 0
}

func (l *loop) resume(s *Seat) {
	if _, more := s.next(); more {
		return
	}
	delete(l.seats, s)
	l.left = true
	s.end()
}

func (l *loop) wait(block bool) bool {
	l.block = block
	if err := l.raw.Read(l.poll); err != nil {
		l.fail(err)
	}

	return l.failed.Load() == nil
}

// tryPoll polls for ready sockets. It returns false if the loop must wait in Go's poller.
func (l *loop) tryPoll(epoll uintptr) bool {
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

// expire resumes jobs whose connection was closed or has reached its deadline, and finds the next
// deadline.
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

func (l *loop) abandon(err error) {
	left := slices.Collect(maps.Keys(l.seats))
	clear(l.seats)
	l.ready, l.again, l.sleepers, l.got = nil, nil, nil, 0
	l.mu.Lock()
	left = append(left, l.coming...)
	l.coming, l.running = nil, false // another goroutine may start the loop from here on
	l.mu.Unlock()
	for _, s := range left {
		s.err = err
		s.end()
	}
}
