package executor

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// PortableStep is a step of a sweep whose clients are VUs of one of k6's own executors.
type PortableStep struct {
	sweep  *portableSweep
	spec   Step
	window time.Duration

	mu  sync.Mutex
	run *stepRun // nil before the first client
	// joined maps VUs to clients.
	joined map[uint64]int
	free   int
	left   int
	// over is closed when all clients have left, and sent when all live metrics are sent.
	over  chan struct{}
	sent  <-chan struct{}
	timer *time.Timer // ends the step
}

// PortableClient is a VU that has joined a step.
type PortableClient struct {
	Session *k6x.Session
	// Aborted returns why the test has to end, or nil.
	Aborted func() error
	Leave   func()
}

// errTooLate is the error for a VU that comes after the end of its step.
var errTooLate = errors.New("this step has ended: give its steps more maxDuration")

// Join makes the VU a client of its scenario's step. It returns nil if the scenario is not a step.
func Join(vu modules.VU, results *testrun.Results, metrics *stream.Metrics) (*PortableClient, error) {
	ctx := vu.Context()
	s := PortableStepOf(ctx, results)
	if s == nil {
		return nil, nil //nolint:nilnil // not an error
	}
	if err := s.sweep.join(vu, metrics); err != nil {
		return nil, err
	}
	client, err := s.join(vu.State().VUID, lib.GetScenarioState(ctx).StartTime)
	if err != nil {
		return nil, err
	}
	tap := k6x.NewTap(vu.State())
	tap.Open()
	results.Guard.Watch(tap)
	session := &k6x.Session{
		Client: client, Op: s.run.op(), Step: s.Info(), OpNames: s.sweep.config.AllowedOps(s.spec), Tags: s.run.Tags(), Tap: tap,
		NoDuet: "portable: it needs the executor client-sweep",
	}
	session.Cut = func() { s.cut(context.Cause(ctx)) }
	uncut := context.AfterFunc(ctx, func() { // needed for the counters of modules
		session.Cut()
	})
	forget := k6x.Join(vu, session)

	return &PortableClient{
		Session: session,
		Aborted: s.run.whyAborted,
		Leave: func() {
			uncut()
			client.Leave()
			session.End()
			forget()
			results.Guard.Forget(tap)
			tap.Close()
			s.leave()
		},
	}, nil
}

// cut is called when the context of a VU has ended, with its time or with the test.
func (s *PortableStep) cut(why error) {
	if errors.Is(why, context.DeadlineExceeded) {
		s.run.step.Stop()
	}
	s.run.step.InterruptUnlessStopped()
}

func (s *PortableStep) join(vu uint64, started time.Time) (*measure.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		s.begin(started)
	}
	if _, twice := s.joined[vu]; twice {
		return nil, measure.ErrTwice
	}
	if s.free == s.clients() {
		return nil, errTooLate
	}
	s.joined[vu] = s.free
	s.free++

	return s.run.step.Client(s.joined[vu]), nil
}

func (s *PortableStep) clients() int { return int(s.spec.Scaled(s.sweep.state.ExecutionTuple)) }

// begin begins the step, whose window started at a time.
func (s *PortableStep) begin(started time.Time) {
	s.run = newStepRun(s.sweep.sweepRun, s.spec, int64(s.clients()))
	s.over = make(chan struct{})
	s.sent = s.run.sendLive(s.over)
	s.timer = time.AfterFunc(time.Until(started.Add(s.window)), s.end)
}

// end ends the step after its time, without VUs that never came.
func (s *PortableStep) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		s.begin(time.Now())
	}
	if s.sweep.interrupted() {
		s.run.step.Interrupt()
	}
	s.run.step.Stop()
	if missing := s.clients() - s.free; missing > 0 && !s.run.step.Interrupted() {
		s.run.logger.Warnf("%d of %s never called sweep.run", missing, report.Plural(s.clients(), "client"))
	}
	for ; s.free < s.clients(); s.free++ {
		s.run.step.Client(s.free).Leave()
		s.left++
	}
	s.endWhenLeft()
}

func (s *PortableStep) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left++
	s.endWhenLeft()
}

func (s *PortableStep) endWhenLeft() {
	select {
	case <-s.over:
		return
	default:
	}
	if s.left < s.clients() {
		return
	}
	s.timer.Stop()
	close(s.over)
	<-s.sent
	steps := s.run.result()
	s.run.keep(steps)
	if len(steps) > 0 && !steps[0].Complete && steps[0].TooShort == nil && !s.run.step.Interrupted() {
		s.run.logger.Warnf("the step of %s is incomplete: not every client did its whole share within %s",
			report.Plural(int(s.spec.Clients), "client"), s.window)
	}
}
