package testrun

import (
	"slices"

	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// MarkFailed makes k6 exit with 110 instead of 0 if operations failed, unless failures are allowed
// or a threshold judges them. permits names the option that allows more.
func (s *Scenario) MarkFailed(steps []report.Step, permits string, allowed bool) {
	if failed := failedIn(steps); failed > 0 && !allowed {
		s.mark(s.metrics.Failed, report.Plural(int(failed), "operation")+
			" failed: the run is marked as failed ("+permits+")")
	}
}

// MarkIncomplete marks a run with incomplete steps.
func (s *Scenario) MarkIncomplete(steps []report.Step) {
	if slices.ContainsFunc(steps, func(s report.Step) bool { return !s.Complete }) {
		s.mark(s.metrics.Incomplete,
			"a step is incomplete: the run is marked as failed (a threshold on "+stream.MetricIncomplete+" decides otherwise)")
	}
}

func (s *Scenario) mark(metric *metrics.Metric, why string) {
	if s.Test.Test.TestStatus == nil || judged(metric, s.Report.Scenario) {
		return
	}
	s.logger.Error(why)
	s.failRun()
}

// failRun makes k6 exit with 110 instead of 0. For a portable sweep this happens when all scenarios
// have ended, because k6 then ignores the test's status.
func (s *Scenario) failRun() {
	if s.results.testEnd.begun() {
		k6x.FailExit(exitcodes.MarkedAsFailed)

		return
	}
	s.Test.Test.TestStatus.MarkFailed()
}

// MarkNothingFound marks a run whose search found nothing, unless a threshold judges the result.
func (s *Scenario) MarkNothingFound() {
	if s.Report.Search == nil || s.Report.Search.Found > 0 || s.Test.Test.TestStatus == nil {
		return
	}
	s.logger.Errorf("the search has found nothing: %s The run is marked as failed", s.Report.FoundNote())
	s.failRun()
}

func judged(metric *metrics.Metric, scenario string) bool {
	if len(metric.Thresholds.Thresholds) > 0 {
		return true
	}
	for _, sub := range metric.Submetrics {
		tags := sub.Tags.Map()
		if len(sub.Metric.Thresholds.Thresholds) > 0 && len(tags) == 1 && tags["scenario"] == scenario {
			return true
		}
	}

	return false
}

func failedIn(steps []report.Step) (failed uint64) {
	for i := range steps {
		failed += steps[i].Failed
	}

	return failed
}
