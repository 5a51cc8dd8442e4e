package sweep

import (
	"slices"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// markFailed marks a run in which operations have failed, so that k6 exits with 110 where it would with 0. It does not
// when they are allowed to fail, nor when a threshold judges them: then k6 exits with 99, or it was told that so many are
// right.
func (m *sweepMetrics) markFailed(scenario string, allowed bool, failed uint64, status *lib.TestStatus, logger logrus.FieldLogger) {
	if failed > 0 && !allowed {
		why := report.Plural(int(failed), "operation") + " failed: the run is marked as failed (allowFailed: true permits it)"
		m.mark(scenario, why, status, logger)
	}
}

// markFailing does the same at the first failed operation of sweep.op under k6's own executors,
// which have no option allowFailed.
func (m *sweepMetrics) markFailing(scenario string, status *lib.TestStatus, logger logrus.FieldLogger) {
	const why = "an operation has failed: the run is marked as failed (a threshold on " + metricFailed + " decides otherwise)"
	m.mark(scenario, why, status, logger)
}

func (m *sweepMetrics) mark(scenario, why string, status *lib.TestStatus, logger logrus.FieldLogger) {
	if status == nil || judged(m.failed, scenario) {
		return
	}
	logger.Error(why)
	status.MarkFailed()
}

// markIncomplete does the same for a run in which steps are incomplete.
func (m *sweepMetrics) markIncomplete(scenario string, incomplete bool, status *lib.TestStatus, logger logrus.FieldLogger) {
	if !incomplete || status == nil || judged(m.incomplete, scenario) {
		return
	}
	logger.Error("a step is incomplete: the run is marked as failed (a threshold on " + metricIncomplete + " decides otherwise)")
	status.MarkFailed()
}

// markNothingFound does the same for a search in which not even the lowest number keeps the bound. A
// threshold on what was to be found is crossed then, and decides.
func (m *sweepMetrics) markNothingFound(
	rep *report.Report, interrupted bool, status *lib.TestStatus, logger logrus.FieldLogger,
) {
	if rep.Search == nil || rep.Search.Found > 0 || interrupted || status == nil {
		return
	}
	logger.Errorf("the search has found nothing: %s The run is marked as failed", rep.FoundNote())
	status.MarkFailed()
}

// judged tells whether there is a threshold on a metric that sees all of a scenario's samples.
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

// allowsFailed tells whether the steps may have failed operations. A run in which nothing else
// happened shows nothing, unless it was to go on all the same.
func (c *Config) allowsFailed(steps []report.Step) bool {
	succeeded := slices.ContainsFunc(steps, func(s report.Step) bool { return s.Operations > 0 })

	return c.AllowFailed.Bool && (succeeded || c.OnError.String == onErrorContinue)
}

func failedIn(steps []report.Step) (failed uint64) {
	for i := range steps {
		failed += steps[i].Failed
	}

	return failed
}

func incompleteIn(steps []report.Step) bool {
	for i := range steps {
		if !steps[i].Complete {
			return true
		}
	}

	return false
}
