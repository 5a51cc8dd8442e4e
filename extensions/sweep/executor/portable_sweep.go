package executor

import (
	"context"
	"maps"
	"slices"
	"sync"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// portableSweep is a sweep whose steps are scenarios of k6's own executors.
type portableSweep struct {
	*sweepRun

	steps []*PortableStep

	once    sync.Once
	refused error
}

// portableSteps maps scenarios to the steps of portable sweeps. The zero value is ready to use.
type portableSteps struct {
	mu sync.Mutex
	of map[string]*PortableStep
}

// add registers scenarios as a sweep's steps, and reports whether they are new: every VU calls it,
// only the first counts.
func (p *portableSteps) add(scenarios map[string]*PortableStep) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string]*PortableStep{}
	}
	for name, step := range scenarios {
		if p.of[name] != nil {
			return false
		}
		p.of[name] = step
	}

	return true
}

// PortableStepOf returns the step that a VU's scenario is, or nil.
func PortableStepOf(ctx context.Context, r *testrun.Results) *PortableStep {
	scenario := lib.GetScenarioState(ctx)
	if scenario == nil {
		return nil
	}
	p := testrun.Shared[portableSteps](r)
	p.mu.Lock()
	defer p.mu.Unlock()

	return p.of[scenario.Name]
}

// Info returns the result of sweep.step().
func (s *PortableStep) Info() k6x.StepInfo { return s.sweep.config.Info(s.spec) }

// PortableWithout returns the portable sweeps that have no step among the scenarios.
func PortableWithout(r *testrun.Results, scenarios lib.ScenarioConfigs) []string {
	return portableWithout(r, func(name string, _ *PortableStep) bool {
		_, is := scenarios[name]

		return is
	})
}

// PortableMissed returns the portable sweeps without clients.
func PortableMissed(r *testrun.Results) []string {
	return portableWithout(r, func(_ string, step *PortableStep) bool { return step.sweep.state != nil })
}

// portableWithout returns the portable sweeps that have no step of a kind.
func portableWithout(r *testrun.Results, is func(name string, step *PortableStep) bool) (missing []string) {
	p := testrun.Shared[portableSteps](r)
	p.mu.Lock()
	defer p.mu.Unlock()
	has := map[string]bool{}
	for name, step := range p.of {
		has[step.sweep.config.Name] = has[step.sweep.config.Name] || is(name, step)
	}
	for _, name := range slices.Sorted(maps.Keys(has)) {
		if !has[name] {
			missing = append(missing, name)
		}
	}

	return missing
}

// Refusal is why a sweep cannot begin: an invalid threshold, or a report that could not be written.
type Refusal struct{ error }

// join begins the report when the first VU reaches its step. k6's executors offer no earlier moment
// to refuse the test.
func (s *portableSweep) join(vu modules.VU, metrics *stream.Metrics) error {
	s.once.Do(func() {
		s.metrics, s.state = metrics, lib.GetExecutionState(vu.Context())
		s.logger = s.state.Test.Logger.WithFields(nil)
		err := s.results.CheckThresholds(s.config, s.state.Test)
		if err == nil {
			host.SetGCPercent()
			params := s.config.Params(s.state.ExecutionTuple)
			params["portable"] = true
			err = s.begin(vu.State().Samples, params)
		}
		if err != nil {
			s.refused = Refusal{err}

			return
		}
		s.scenario.Await(vu.Events(), s.end)
	})

	return s.refused
}

// end closes and judges the report when all scenarios have ended. A step without a client in this
// instance is empty.
func (s *portableSweep) end() {
	for _, step := range s.steps {
		if step.clients() > 0 {
			step.end()
		}
	}
	s.finish(s.interrupted())
}

func (s *portableSweep) interrupted() bool {
	return s.state.GetCurrentExecutionStatus() == lib.ExecutionStatusInterrupted
}
