package portable

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/options"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// Step is a step of a sweep whose clients are VUs of one of k6's own executors.
type Step struct {
	sweep  *Sweep
	spec   options.Step
	window time.Duration

	mu   sync.Mutex
	step *measure.Step
	live *stream.Live
	cpu  *host.CPUMeter
	// watch records the step's bottleneck.
	watch *host.Watch
	// joined maps VUs to clients.
	joined map[uint64]int
	free   int
	left   int
	abort  string
	// over is closed when all clients have left.
	over chan struct{}
	// quiet is closed when all live metrics are sent.
	quiet chan struct{}
}

// Client is a VU that has joined a step.
type Client struct {
	Session *k6glue.Session
	Aborted func() string
	Leave   func()
}

// errTooLate is the error for a VU that comes after the end of its step.
var errTooLate = errors.New("this step has ended: give its steps more maxDuration")

// Join makes the VU a client of its scenario's step. It returns nil if the scenario is not a step.
func Join(vu modules.VU, results *testrun.Results, metrics *stream.Metrics) (*Client, error) {
	ctx := vu.Context()
	scenario := lib.GetScenarioState(ctx)
	if scenario == nil {
		return nil, nil //nolint:nilnil // not an error
	}
	s := StepOf(results, scenario.Name)
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
	tap := k6glue.NewTap(vu.State(), s.sweep.config.FailingSamples())
	tap.Open()
	results.Guard.Watch(tap)
	session := &k6glue.Session{
		Client: client, Op: s.sweep.config.OpOf(s.spec), Step: s.sweep.config.Info(s.spec),
		OpNames: s.sweep.config.AllowedOps(s.spec), Tags: s.spec.Tags(), Tap: tap,
		NoDuet: "portable: it needs the executor client-sweep",
	}
	session.Cut = func() { s.cut(context.Cause(ctx)) }
	uncut := context.AfterFunc(ctx, func() { // needed for the counters of modules
		defer crash.Contain("the end of a client")
		session.Cut()
	})
	forget := k6glue.Join(vu, session)

	return &Client{
		Session: session,
		Aborted: s.aborted,
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
func (s *Step) cut(why error) {
	if errors.Is(why, context.DeadlineExceeded) {
		s.step.Stop()
	}
	s.step.InterruptUnlessStopped()
}

func (s *Step) join(vu modules.VU, started time.Time) (*measure.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.step == nil {
		s.begin(started)
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

func (s *Step) clients() int { return int(s.spec.Scaled(s.sweep.tuple)) }

func (s *Step) begin(started time.Time) {
	sweep := s.sweep
	s.joined = map[uint64]int{}
	s.cpu = host.NewCPUMeter(sweep.scenario.Server())
	plan := sweep.config.Plan(s.spec)
	plan.Part = options.IsPart(sweep.tuple)
	s.step = measure.NewStep(s.clients(), plan, func(err error) { sweep.faults.Error(sweep.logger, err) })
	if sweep.config.OnError.String == options.OnErrorCount && !sweep.succeeded.Load() {
		s.step.OnAllFail(s.allFail)
	}
	s.watch = host.NewWatch(sweep.scenario.Server(), s.step.Ended)
	s.step.OnStart(func() {
		runtime.GC() // so that earlier garbage does not affect the measurement
		s.watch.Start()
		s.cpu.Start()
	})
	s.step.OnEnd(func() {
		s.cpu.Stop()
		s.watch.Stop()
	})
	s.live = sweep.scenario.Live(s.spec.Stream(), s.spec.Tags())
	s.over, s.quiet = make(chan struct{}), make(chan struct{})

	end := time.AfterFunc(time.Until(started.Add(s.window)), func() {
		defer crash.Contain("the end of a step")
		s.end()
	})
	go func() {
		defer crash.Contain("what watches a step")
		defer close(s.quiet)
		s.live.Watch(s.step, s.over, func() {
			sweep.faults.Flush(testrun.Patience)
			sweep.scenario.CheckServer()
		})
		end.Stop()
	}()
}

// allFail ends the test when it is clear that no client can succeed.
func (s *Step) allFail(err error, failures uint64) {
	s.sweep.faults.Forget(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abort = testrun.NewAllFailed(s.step, err, failures).Reason
	s.step.Interrupt()
}

func (s *Step) aborted() string {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.abort
}

func (s *Step) begun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.step != nil
}

// end ends the step after its time, without VUs that never came.
func (s *Step) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.step.Stop()
	if missing := s.clients() - s.free; missing > 0 {
		s.sweep.logger.Warnf("%d of %s never called sweep.run", missing, report.Plural(s.clients(), "client"))
	}
	for ; s.free < s.clients(); s.free++ {
		s.step.Client(s.free).Leave()
		s.left++
	}
	s.endWhenLeft()
}

func (s *Step) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left++
	s.endWhenLeft()
}

func (s *Step) endWhenLeft() {
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
	s.sweep.faults.Flush(0)
	if s.step.AnySucceeded() {
		s.sweep.succeeded.Store(true)
		s.sweep.faults.Immediate()
	}
	reading := s.step.Read()
	s.live.Last(&reading)
	steps := s.sweep.add(s.spec, &reading, s.cpu.Spent(), s.watch)
	s.live.Ended(steps)
	if !reading.Complete && !s.step.Interrupted() {
		why := fmt.Sprintf("not every client did its whole share within %s", s.window)
		if len(steps) > 0 && reading.TooShort != nil {
			why = steps[0].Flaw()
		}
		s.sweep.logger.Warnf("the step of %s is incomplete: %s", report.Plural(int(s.spec.Clients), "client"), why)
	}
}
