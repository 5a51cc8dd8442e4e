package sweep

import (
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

// prepare makes ready what has to be before the first sample is sent. Each VU's module comes here,
// and each executor.
func (r *results) prepare(m *sweepMetrics, registry *metrics.Registry) {
	r.testEnd.prepare(m, registry)
}

// watch sees to it that a test which has measured nothing does not pass: see testEnd. Each VU's
// module comes here, and the first one counts. missed tells the sweeps to which no client came.
func (r *results) watch(m *sweepMetrics, test *lib.TestPreInitState, missed func() []string) {
	r.testEnd.watch(m, test, missed)
}

// checkThresholds tells before a sweep runs which threshold cannot hold, as far as that is known.
func (r *results) checkThresholds(sweep thresholdSweep, test *lib.TestRunState) error {
	return r.testEnd.judge.check(sweep, test)
}

// addStep makes a scenario of one of k6's own executors known as a step of a sweep.
func (r *results) addStep(scenario string, sweep thresholdSweep) {
	r.testEnd.judge.addStep(scenario, sweep)
}

// thresholdsIn are the outcomes of thresholds in what k6 gives to handleSummary.
func (r *results) thresholdsIn(data sobek.Value) []scenarioVerdict {
	return r.testEnd.judge.verdictsOf(data)
}
