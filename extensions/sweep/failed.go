package sweep

import (
	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// markFailed marks a run in which operations have failed, so that k6 exits with 110 where it would with 0. It does not
// when the scenario allows them, nor when there is a threshold on them: then that decides, and k6 exits with 99.
func (m *sweepMetrics) markFailed(c *Config, failed uint64, status *lib.TestStatus, logger logrus.FieldLogger) {
	judged := len(m.failed.Thresholds.Thresholds) > 0 || len(m.failed.Submetrics) > 0
	if failed == 0 || c.AllowFailed.Bool || judged || status == nil {
		return
	}
	logger.Errorf("%s failed: the run is marked as failed (allowFailed: true permits it)",
		report.Plural(int(failed), "operation"))
	status.MarkFailed()
}

func failedIn(steps []report.Step) (failed uint64) {
	for i := range steps {
		failed += steps[i].Failed
	}

	return failed
}
