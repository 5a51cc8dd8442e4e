package sweep

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// portableStep is a step of a sweep whose clients are VUs of one of k6's own executors.
type portableStep struct {
	config *Config
	spec   spec
	slot   time.Duration
	last   bool // of the sweep

	mu      sync.Mutex
	results *results
	report  *report.Report
	step    *measure.Step
	live    *liveMetrics
	cpu     *cpuMeter
	logger  logrus.FieldLogger
	status  *lib.TestStatus
	clients int // of the step, in this instance's segment
	joined  int
	left    int
	over    chan struct{}
}

// errPortableOver is what a VU is told that comes to its step too late.
var errPortableOver = errors.New("the slot of this step is over; give its steps more maxDuration")

// plan makes a scenario known as a step of a sweep.
func (r *results) plan(scenario string, s *portableStep) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.portable == nil {
		r.portable = map[string]*portableStep{}
	}
	if r.portable[scenario] == nil { // every VU of the run has the same options
		r.portable[scenario] = s
	}
}

// portableSession returns the session of a VU whose scenario is a step, and what ends it; nil when the scenario is none.
func (m *module) portableSession(ctx context.Context) (*k6glue.Session, func(), error) {
	scenario := lib.GetScenarioState(ctx)
	if scenario == nil {
		return nil, nil, nil
	}
	m.results.mu.Lock()
	s := m.results.portable[scenario.Name]
	m.results.mu.Unlock()
	if s == nil {
		return nil, nil, nil
	}
	client, err := s.join(m.vu, m.results, m.metrics, scenario.StartTime)
	if err != nil {
		return nil, nil, err
	}
	session := &k6glue.Session{Client: client, Op: s.config.op(), Tags: s.spec.own()}
	forget := k6glue.Join(m.vu, session)

	return session, func() {
		client.Leave()
		session.End()
		forget()
		s.leave()
	}, nil
}

// join returns the next client of the step. The first VU to come begins it.
func (s *portableStep) join(
	vu modules.VU, results *results, m *sweepMetrics, started time.Time,
) (*measure.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.step == nil {
		s.begin(vu, results, m, started)
	}
	if s.joined == s.clients {
		return nil, errPortableOver
	}
	s.joined++

	return s.step.Client(s.joined - 1), nil
}

func (s *portableStep) begin(vu modules.VU, results *results, m *sweepMetrics, started time.Time) {
	state := lib.GetExecutionState(vu.Context())
	s.results, s.logger, s.status = results, state.Test.Logger, state.Test.TestStatus
	s.clients = int(s.spec.scaled(state.ExecutionTuple))
	s.report = results.portableReport(s.config, state.ExecutionTuple)
	s.cpu = newCPUMeter(results.serverProcess())
	s.step = measure.NewStep(s.clients, measure.Plan{
		Operations:       uint64(s.config.Iterations.Int64),
		Duration:         s.config.Duration.TimeDuration(),
		Warmup:           s.config.Warmup.TimeDuration(),
		WarmupOperations: uint64(s.config.WarmupIterations.Int64),
	}, func(err error) { logFault(s.logger, err) })
	s.step.OnStart(s.cpu.start)
	tags := state.Test.RunTags.WithTagsFromMap(s.config.GetTags()).
		With("scenario", s.config.Name).WithTagsFromMap(s.spec.own())
	s.live = newLiveMetrics(m, vu.State().Samples, tags)
	s.over = make(chan struct{})

	end := time.AfterFunc(time.Until(started.Add(s.slot)), s.cut)
	go func() {
		s.watch()
		end.Stop()
	}()
	k6glue.OnTestEnd(vu, s.cut)
}

// cut ends the step when its slot is over: VUs that never came are waited for no longer.
func (s *portableStep) cut() {
	s.step.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; s.joined < s.clients; s.joined++ {
		s.step.Client(s.joined).Leave()
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
	if s.left < s.clients {
		return
	}
	close(s.over)

	reading := s.step.Read()
	s.live.last(&reading)
	asked := report.Step{
		Clients: int(s.spec.clients), Repeat: s.spec.repeat, PerClient: uint64(s.config.Iterations.Int64),
	}
	steps, err := report.NewSteps(&reading, asked, s.config.op(), s.cpu.spent())
	if err != nil {
		s.logger.Error(err)
	}
	if !reading.Complete {
		s.logger.Warnf("the step of %s is incomplete: its slot of %s was too short",
			report.Plural(int(s.spec.clients), "client"), s.slot)
	}
	s.results.add(s.report, steps)
	if s.last {
		s.close()
	}
}

// close judges the sweep after its last step.
func (s *portableStep) close() {
	failed := s.results.finish(s.report, false)
	s.live.metrics.markFailed(s.config, failed, s.status, s.logger)
	s.live.push(s.live.metrics.gates(s.results.judge(s.report, s.logger), s.live.tags.Without("clients")))
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
