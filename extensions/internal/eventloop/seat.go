package eventloop

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// Loops are the loops of a process's clients. The zero value is ready. Its goroutines live as long
// as jobs are under way.
type Loops struct {
	once sync.Once
	all  []*loop
	// err is why there are no loops.
	err     error
	watches table
}

// Seat is a client's place at one of the loops. One goroutine uses it.
type Seat struct {
	loops *Loops
	// Waited is told how long an answer has waited to be read, of those that are measured, and of
	// which loop. It is called by the loop.
	Waited func(loop int, wait time.Duration)

	loop *loop
	// next resumes the job. It is nil while none is under way.
	next  func() (struct{}, bool)
	yield func(struct{}) bool
	// paused tells whether the job has let others go since it began its last operation.
	paused bool
	// waits is the connection that the job waits for; nil: none.
	waits *Conn
	// until is when the job wakes that sleeps, as now counts.
	until int64
	// ends is the context with which sleeps end, until forget is called; nil: the job has not slept.
	ends   context.Context
	forget func() bool
	err    error
	over   chan struct{}
}

// Seat returns a seat at the loops.
func (l *Loops) Seat() *Seat { return &Seat{loops: l, over: make(chan struct{}, 1)} }

// Inside tells whether a job of the seat is under way.
func (s *Seat) Inside() bool { return s != nil && s.next != nil }

// Begin is called where an operation begins, so that no client does two of them while others wait.
// An operation that failed without a word to the server has let nobody go.
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

// Away does what would keep the loop waiting, while the loop goes on. A panic of it is the
// caller's.
func (s *Seat) Away(do func()) {
	if !s.Inside() {
		do()

		return
	}
	var err error
	home := s.loop
	go func() {
		defer crash.Contain("what a client of an event loop waits for")
		defer home.join(s)
		err = crash.Guard(func() error { do(); return nil })
	}()
	s.pause()
	if err != nil {
		panic(err)
	}
}

// pause lets the others at the loop go, until the loop resumes the job.
func (s *Seat) pause() {
	s.paused = true
	s.yield(struct{}{})
}

// end tells the one who waits for the job that it is over.
func (s *Seat) end() { s.over <- struct{}{} }

// guarded does a job. Its panic is an error; so is its end by runtime.Goexit, which would end the
// loop.
func guarded(job func() error) (err error) {
	err = fmt.Errorf("the job has ended its goroutine")
	_ = crash.Guard(func() error {
		defer crash.Catch(&err)
		err = job()

		return nil
	})

	return err
}
