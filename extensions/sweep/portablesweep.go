package sweep

import (
	"sync"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// portableSweep is a sweep whose steps are scenarios of k6's own executors.
type portableSweep struct {
	config *Config
	steps  []*portableStep

	once    sync.Once
	results *results
	metrics *sweepMetrics
	report  *report.Report
	out     chan<- metrics.SampleContainer
	tags    *metrics.TagSet
	tuple   *lib.ExecutionTuple
	logger  logrus.FieldLogger
	status  *lib.TestStatus
}

// plan makes the scenarios known as the steps of a sweep. Every VU of the run has the same options: the first counts.
func (r *results) plan(sweep *portableSweep, scenarios map[string]*portableStep) {
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
		sweep.steps = append(sweep.steps, step)
	}
}

// portableStep returns the step that a scenario is, or nil.
func (r *results) portableStep(scenario string) *portableStep {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.portable[scenario]
}

// begin makes the report, when the first of all VUs comes to its step.
func (s *portableSweep) begin(m *module) {
	s.once.Do(func() {
		state := lib.GetExecutionState(m.vu.Context())
		s.results, s.metrics = m.results, m.metrics
		s.logger, s.status = state.Test.Logger, state.Test.TestStatus
		s.tuple, s.out = state.ExecutionTuple, m.vu.State().Samples
		s.tags = state.Test.RunTags.WithTagsFromMap(s.config.GetTags()).With("scenario", s.config.Name)
		params := s.config.params(s.tuple)
		params["portable"] = true
		s.report = s.results.begin(s.config.Name, params)
		k6glue.OnTestEnd(m.vu, s.end)
	})
}

// end closes the report when k6 has ended all scenarios, and judges it. It was interrupted when a step in which this
// instance has clients has not begun.
func (s *portableSweep) end() {
	interrupted := false
	for _, step := range s.steps {
		if step.spec.scaled(s.tuple) > 0 && !step.cut() {
			interrupted = true
		}
	}
	s.results.finish(s.report, interrupted)
	s.metrics.push(s.out, s.metrics.gates(s.results.judge(s.report, s.logger), s.tags))
}
