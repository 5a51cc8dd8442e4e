package thresholds

import (
	"sync"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Sweep is what the thresholds of a test have to know of a sweep's options.
type Sweep interface {
	// SampleTags are those that a metric's samples will have in the scenario; nil: there will be
	// none.
	SampleTags(metric string, runTags map[string]string) Tags
	// OpenLoop tells whether the steps of the sweep have rates.
	OpenLoop() bool
	// Searched names the tag whose value a search looks for; empty: the sweep is no search.
	Searched() string
	// StepClients are the clients of the sweep's steps, as far as they are known before the run.
	StepClients() []int64
}

// Scenario is a scenario that has a report.
type Scenario struct {
	Report *report.Report
	// Sweep is nil where k6's own executors run the scenario, and sweep.op counts its operations.
	Sweep Sweep
	// Tags are those of all of the scenario's samples.
	Tags *metrics.TagSet
	Test *lib.ExecutionState
}

// Judge judges the thresholds of a test run: before the run, as far as is known then, and
// at its end, by what was measured. The zero value is ready to use.
type Judge struct {
	mu sync.Mutex
	// steps are the sweeps whose steps are scenarios of k6's own executors, by those scenarios.
	steps map[string]Sweep
	// unheld says why thresholds cannot hold, by their names.
	unheld map[string]string
}

// AddStep makes a scenario of one of k6's own executors known as a step of a sweep.
func (j *Judge) AddStep(scenario string, sweep Sweep) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.steps == nil {
		j.steps = map[string]Sweep{}
	}
	j.steps[scenario] = sweep
}

// sweepOf returns the sweep of which a scenario is a step, or nil.
func (j *Judge) sweepOf(scenario string) Sweep {
	j.mu.Lock()
	defer j.mu.Unlock()

	return j.steps[scenario]
}

// AtEnd finds out what was measured of what the thresholds of the test are for, of scenarios of
// which there is at least one. It returns what makes k6 judge by that, for the goroutine that
// k6glue.LastSample calls from; nil: there are no thresholds. k6 judges a Gauge by its last value,
// and takes a metric without samples for 0: the first becomes the worst, the second never holds.
func (j *Judge) AtEnd(scenarios []*Scenario) func() {
	test := scenarios[0].Test.Test
	thresholds := k6glue.ThresholdsOf(test.Options.Thresholds, test.Registry)
	if len(thresholds) == 0 || test.RuntimeOptions.NoThresholds.Bool {
		return nil
	}
	var all []*judgedThresholds
	for _, t := range thresholds {
		if !ofAnotherSegment(t, scenarios) {
			all = append(all, j.measured(t, scenarios))
		}
	}

	return func() {
		for _, judged := range all {
			err := judged.settle(func(threshold *metrics.Threshold, why string) {
				test.Logger.Errorf("threshold %s '%s' cannot hold: %s", judged.Name, threshold.Source, why)
				j.note(thresholdName(judged.Metric.Name, threshold.Source), why)
			})
			if err != nil {
				test.Logger.Error(err)
			}
		}
	}
}

func (j *Judge) note(threshold, why string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.unheld == nil {
		j.unheld = map[string]string{}
	}
	j.unheld[threshold] = why
}

// whyUnheld tells why a threshold cannot hold.
func (j *Judge) whyUnheld(threshold string) (why string, is bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	why, is = j.unheld[threshold]

	return why, is
}

// thresholdName is what reports call a threshold.
func thresholdName(metric, expression string) string { return metric + " " + expression }
