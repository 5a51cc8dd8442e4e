package testrun

import (
	"errors"
	"strings"
	"sync"
	"time"

	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/thresholds"
)

// testEnd is what is left to be done when k6 has ended all scenarios: it still takes samples then.
// All scenarios with a report come to this one ending.
type testEnd struct {
	watched sync.Once
	mu      sync.Mutex
	// awaited tells that k6 calls run when the test ends.
	awaited bool
	// ended tells that k6 has ended all scenarios.
	ended bool
	// tasks are those of the scenarios, in the order in which they began.
	tasks     []func()
	scenarios []*Scenario
	last      *k6glue.LastSample
	judge     thresholds.Judge
}

// prepare makes ready what has to be before the first sample is sent. Each VU's module comes here,
// and each executor.
func (e *testEnd) prepare(m *stream.Metrics, registry *metrics.Registry) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last == nil {
		e.last = k6glue.NewLastSample(m.Incomplete, registry)
		k6glue.ExactRate(m.Failed, m.Ops, registry, func(tags *metrics.TagSet) bool {
			outcome, _ := tags.Get(stream.TagOutcome)

			return outcome == stream.OutcomeFailed
		})
	}
}

// watch sees to it that no threshold on a sweep's metric holds in a test that has measured nothing:
// its script never came to sweep.op. k6 takes what has no samples for 0. Each VU's module comes
// here, and the first one counts.
//
// A portable sweep to which no client came says so, and does not exit with 0: nothing else of it
// would.
func (e *testEnd) watch(m *stream.Metrics, test *lib.TestPreInitState, missed func() []string) {
	e.watched.Do(func() {
		k6glue.AtExit(func(ran bool, failed error) {
			e.mu.Lock()
			measured := len(e.scenarios) > 0
			e.mu.Unlock()
			names := m.WithThresholds()
			idle := true // an execution segment may have no VU at all
			if iterations := test.Registry.Get(metrics.IterationsName); iterations != nil {
				idle = iterations.Sink.IsEmpty()
			}
			if sweeps := missed(); ran && !idle && toItsEnd(failed) && len(sweeps) > 0 {
				test.Logger.Errorf("no client came to sweep.run, and a portable sweep measures nothing else (%s)",
					strings.Join(sweeps, ", "))
				if failed == nil {
					k6glue.FailExit(exitcodes.MarkedAsFailed)
				}
			}
			if !ran || failed != nil || measured || idle || len(names) == 0 || test.RuntimeOptions.NoThresholds.Bool {
				return
			}
			test.Logger.Errorf("thresholds on %s cannot hold: no operation was measured", strings.Join(names, ", "))
			k6glue.FailExit(exitcodes.ThresholdsHaveFailed)
		})
	})
}

// toItsEnd tells whether a test has come to its end, also where thresholds are crossed.
func toItsEnd(failed error) bool {
	var code errext.HasExitCode

	return failed == nil || errors.As(failed, &code) && code.ExitCode() == exitcodes.ThresholdsHaveFailed
}

// await adds a scenario, and a task of its own for the end of the test, which may be nil.
func (e *testEnd) await(events common.Events, s *Scenario, task func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.scenarios = append(e.scenarios, s)
	if task != nil {
		e.tasks = append(e.tasks, task)
	}
	if !e.awaited && events.Global != nil {
		e.awaited = true
		k6glue.OnTestEnd(events, e.run)
	}
}

// run does it: first what scenarios have asked for, and then the thresholds.
func (e *testEnd) run() {
	e.mu.Lock()
	e.ended = true
	tasks, scenarios := e.tasks, e.scenarios
	e.mu.Unlock()
	for _, task := range tasks {
		task()
	}
	if len(scenarios) > 0 {
		e.judgeThresholds(scenarios)
	}
}

// begun tells that k6 has ended all scenarios.
func (e *testEnd) begun() bool {
	e.mu.Lock()
	defer e.mu.Unlock()

	return e.ended
}

// judgeThresholds sees to it that k6 judges the thresholds by what was measured, once it has taken
// the last sample.
func (e *testEnd) judgeThresholds(scenarios []*Scenario) {
	measured := make([]*thresholds.Scenario, len(scenarios))
	for i, s := range scenarios {
		measured[i] = &s.Scenario
	}
	judge := e.judge.AtEnd(measured)
	if judge == nil {
		return
	}

	ended := time.Now()
	moment := func(scenario int) time.Time { return ended.Add(time.Duration(scenario + 1)) } // no other sample's
	e.last.Then(moment(len(scenarios)-1), judge)
	for i, s := range scenarios {
		s.pushZero(moment(i))
	}
}

// lasted is how long the test has lasted.
func (e *testEnd) lasted() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.scenarios) == 0 {
		return 0
	}

	return e.scenarios[0].Test.GetCurrentTestRunDuration()
}
