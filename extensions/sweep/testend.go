package sweep

import (
	"errors"
	"strconv"
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
)

// testEnd is what is left to be done when k6 has ended all scenarios: it still takes samples then.
// All scenarios with a report come to this one ending.
type testEnd struct {
	watched   sync.Once
	mu        sync.Mutex
	awaited   bool
	tasks     []func() // of scenarios, in the order in which they began
	scenarios []sweptScenario
	last      *k6glue.LastSample
	unheld    map[string]string // why thresholds cannot hold, by their names
}

// sweptScenario is a scenario that has a report, as the end of the test needs it.
type sweptScenario struct {
	report *report.Report
	// config is nil where k6's own executors run the scenario, and sweep.op counts its operations.
	config *Config
	// tags are those of all of the scenario's samples.
	tags *metrics.TagSet
	out  chan<- metrics.SampleContainer
	test *lib.ExecutionState
}

// prepare makes ready what has to be before the first sample is sent. Each VU's module comes here,
// and each executor.
func (e *testEnd) prepare(m *sweepMetrics, registry *metrics.Registry) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last == nil {
		e.last = k6glue.NewLastSample(m.incomplete, registry)
	}
}

// watch sees to it that no threshold on a sweep's metric holds in a test that has measured nothing:
// its script never came to sweep.op. k6 takes what has no samples for 0. Each VU's module comes
// here, and the first one counts.
//
// A portable sweep to which no client came says so, and does not exit with 0: nothing else of it would.
func (e *testEnd) watch(m *sweepMetrics, test *lib.TestPreInitState, missed func() []string) {
	e.watched.Do(func() {
		k6glue.AtExit(func(ran bool, failed error) {
			e.mu.Lock()
			measured := len(e.scenarios) > 0
			e.mu.Unlock()
			names := m.withThresholds()
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
func (e *testEnd) await(events common.Events, m *sweepMetrics, s sweptScenario, task func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.scenarios = append(e.scenarios, s)
	if task != nil {
		e.tasks = append(e.tasks, task)
	}
	if !e.awaited && events.Global != nil {
		e.awaited = true
		k6glue.OnTestEnd(events, func() { e.run(m) })
	}
}

// run does it: first what scenarios have asked for, and then the thresholds.
func (e *testEnd) run(m *sweepMetrics) {
	e.mu.Lock()
	tasks, scenarios := e.tasks, e.scenarios
	e.mu.Unlock()
	for _, task := range tasks {
		task()
	}
	if len(scenarios) > 0 {
		e.judge(m, scenarios)
	}
}

// judge sees to it that k6 judges by what was measured. k6 judges a Gauge by its last value, and
// takes a metric without samples for 0: the first becomes the worst, the second never holds.
func (e *testEnd) judge(m *sweepMetrics, scenarios []sweptScenario) {
	test := scenarios[0].test.Test
	thresholds := k6glue.ThresholdsOf(test.Options.Thresholds, test.Registry)
	if len(thresholds) == 0 || test.RuntimeOptions.NoThresholds.Bool {
		return
	}
	var judged []*judgedThresholds
	for _, t := range thresholds {
		if !ofAnotherSegment(t, scenarios) {
			judged = append(judged, judgeThresholds(t, scenarios))
		}
	}

	ended := time.Now()
	moment := func(scenario int) time.Time { return ended.Add(time.Duration(scenario + 1)) } // no other sample's
	e.last.Then(moment(len(scenarios)-1), func() {
		for _, j := range judged {
			err := j.settle(func(threshold *metrics.Threshold, why string) {
				test.Logger.Errorf("threshold %s '%s' cannot hold: %s", j.Name, threshold.Source, why)
				e.note(thresholdName(j.Metric.Name, threshold.Source), why)
			})
			if err != nil {
				test.Logger.Error(err)
			}
		}
	})
	for i, s := range scenarios { // no step of the scenario is incomplete but those that were told before
		m.push(s.out, metrics.Samples{{
			TimeSeries: metrics.TimeSeries{Metric: m.incomplete, Tags: s.tags}, Time: moment(i), Value: 0,
		}})
	}
}

func (e *testEnd) note(threshold, why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unheld == nil {
		e.unheld = map[string]string{}
	}
	e.unheld[threshold] = why
}

// whyUnheld tells why a threshold cannot hold.
func (e *testEnd) whyUnheld(threshold string) (why string, is bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	why, is = e.unheld[threshold]

	return why, is
}

// thresholdName is what reports call a threshold.
func thresholdName(metric, expression string) string { return metric + " " + expression }

// ofAnotherSegment tells whether the threshold is for a step of which other instances have all
// clients: they judge it.
func ofAnotherSegment(t k6glue.Thresholds, scenarios []sweptScenario) bool {
	tag, tagged := t.Tags.Get("clients")
	if !tagged {
		return false
	}
	elsewhere := false
	for i := range scenarios {
		s := &scenarios[i]
		if s.config == nil {
			continue
		}
		for _, n := range s.config.Clients {
			if strconv.FormatInt(n, 10) != tag {
				continue
			}
			if s.test.ExecutionTuple.ScaleInt64(n) > 0 {
				return false
			}
			elsewhere = true
		}
	}

	return elsewhere
}
