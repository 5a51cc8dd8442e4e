package testrun

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/thresholds"
)

// testEnd is what is left to be done when k6 has ended all scenarios: it still takes samples then.
// All scenarios with a report come to this one ending.
type testEnd struct {
	watched sync.Once
	mu      sync.Mutex
	// awaited reports whether k6 calls run when the test ends.
	awaited bool
	// ended reports whether k6 has ended all scenarios.
	ended bool
	// tasks are those of the scenarios, in the order in which they began.
	tasks      []func()
	scenarios  []*Scenario
	thresholds thresholds.Thresholds
	judged     sync.Once
	verdicts   []report.Verdict
}

// watch sees to it that a test which has measured nothing does not pass: a threshold without a
// sample, a gate of a scenario that did not run, and a portable sweep to which no client came. Each
// VU's module comes here, and the first one counts. A test that something else has ended says that
// alone, and the segment of a test in which nobody has work does not fail.
func (r *Results) watch(test *lib.TestPreInitState, missed func() []string) {
	k6glue.AtExit(func(ran bool, failed error) {
		if !ran || !toItsEnd(failed) || withoutVUs(test) {
			return
		}
		if sweeps := missed(); len(sweeps) > 0 {
			test.Logger.Errorf("no client came to sweep.run, and a portable sweep measures nothing else (%s)",
				strings.Join(sweeps, ", "))
			k6glue.FailExit(exitcodes.MarkedAsFailed)
		} else {
			r.judgeThresholds(test)
		}
		r.missGates(test.Logger)
	})
}

// withoutVUs reports whether the test had none, as an execution segment may. Where k6 counts
// nothing at all, it is taken to have some.
func withoutVUs(test *lib.TestPreInitState) bool {
	if test.RuntimeOptions.NoThresholds.Bool && test.RuntimeOptions.SummaryMode.String == "disabled" {
		return false
	}
	if iterations := test.Registry.Get(metrics.IterationsName); iterations != nil && !iterations.Sink.IsEmpty() {
		return false
	}
	vus := test.Registry.Get(metrics.VUsMaxName) // a sample a second

	return vus == nil || vus.Sink.Format(0)["value"] == 0
}

// toItsEnd reports whether a test has come to its end, also where thresholds are crossed.
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
	if !e.awaited {
		e.awaited = true
		k6glue.OnTestEnd(events, e.run)
	}
}

// run does it: first what scenarios have asked for, and then the samples that k6 is to judge.
func (e *testEnd) run() {
	e.mu.Lock()
	e.ended = true
	tasks, scenarios := e.tasks, e.scenarios
	e.mu.Unlock()
	for _, task := range tasks {
		task()
	}
	for _, s := range scenarios {
		if final := s.Final(s.metrics, time.Now()); len(final) > 0 {
			s.Push(final)
		}
	}
}

// begun reports whether k6 has ended all scenarios.
func (e *testEnd) begun() bool {
	e.mu.Lock()
	defer e.mu.Unlock()

	return e.ended
}

// ThresholdVerdicts returns the outcomes of k6's own thresholds, once k6 has judged them. A test
// with a threshold that k6 has judged on nothing does not exit with 0. Of a test that has measured
// nothing there are none: how it ends says whether that is a failure.
func (r *Results) ThresholdVerdicts(test *lib.TestPreInitState) []report.Verdict {
	e := &r.testEnd
	e.mu.Lock()
	nothing := len(e.scenarios) == 0
	e.mu.Unlock()
	if nothing {
		return nil
	}

	return r.judgeThresholds(test)
}

func (r *Results) judgeThresholds(test *lib.TestPreInitState) []report.Verdict {
	e := &r.testEnd
	e.judged.Do(func() {
		e.mu.Lock()
		scenarios := make([]*thresholds.Scenario, len(e.scenarios))
		lasted := time.Duration(0)
		for i, s := range e.scenarios {
			scenarios[i], lasted = &s.Scenario, s.Test.GetCurrentTestRunDuration()
		}
		e.mu.Unlock()
		var causes []string // each is said once
		void := map[string][]string{}
		for _, v := range thresholds.Judged(test.Registry, scenarios, lasted) {
			e.verdicts = append(e.verdicts, v.Verdict)
			if v.Void == "" {
				continue
			}
			if void[v.Void] == nil {
				causes = append(causes, v.Void)
			}
			void[v.Void] = append(void[v.Void], v.Gate)
			k6glue.FailExit(exitcodes.ThresholdsHaveFailed)
		}
		for _, cause := range causes {
			test.Logger.Errorf("threshold %s cannot hold: %s", strings.Join(void[cause], ", "), cause)
		}
	})

	return slices.Clone(e.verdicts)
}
