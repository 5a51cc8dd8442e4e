package executor

import (
	"context"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// ErrCutOff is for package executor_test.
var ErrCutOff = errCutOff

// AwaitRest waits for a server; it returns the report's Quiet and the texts of the progress bar.
func (e *Executor) AwaitRest(
	ctx context.Context, cpuTime func() (used time.Duration, known bool),
) (quiet *report.Quiet, shown []string) {
	e.progress, e.scenario = newProgress(e.config), e.results.NewScenario(testrun.Start{Name: "rollup"})
	e.awaitRest(ctx, cpuTime)
	_, shown = e.progress.read()

	return e.scenario.Report.Quiet, shown
}

// AwaitsQuiet reports whether a sweep may wait for its server.
func (e *Executor) AwaitsQuiet() bool { return e.awaitsQuiet() }
