package executor

import (
	"context"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// ErrCutOff is for the tests in package executor_test.
var ErrCutOff = errCutOff

// AwaitRest waits for a server, and returns what the report says of it and what the progress bar
// has shown.
func (e *Executor) AwaitRest(
	ctx context.Context, cpuTime func() (used time.Duration, known bool),
) (quiet *report.Quiet, shown []string) {
	r := &sweepRun{
		Executor: e, progress: newProgress(e.config), scenario: e.results.NewScenario(testrun.Start{Name: "rollup"}),
	}
	r.awaitRest(ctx, cpuTime)
	_, shown = r.progress.read()

	return r.scenario.Report.Quiet, shown
}

// AwaitsQuiet tells whether a sweep may wait for its target.
func (e *Executor) AwaitsQuiet() bool { return (&sweepRun{Executor: e}).awaitsQuiet() }
