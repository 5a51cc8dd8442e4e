package testrun

import (
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/thresholds"
)

// Watch fails a test that measured nothing. Each VU calls it; only the first call counts. missed
// returns the sweeps without clients.
func (r *Results) Watch(test *lib.TestPreInitState, missed func() []string) {
	r.testEnd.watched.Do(func() { r.watch(test, missed) })
}

// CheckThresholds returns an error, before a sweep runs, for thresholds that k6 could not judge.
func (r *Results) CheckThresholds(sweep thresholds.Sweep, test *lib.TestRunState) error {
	return r.testEnd.thresholds.Check(sweep, test)
}

// AddStep registers a scenario of one of k6's executors as a step of a sweep.
func (r *Results) AddStep(scenario string, sweep thresholds.Sweep) {
	r.testEnd.thresholds.AddStep(scenario, sweep)
}
