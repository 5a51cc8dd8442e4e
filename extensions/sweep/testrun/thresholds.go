package testrun

import (
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/thresholds"
)

// Prepare makes ready what has to be before the first sample is sent. Each VU's module comes here,
// and each executor.
func (r *Results) Prepare(m *stream.Metrics, registry *metrics.Registry) {
	r.testEnd.prepare(m, registry)
}

// Watch sees to it that a test which has measured nothing does not pass: see testEnd. Each VU's
// module comes here, and the first one counts. missed tells the sweeps to which no client came.
func (r *Results) Watch(m *stream.Metrics, test *lib.TestPreInitState, missed func() []string) {
	r.testEnd.watch(m, test, missed)
}

// CheckThresholds tells before a sweep runs which threshold cannot hold, as far as that is known.
func (r *Results) CheckThresholds(sweep thresholds.Sweep, test *lib.TestRunState) error {
	return r.testEnd.judge.Check(sweep, test)
}

// AddStep makes a scenario of one of k6's own executors known as a step of a sweep.
func (r *Results) AddStep(scenario string, sweep thresholds.Sweep) {
	r.testEnd.judge.AddStep(scenario, sweep)
}

// ThresholdsIn are the outcomes of thresholds in what k6 gives to handleSummary.
func (r *Results) ThresholdsIn(data sobek.Value) []report.Verdict {
	return r.testEnd.judge.VerdictsOf(data)
}
