package executor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/options"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// Executor runs the steps of a sweep one after the other.
type Executor struct {
	*executor.BaseExecutor

	config     *options.Config
	state      *lib.ExecutionState
	metrics    *stream.Metrics
	results    *testrun.Results
	iterations *iterations
	logger     *logrus.Entry
}

var _ lib.Executor = &Executor{}

// Run runs the sweep. It returns an error if the script aborted the test, or if k6 could not
// provide VUs.
func (e *Executor) Run(ctx context.Context, out chan<- metrics.SampleContainer) error {
	if ended, known := e.results.Done(e.config.Name); known {
		defer close(ended)
	}
	if err := e.wait(ctx); err != nil {
		return err
	}
	inProcess.begun.Store(true)
	if others := e.results.Running(e.config.Name); len(others) > 0 {
		e.logger.Warnf("%s sweeps while %s does: each disturbs what the other measures; after: '%s' lets it wait",
			e.config.Name, strings.Join(others, ", "), others[0])
	}
	progress := newProgress(e.config)
	k6glue.SetProgress(e.GetProgress(), progress.read, k6glue.StatusRunning)
	ctx = lib.WithScenarioState(ctx, &lib.ScenarioState{
		Name: e.config.Name, Executor: options.ExecutorType, StartTime: time.Now(), ProgressFn: progress.read,
	})
	scenario, err := e.results.Begin(testrun.Start{
		Name: e.config.Name, Params: e.config.Params(e.state.ExecutionTuple), Sweep: e.config,
		Tags: e.tags(), Out: out, Metrics: e.metrics, Test: e.state, Logger: e.logger,
	})
	if err != nil {
		return err
	}
	run := &sweepRun{Executor: e, scenario: scenario, progress: progress}
	run.awaitTestEnd()

	err = run.steps(ctx)

	interrupted := ctx.Err() != nil || err != nil
	run.finish(interrupted)
	status := k6glue.StatusDone
	if interrupted {
		status = k6glue.StatusInterrupted
	}
	k6glue.SetProgress(e.GetProgress(), progress.frozen(), status)

	return err
}

func (e *Executor) wait(ctx context.Context) error {
	if !e.config.After.Valid {
		return nil
	}
	ended, known := e.results.Done(e.config.After.String)
	if !known || e.config.After.String == e.config.Name {
		return invalid(fmt.Errorf("scenario %q: after must name another scenario with the executor '%s', but is %q",
			e.config.Name, options.ExecutorType, e.config.After.String))
	}
	select {
	case <-ended:
	case <-ctx.Done():
	}

	return nil
}

func (e *Executor) tags() *metrics.TagSet {
	return e.state.Test.RunTags.WithTagsFromMap(e.config.GetTags()).With("scenario", e.config.Name)
}

// errCutOff is the error of operations that outlive a step.
func errCutOff(c *options.Config) error {
	return fmt.Errorf("cut off: still under way after maxDuration (%s) and gracefulStop (%s)",
		c.MaxDuration.TimeDuration(), c.GetGracefulStop())
}

var errStepOver = errors.New("the step is over")
