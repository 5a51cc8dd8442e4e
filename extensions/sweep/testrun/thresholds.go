package testrun

import (
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/thresholds"
)

// Watch sees to it that a test which has measured nothing does not pass. Each VU's module comes
// here, and the first one counts. missed returns the sweeps to which no client came.
func (r *Results) Watch(test *lib.TestPreInitState, missed func() []string) {
	r.testEnd.watched.Do(func() { r.watch(test, missed) })
}

// CheckThresholds refuses, before a sweep runs, the thresholds that k6 could not judge.
func (r *Results) CheckThresholds(sweep thresholds.Sweep, test *lib.TestRunState) error {
	return r.testEnd.thresholds.Check(sweep, test)
}

// AddStep makes a scenario of one of k6's own executors known as a step of a sweep.
func (r *Results) AddStep(scenario string, sweep thresholds.Sweep) {
	r.testEnd.thresholds.AddStep(scenario, sweep)
}
