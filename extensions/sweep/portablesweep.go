package sweep

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// portableSweep is a sweep whose steps are scenarios of k6's own executors.
type portableSweep struct {
	config *Config
	steps  []*portableStep

	once sync.Once
	// refused is why the sweep does not begin.
	refused  error
	scenario *sweptScenario
	results  *results
	tuple    *lib.ExecutionTuple
	state    *lib.ExecutionState
	logger   logrus.FieldLogger
	// collector is there from the first step on.
	collector *host.Collector
	// ended tells that k6 has ended all scenarios.
	ended atomic.Bool

	faults    faultLog
	succeeded atomic.Bool // an operation has
}

// portableSteps are the steps of a test run's portable sweeps, by the scenario that each is. The zero
// value is ready to use.
type portableSteps struct {
	mu sync.Mutex
	of map[string]*portableStep
}

// add makes scenarios known as the steps of a sweep, and tells whether it is new: every VU of the
// run has the same options, and the first counts.
func (p *portableSteps) add(scenarios map[string]*portableStep) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string]*portableStep{}
	}
	for name, step := range scenarios {
		if p.of[name] != nil {
			return false
		}
		p.of[name] = step
	}

	return true
}

// portableStepOf returns the step that a scenario of the test run is, or nil.
func portableStepOf(r *results, scenario string) *portableStep {
	p := shared[portableSteps](r)
	p.mu.Lock()
	defer p.mu.Unlock()

	return p.of[scenario]
}

// portableWithout are the portable sweeps of the test run that have no step among the scenarios.
func portableWithout(r *results, scenarios lib.ScenarioConfigs) (missing []string) {
	p := shared[portableSteps](r)
	p.mu.Lock()
	defer p.mu.Unlock()
	there := map[string]bool{}
	for name, step := range p.of {
		_, is := scenarios[name]
		there[step.sweep.config.Name] = there[step.sweep.config.Name] || is
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if !there[name] {
			missing = append(missing, name)
		}
	}

	return missing
}

// portableMissed are the portable sweeps of the test run to which no client came.
func portableMissed(r *results) (names []string) {
	p := shared[portableSteps](r)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, step := range p.of {
		name := step.sweep.config.Name
		if step.sweep.state == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)

	return names
}

// refusal is why a sweep does not begin: a threshold cannot hold, or nobody could read its report.
type refusal struct{ error }

// begin makes the report, when the first of all VUs comes to its step. k6's own executors make the
// steps' scenarios: there is no earlier moment at which the test could be refused.
func (s *portableSweep) begin(vu modules.VU, results *results, metrics *sweepMetrics) error {
	s.once.Do(func() {
		s.results, s.state = results, lib.GetExecutionState(vu.Context())
		s.logger, s.tuple = s.state.Test.Logger, s.state.ExecutionTuple
		if err := results.checkThresholds(s.config, s.state.Test); err != nil {
			s.refused = refusal{err}

			return
		}
		params := s.config.params(s.tuple)
		params["portable"] = true
		scenario, err := results.begin(scenarioStart{
			name: s.config.Name, params: params, sweep: s.config,
			tags: s.state.Test.RunTags.WithTagsFromMap(s.config.GetTags()).With("scenario", s.config.Name),
			out:  vu.State().Samples, metrics: metrics, test: s.state, logger: s.logger,
		})
		if err != nil {
			s.refused = refusal{err}

			return
		}
		s.scenario = scenario
		s.collector = host.TuneCollector()
		scenario.await(vu.Events(), s.end)
	})

	return s.refused
}

// add adds a step to the report, and returns it.
func (s *portableSweep) add(of spec, reading *measure.Reading, cpu report.CPUSeconds) []report.Step {
	steps, err := report.NewSteps(reading, s.config.asked(of), s.config.op(of), cpu)
	if err != nil {
		s.logger.Error(err)
	}
	s.scenario.add(steps)
	s.scenario.save()
	if s.ended.Load() {
		return steps // k6 has looked at the mark already; the thresholds that sweep.options has set decide
	}
	s.scenario.markFailed(steps, s.config.allowsFailed(steps))
	if !s.interrupted() {
		s.scenario.markIncomplete(steps)
	}

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
		live := s.scenario.live(step.spec.stream(), step.spec.own())
		live.last(&reading)
		if !s.interrupted() {
			s.logger.Warnf("the step of %s is incomplete: no client came to sweep.run",
				report.Plural(int(step.spec.clients), "client"))
		}
		live.ended(s.add(step.spec, &reading, report.CPUSeconds{}))
	}
	s.scenario.end(s.interrupted())
}

func (s *portableSweep) interrupted() bool {
	return s.state.GetCurrentExecutionStatus() == lib.ExecutionStatusInterrupted
}
