package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// portableStep is a step of a sweep whose clients are VUs of one of k6's own executors.
type portableStep struct {
	sweep  *portableSweep
	spec   spec
	window time.Duration // how long it may take

	mu     sync.Mutex
	step   *measure.Step
	live   *liveMetrics
	cpu    *host.CPUMeter
	joined map[uint64]int // clients by the VU that each is
	free   int            // the next client that nobody is yet
	left   int
	abort  string        // why the test is to end; empty: it goes on
	over   chan struct{} // closed when all clients have left
	quiet  chan struct{} // closed when the metrics of its seconds are out
}

// portableClient is a VU that has joined a step.
type portableClient struct {
	session *k6glue.Session
	aborted func() string // why the test is to end; empty: it goes on
	leave   func()
}

// errTooLate is what a VU is told that comes when its step has ended.
var errTooLate = errors.New("this step has ended: give its steps more maxDuration")

// joinPortable makes the VU a client of the step that its scenario is; it returns nil when the
// scenario is none.
func joinPortable(vu modules.VU, results *results, metrics *sweepMetrics) (*portableClient, error) {
	ctx := vu.Context()
	scenario := lib.GetScenarioState(ctx)
	if scenario == nil {
		return nil, nil //nolint:nilnil // there is none, and that is no error here
	}
	s := portableStepOf(results, scenario.Name)
	if s == nil {
		return nil, nil //nolint:nilnil // see above
	}
	if err := s.sweep.begin(vu, results, metrics); err != nil {
		return nil, err
	}
	client, err := s.join(vu, scenario.StartTime)
	if err != nil {
		return nil, err
	}
	tap := k6glue.NewTap(vu.State(), s.sweep.config.failing())
	tap.Open()
	results.guard.Watch(tap)
	session := &k6glue.Session{
		Client: client, Op: s.sweep.config.op(s.spec), Ops: s.sweep.config.allowedOps(s.spec), Tags: s.spec.own(), Tap: tap,
	}
	session.Cut = func() { s.cut(context.Cause(ctx)) }
	uncut := context.AfterFunc(ctx, func() { // for what modules count
		defer crash.Contain("the end of a client")
		session.Cut()
	})
	forget := k6glue.Join(vu, session)

	return &portableClient{
		session: session,
		aborted: s.aborted,
		leave: func() {
			uncut()
			client.Leave()
			session.End()
			forget()
			results.guard.Forget(tap)
			tap.Close()
			s.leave()
		},
	}, nil
}

// cut is called when the context of a VU has ended: because its time was over, or because the test is.
func (s *portableStep) cut(why error) {
	if errors.Is(why, context.DeadlineExceeded) {
		s.step.Stop()
	}
	s.step.InterruptUnlessStopped()
}

// join returns the next client of the step. The first VU to come begins it.
func (s *portableStep) join(vu modules.VU, started time.Time) (*measure.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.step == nil {
		s.begin(vu, started)
	}
	id := vu.State().VUID
	if _, twice := s.joined[id]; twice {
		return nil, measure.ErrTwice
	}
	if s.free == s.clients() {
		return nil, errTooLate
	}
	s.joined[id] = s.free
	s.free++

	return s.step.Client(s.joined[id]), nil
}

// clients is how many there are in this instance's segment.
func (s *portableStep) clients() int { return int(s.spec.scaled(s.sweep.tuple)) }

func (s *portableStep) begin(vu modules.VU, started time.Time) {
	sweep := s.sweep
	s.joined = map[uint64]int{}
	s.cpu = host.NewCPUMeter(sweep.scenario.server())
	plan := sweep.config.plan(s.spec)
	plan.Part = isPart(sweep.tuple)
	s.step = measure.NewStep(s.clients(), plan, func(err error) { sweep.faults.tell(sweep.logger, err) })
	if sweep.config.OnError.String == onErrorCount && !sweep.succeeded.Load() {
		s.step.OnAllFail(s.allFail)
	}
	sweep.collector.Adjust()
	s.step.OnStart(func() {
		sweep.collector.Settle()
		s.cpu.Start()
	})
	s.step.OnEnd(s.cpu.Stop)
	s.live = sweep.scenario.live(s.spec.stream(), s.spec.own())
	s.over, s.quiet = make(chan struct{}), make(chan struct{})

	end := time.AfterFunc(time.Until(started.Add(s.window)), func() {
		defer crash.Contain("the end of a step")
		s.end()
	})
	go func() {
		defer crash.Contain("what watches a step")
		defer close(s.quiet)
		s.live.watch(s.step, s.over, func() {
			sweep.collector.Adjust()
			sweep.faults.flush(faultPatience)
		})
		end.Stop()
	}()
}

// allFail ends the test by way of the clients, once it is clear that none of them will succeed.
func (s *portableStep) allFail(err error, failures uint64) {
	s.sweep.faults.forget(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abort = allFail(s.clients(), err, failures).Reason
	s.step.Interrupt()
}

// aborted is why the test is to end; empty: it goes on.
func (s *portableStep) aborted() string {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.abort
}

func (s *portableStep) begun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.step != nil
}

// end ends the step when its time is over: VUs that never came are waited for no longer.
func (s *portableStep) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.step.Stop()
	if missing := s.clients() - s.free; missing > 0 {
		s.sweep.logger.Warnf("%d of %s never came to sweep.run", missing, report.Plural(s.clients(), "client"))
	}
	for ; s.free < s.clients(); s.free++ {
		s.step.Client(s.free).Leave()
		s.left++
	}
	s.endWhenLeft()
}

func (s *portableStep) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left++
	s.endWhenLeft()
}

func (s *portableStep) endWhenLeft() {
	select {
	case <-s.over:
		return
	default:
	}
	if s.left < s.clients() {
		return
	}
	close(s.over)
	<-s.quiet
	s.sweep.faults.flush(0)
	if s.step.AnySucceeded() {
		s.sweep.succeeded.Store(true)
		s.sweep.faults.hurry()
	}
	reading := s.step.Read()
	s.live.last(&reading)
	steps := s.sweep.add(s.spec, &reading, s.cpu.Spent())
	s.live.ended(steps)
	if !reading.Complete && !s.step.Interrupted() {
		s.sweep.logger.Warnf("the step of %s is incomplete: %s", report.Plural(int(s.spec.clients), "client"),
			cmp.Or(report.TooShort(steps), fmt.Sprintf("not every client did its whole share within %s", s.window)))
	}
}
