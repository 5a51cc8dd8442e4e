package sweep

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// portableSweep is a sweep whose steps are scenarios of k6's own executors.
type portableSweep struct {
	config *Config
	steps  []*portableStep

	once      sync.Once
	refused   error // why it does not begin
	results   *results
	metrics   *sweepMetrics
	report    *report.Report
	out       chan<- metrics.SampleContainer
	tags      *metrics.TagSet
	tuple     *lib.ExecutionTuple
	state     *lib.ExecutionState
	logger    logrus.FieldLogger
	collector *host.Collector // from the first step on
	ended     atomic.Bool     // k6 has ended all scenarios

	faults    faultLog
	succeeded atomic.Bool // an operation has
}

// addPortable makes scenarios known as the steps of a sweep. Every VU of the run has the same options: the first counts.
func (r *results) addPortable(scenarios map[string]*portableStep) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.portable == nil {
		r.portable = map[string]*portableStep{}
	}
	for name, step := range scenarios {
		if r.portable[name] != nil {
			return
		}
		r.portable[name] = step
	}
}

// missedSweeps are the portable sweeps to which no client came.
func (r *results) missedSweeps() (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, step := range r.portable {
		name := step.sweep.config.Name
		if step.sweep.state == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)

	return names
}

// portableStep returns the step that a scenario is, or nil.
func (r *results) portableStep(scenario string) *portableStep {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.portable[scenario]
}

// refusal is why a sweep does not begin: a threshold cannot hold, or nobody could read its report.
type refusal struct{ error }

// begin makes the report, when the first of all VUs comes to its step. k6's own executors make the
// steps' scenarios: there is no earlier moment at which the test could be refused.
func (s *portableSweep) begin(m *module) error {
	s.once.Do(func() {
		s.results, s.metrics = m.results, m.metrics
		s.state = lib.GetExecutionState(m.vu.Context())
		if err := s.results.checkThresholds(s.config, s.state.Test); err != nil {
			s.refused = refusal{err}

			return
		}
		s.logger, s.tuple, s.out = s.state.Test.Logger, s.state.ExecutionTuple, m.vu.State().Samples
		s.tags = s.state.Test.RunTags.WithTagsFromMap(s.config.GetTags()).With("scenario", s.config.Name)
		params := s.config.params(s.tuple)
		params["portable"] = true
		s.report = s.results.begin(s.config.Name, params)
		if err := s.results.keepReport(s.report, s.state.Test); err != nil {
			s.results.forget(s.report)
			s.refused = refusal{err}

			return
		}
		s.collector = host.TuneCollector()
		s.results.testEnd.await(m.vu.Events(), m.metrics,
			sweptScenario{report: s.report, config: s.config, tags: s.tags, out: s.out, test: s.state}, s.end)
	})

	return s.refused
}

// add adds a step to the report, and returns it.
func (s *portableSweep) add(of spec, reading *measure.Reading, cpu report.CPUSeconds) []report.Step {
	c, status := s.config, s.state.Test.TestStatus
	steps, err := report.NewSteps(reading, c.asked(of), c.op(of), cpu)
	if err != nil {
		s.logger.Error(err)
	}
	s.results.add(s.report, steps)
	s.results.journal(s.report, false, s.state.Test)
	if s.ended.Load() {
		return steps // k6 has looked at the mark already; the thresholds that sweep.options has set decide
	}
	s.metrics.markFailed(c.Name, c.allowsFailed(steps), failedIn(steps), status, s.logger)
	s.metrics.markIncomplete(c.Name, incompleteIn(steps) && !s.interrupted(), status, s.logger)

	return steps
}

// end closes the report when k6 has ended all scenarios, and judges it. A step in which this instance has clients, of
// whom none came as far as sweep.run, is there as well: with nothing done.
func (s *portableSweep) end() {
	defer s.collector.Restore()
	s.ended.Store(true)
	for _, step := range s.steps {
		if step.clients() == 0 {
			continue
		}
		if step.begun() {
			step.end()

			continue
		}
		reading := measure.Reading{}
		live := newLiveMetrics(s.metrics, s.out, s.tags.WithTagsFromMap(step.spec.own()), s.results.step(s.report, step.spec))
		live.last(&reading)
		if !s.interrupted() {
			s.logger.Warnf("the step of %s is incomplete: no client came to sweep.run",
				report.Plural(int(step.spec.clients), "client"))
		}
		live.ended(s.add(step.spec, &reading, report.CPUSeconds{}))
	}
	s.results.finish(s.report, s.interrupted())
	s.metrics.push(s.out, s.metrics.gates(s.results.judge(s.report, s.logger), s.tags))
	s.results.journal(s.report, true, s.state.Test)
}

func (s *portableSweep) interrupted() bool {
	return s.state.GetCurrentExecutionStatus() == lib.ExecutionStatusInterrupted
}
