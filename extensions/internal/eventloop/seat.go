package eventloop

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// Loops are the event loops of a process. The zero value is ready to use. Goroutines run only while
// there are jobs.
type Loops struct {
	once    sync.Once
	all     []*loop
	err     error
	watches table
}

// Seat is a client's place at a loop. One goroutine uses it.
type Seat struct {
	loops *Loops
	// Waited receives how long a sampled answer waited to be read, and at which loop. The loop
	// calls it.
	Waited func(loop int, wait time.Duration)

	loop *loop
	// next resumes the job; nil without a running job.
	next  func() (struct{}, bool)
	yield func(struct{}) bool
	// paused is set if the job has yielded since its last operation began.
	paused bool
	// waits is the connection that the job waits for, if any.
	waits *Conn
	// until is when a sleeping job wakes, on the scale of now.
	until int64
	// ends is the context of sleeps, until forget is called; nil before the first sleep.
	ends   context.Context
	forget func() bool
	err    error
	over   chan struct{}
}

// Seat returns a new seat.
func (l *Loops) Seat() *Seat { return &Seat{loops: l, over: make(chan struct{}, 1)} }

// Inside reports whether a job of the seat is running.
func (s *Seat) Inside() bool { return s != nil && s.next != nil }

// Begin marks the start of an operation. It yields if the last operation did not, for example
// because it failed before any I/O.
func (s *Seat) Begin() {
	if !s.Inside() {
		return
	}
	if !s.paused {
		s.loop.again = append(s.loop.again, s)
		s.pause()
	}
	s.paused = false
}

// Away runs blocking code outside the loop. A panic propagates to the caller.
func (s *Seat) Away(do func()) {
	if !s.Inside() {
		do()

		return
	}
	var err error
	home := s.loop
	go func() {
		defer home.join(s)
		err = crash.Guard(func() error { do(); return nil })
	}()
	s.pause()
	if err != nil {
		panic(err)
	}
}

func (s *Seat) pause() {
	s.paused = true
	s.yield(struct{}{})
}

func (s *Seat) end() { s.over <- struct{}{} }

// guarded runs a job. It turns a panic or runtime.Goexit, which would end the loop, into an error.
func guarded(job func() error) (err error) {
	err = fmt.Errorf("the job has ended its goroutine")
	_ = crash.Guard(func() error {
		defer crash.Catch(&err)
		err = job()

		return nil
	})

	return err
}
