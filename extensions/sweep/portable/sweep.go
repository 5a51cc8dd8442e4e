package portable

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/fault"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/options"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// Sweep is a sweep whose steps are scenarios of k6's own executors.
type Sweep struct {
	config *options.Config
	steps  []*Step

	once sync.Once
	// refused is why the sweep does not begin.
	refused  error
	scenario *testrun.Scenario
	results  *testrun.Results
	tuple    *lib.ExecutionTuple
	state    *lib.ExecutionState
	logger   logrus.FieldLogger

	faults    fault.Log
	succeeded atomic.Bool // an operation has
	// before are the steps, one for each kind of operation, of the step that ended last.
	before []report.Step
}

// steps are the steps of a test run's portable sweeps, by the scenario that each is. The zero
// value is ready to use.
type steps struct {
	mu sync.Mutex
	of map[string]*Step
}

// add makes scenarios known as the steps of a sweep, and tells whether it is new: every VU of the
// run has the same options, and the first counts.
func (p *steps) add(scenarios map[string]*Step) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string]*Step{}
	}
	for name, step := range scenarios {
		if p.of[name] != nil {
			return false
		}
		p.of[name] = step
	}

	return true
}

// StepOf returns the step that a scenario of the test run is, or nil.
func StepOf(r *testrun.Results, scenario string) *Step {
	p := testrun.Shared[steps](r)
	p.mu.Lock()
	defer p.mu.Unlock()

	return p.of[scenario]
}

// StepInfoOf is what scripts are told of the step that a scenario of the test run is, or nil.
func StepInfoOf(r *testrun.Results, scenario string) *k6glue.StepInfo {
	step := StepOf(r, scenario)
	if step == nil {
		return nil
	}
	info := step.sweep.config.Info(step.spec)

	return &info
}

// Without are the portable sweeps of the test run that have no step among the scenarios.
func Without(r *testrun.Results, scenarios lib.ScenarioConfigs) (missing []string) {
	p := testrun.Shared[steps](r)
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

// Missed are the portable sweeps of the test run to which no client came.
func Missed(r *testrun.Results) (names []string) {
	p := testrun.Shared[steps](r)
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

// Refusal is why a sweep does not begin: a threshold cannot hold, or nobody could read its report.
type Refusal struct{ error }

// begin makes the report, when the first of all VUs comes to its step. k6's own executors make the
// steps' scenarios: there is no earlier moment at which the test could be refused.
func (s *Sweep) begin(vu modules.VU, results *testrun.Results, metrics *stream.Metrics) error {
	s.once.Do(func() {
		s.results, s.state = results, lib.GetExecutionState(vu.Context())
		s.logger, s.tuple = s.state.Test.Logger, s.state.ExecutionTuple
		if err := results.CheckThresholds(s.config, s.state.Test); err != nil {
			s.refused = Refusal{err}

			return
		}
		host.SetGCPercent()
		params := s.config.Params(s.tuple)
		params["portable"] = true
		scenario, err := results.Begin(testrun.Start{
			Name: s.config.Name, Params: params, Sweep: s.config,
			Tags: s.state.Test.RunTags.WithTagsFromMap(s.config.GetTags()).With("scenario", s.config.Name),
			Out:  vu.State().Samples, Metrics: metrics, Test: s.state, Logger: s.logger,
		})
		if err != nil {
			s.refused = Refusal{err}

			return
		}
		s.scenario = scenario
		scenario.Await(vu.Events(), s.end)
	})

	return s.refused
}

// add adds a step to the report, and returns it. watch is nil where the step has not begun.
func (s *Sweep) add(of options.Step, reading *measure.Reading, cpu report.CPUSeconds, watch *host.Watch) []report.Step {
	steps, err := report.NewSteps(reading, s.config.Asked(of), s.config.OpOf(of), cpu)
	if err != nil {
		s.logger.Error(err)
	}
	watch.Testify(steps, s.before)
	s.before = steps
	s.scenario.Add(steps)
	s.scenario.Save()

	return steps
}

// end closes the report when k6 has ended all scenarios, and judges it. A step in which this
// instance has clients, of whom none came as far as sweep.run, is there as well: with nothing done.
func (s *Sweep) end() {
	for _, step := range s.steps {
		if step.clients() == 0 {
			continue
		}
		if step.begun() {
			step.end()

			continue
		}
		reading := measure.Reading{}
		live := s.scenario.Live(step.spec.Stream(), step.spec.Tags())
		live.Last(&reading)
		if !s.interrupted() {
			s.logger.Warnf("the step of %s is incomplete: no client came to sweep.run",
				report.Plural(int(step.spec.Clients), "client"))
		}
		live.Ended(s.add(step.spec, &reading, report.CPUSeconds{}, nil))
	}
	all := s.scenario.Report.Steps
	s.scenario.MarkFailed(all, s.config.AllowFailed.Words(), s.config.AllowsFailed(all))
	if !s.interrupted() {
		s.scenario.MarkIncomplete(all)
	}
	s.scenario.End(s.interrupted())
}

func (s *Sweep) interrupted() bool {
	return s.state.GetCurrentExecutionStatus() == lib.ExecutionStatusInterrupted
}
