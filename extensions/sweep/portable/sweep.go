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

	once     sync.Once
	refused  error
	scenario *testrun.Scenario
	results  *testrun.Results
	tuple    *lib.ExecutionTuple
	state    *lib.ExecutionState
	logger   logrus.FieldLogger

	faults    testrun.ErrorLog
	succeeded atomic.Bool // an operation has succeeded
	// before has the previous step, one entry for each kind of operation.
	before []report.Step
}

// steps maps scenarios to the steps of portable sweeps. The zero value is ready to use.
type steps struct {
	mu sync.Mutex
	of map[string]*Step
}

// add registers scenarios as a sweep's steps, and reports whether they are new: every VU calls it,
// only the first counts.
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

// StepOf returns the step of a scenario, or nil.
func StepOf(r *testrun.Results, scenario string) *Step {
	p := testrun.Shared[steps](r)
	p.mu.Lock()
	defer p.mu.Unlock()

	return p.of[scenario]
}

// StepInfoOf returns a scenario's result of sweep.step(), or nil.
func StepInfoOf(r *testrun.Results, scenario string) *k6glue.StepInfo {
	step := StepOf(r, scenario)
	if step == nil {
		return nil
	}
	info := step.sweep.config.Info(step.spec)

	return &info
}

// Without returns the portable sweeps that have no step among the scenarios.
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

// Missed returns the portable sweeps without clients.
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

// Refusal is why a sweep cannot begin: an invalid threshold, or a report that could not be written.
type Refusal struct{ error }

// begin begins the report when the first VU reaches its step. k6's executors offer no earlier
// moment to refuse the test.
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

// add adds a step to the report and returns it. watch is nil if the step has not begun.
func (s *Sweep) add(of options.Step, reading *measure.Reading, cpu report.CPUSeconds, watch *host.Watch) []report.Step {
	steps := report.NewSteps(reading, s.config.Asked(of), s.config.OpOf(of), cpu)
	watch.Annotate(steps, s.before)
	s.before = steps
	s.scenario.Add(steps)
	s.scenario.Save()

	return steps
}

// end closes and judges the report when all scenarios have ended. It adds an empty step if no
// client of this instance reached sweep.run.
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
			s.logger.Warnf("the step of %s is incomplete: no client called sweep.run",
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
