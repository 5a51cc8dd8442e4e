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

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// testEnd is the work after all scenarios have ended, while k6 still accepts samples.
type testEnd struct {
	watched sync.Once
	mu      sync.Mutex
	// awaited is set if k6 will call EndTest.
	awaited   bool
	ended     bool
	tasks     []func()
	scenarios []*Scenario
	judged    sync.Once
	verdicts  []report.Verdict
}

// Watch fails a test that measured nothing: thresholds without samples, gates of a scenario that
// did not run, or a portable sweep without clients, which missed returns. Each VU calls it; only
// the first call counts. It does nothing if something else ended the test, or in an execution
// segment without VUs.
func (r *Results) Watch(test *lib.TestPreInitState, missed func() []string) {
	r.testEnd.watched.Do(func() { r.watch(test, missed) })
}

func (r *Results) watch(test *lib.TestPreInitState, missed func() []string) {
	k6x.AtExit(func(ran bool, failed error) {
		if !ran || !toItsEnd(failed) || withoutVUs(test) {
			return
		}
		if sweeps := missed(); len(sweeps) > 0 {
			test.Logger.Errorf("no client called sweep.run, and a portable sweep measures nothing else (%s)",
				strings.Join(sweeps, ", "))
			k6x.FailExit(exitcodes.MarkedAsFailed)
		} else {
			r.judgeThresholds(test)
		}
		r.missGates(test.Logger)
	})
}

// withoutVUs reports whether the test had no VUs, as an execution segment may. Without k6's metrics
// it assumes some.
func withoutVUs(test *lib.TestPreInitState) bool {
	if test.RuntimeOptions.NoThresholds.Bool && test.RuntimeOptions.SummaryMode.String == "disabled" {
		return false
	}
	if iterations := test.Registry.Get(metrics.IterationsName); iterations != nil && !iterations.Sink.IsEmpty() {
		return false
	}
	vus := test.Registry.Get(metrics.VUsMaxName) // one sample a second

	return vus == nil || vus.Sink.Format(0)["value"] == 0
}

// toItsEnd reports whether a test ran to its end, even with crossed thresholds.
func toItsEnd(failed error) bool {
	var code errext.HasExitCode

	return failed == nil || errors.As(failed, &code) && code.ExitCode() == exitcodes.ThresholdsHaveFailed
}

// await registers a scenario, and an optional task, for the end of the test.
func (e *testEnd) await(events common.Events, s *Scenario, task func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.scenarios = append(e.scenarios, s)
	if task != nil {
		e.tasks = append(e.tasks, task)
	}
	if !e.awaited {
		e.awaited = true
		k6x.OnTestEnd(events, s.results.EndTest)
	}
}

// EndTest runs the tasks, then sends the samples for k6's thresholds.
func (r *Results) EndTest() {
	e := &r.testEnd
	e.mu.Lock()
	e.ended = true
	tasks, scenarios := e.tasks, e.scenarios
	e.mu.Unlock()
	for _, task := range tasks {
		task()
	}
	for _, s := range scenarios {
		if final := s.final(time.Now()); len(final) > 0 {
			s.Push(final)
		}
	}
}

func (e *testEnd) begun() bool {
	e.mu.Lock()
	defer e.mu.Unlock()

	return e.ended
}

// ThresholdVerdicts returns the results of k6's thresholds after k6 has judged them. A threshold
// that was judged without samples makes k6 exit with an error. There are no results if nothing was
// measured.
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
		scenarios := slices.Clone(e.scenarios)
		lasted := time.Duration(0)
		for _, s := range scenarios {
			lasted = s.Test.GetCurrentTestRunDuration()
		}
		e.mu.Unlock()
		var causes []string // each only once
		void := map[string][]string{}
		for _, v := range judgedThresholds(test.Registry, scenarios, lasted) {
			e.verdicts = append(e.verdicts, v.Verdict)
			if v.void == "" {
				continue
			}
			if void[v.void] == nil {
				causes = append(causes, v.void)
			}
			void[v.void] = append(void[v.void], v.Gate)
			k6x.FailExit(exitcodes.ThresholdsHaveFailed)
		}
		for _, cause := range causes {
			test.Logger.Errorf("threshold %s cannot hold: %s", strings.Join(void[cause], ", "), cause)
		}
	})

	return slices.Clone(e.verdicts)
}
