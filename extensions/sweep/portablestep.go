package sweep

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// portableStep is a step of a sweep whose clients are VUs of one of k6's own executors.
type portableStep struct {
	sweep *portableSweep
	spec  spec
	slot  time.Duration

	mu      sync.Mutex
	step    *measure.Step
	live    *liveMetrics
	cpu     *cpuMeter
	clients int // of the step, in this instance's segment
	joined  int
	left    int
	over    chan struct{} // closed when all clients have left
}

// errPortableOver is what a VU is told that comes to its step too late.
var errPortableOver = errors.New("the slot of this step is over; give its steps more maxDuration")

// portableSession returns the session of a VU whose scenario is a step, and what ends it; nil when the scenario is none.
func (m *module) portableSession(ctx context.Context) (*k6glue.Session, func(), error) {
	scenario := lib.GetScenarioState(ctx)
	if scenario == nil {
		return nil, nil, nil
	}
	s := m.results.portableStep(scenario.Name)
	if s == nil {
		return nil, nil, nil
	}
	s.sweep.begin(m)
	client, err := s.join(m.vu, scenario.StartTime)
	if err != nil {
		return nil, nil, err
	}
	session := &k6glue.Session{Client: client, Op: s.sweep.config.op(), Tags: s.spec.own()}
	forget := k6glue.Join(m.vu, session)

	return session, func() {
		client.Leave()
		session.End()
		forget()
		s.leave()
	}, nil
}

// join returns the next client of the step. The first VU to come begins it.
func (s *portableStep) join(vu modules.VU, started time.Time) (*measure.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.step == nil {
		s.begin(vu, started)
	}
	if s.joined == s.clients {
		return nil, errPortableOver
	}
	s.joined++

	return s.step.Client(s.joined - 1), nil
}

func (s *portableStep) begin(vu modules.VU, started time.Time) {
	sweep, c := s.sweep, s.sweep.config
	state := lib.GetExecutionState(vu.Context())
	s.clients = int(s.spec.scaled(state.ExecutionTuple))
	s.cpu = newCPUMeter(sweep.results.serverProcess())
	s.step = measure.NewStep(s.clients, measure.Plan{
		Operations:       uint64(c.Iterations.Int64),
		Duration:         c.Duration.TimeDuration(),
		Warmup:           c.Warmup.TimeDuration(),
		WarmupOperations: uint64(c.WarmupIterations.Int64),
	}, func(err error) { logFault(sweep.logger, err) })
	s.step.OnStart(s.cpu.start)
	s.live = newLiveMetrics(sweep.metrics, vu.State().Samples, sweep.tags.WithTagsFromMap(s.spec.own()))
	s.over = make(chan struct{})

	end := time.AfterFunc(time.Until(started.Add(s.slot)), func() { s.cut() })
	go func() {
		s.watch()
		end.Stop()
	}()
}

// cut ends the step when its slot is over: VUs that never came are waited for no longer. It returns false when the step has not
// begun.
func (s *portableStep) cut() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.step == nil {
		return false
	}
	s.step.Stop()
	for ; s.joined < s.clients; s.joined++ {
		s.step.Client(s.joined).Leave()
		s.left++
	}
	s.endWhenLeft()

	return true
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
	if s.left < s.clients {
		return
	}
	close(s.over)

	s.report()
}

// report adds the step to the sweep's report.
func (s *portableStep) report() {
	sweep, c := s.sweep, s.sweep.config
	reading := s.step.Read()
	s.live.last(&reading)
	asked := report.Step{
		Clients: int(s.spec.clients), Repeat: s.spec.repeat, PerClient: uint64(c.Iterations.Int64),
	}
	steps, err := report.NewSteps(&reading, asked, c.op(), s.cpu.spent())
	if err != nil {
		sweep.logger.Error(err)
	}
	if !reading.Complete {
		sweep.logger.Warnf("the step of %s is incomplete: its slot of %s was too short",
			report.Plural(int(s.spec.clients), "client"), s.slot)
	}
	sweep.results.add(sweep.report, steps)
	sweep.metrics.markFailed(c, failedIn(steps), sweep.status, sweep.logger)
}

// watch sends the metrics of every second in which the step is measured.
func (s *portableStep) watch() {
	ticker := time.NewTicker(liveEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.over:
			return
		case at := <-ticker.C:
			if s.step.Started() {
				reading := s.step.Read()
				s.live.tick(at, &reading)
			}
		}
	}
}
