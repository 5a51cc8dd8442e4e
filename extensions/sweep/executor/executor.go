package executor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// Executor runs the steps of a sweep one after the other.
type Executor struct {
	*executor.BaseExecutor
	*sweepRun
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
	e.progress = newProgress(e.config)
	k6x.SetProgress(e.GetProgress(), e.progress.read, k6x.StatusRunning)
	ctx = lib.WithScenarioState(ctx, &lib.ScenarioState{
		Name: e.config.Name, Executor: Type, StartTime: time.Now(), ProgressFn: e.progress.read,
	})
	if err := e.begin(out, e.config.Params(e.state.ExecutionTuple)); err != nil {
		return err
	}
	var events common.Events
	if e.state.Test.Events != nil {
		events.Global = e.state.Test.Events
	}
	e.scenario.Await(events, nil)

	err := e.steps(ctx)

	interrupted := ctx.Err() != nil || err != nil
	e.finish(interrupted)
	status := k6x.StatusDone
	if interrupted {
		status = k6x.StatusInterrupted
	}
	k6x.SetProgress(e.GetProgress(), e.progress.frozen(), status)

	return err
}

func (e *Executor) wait(ctx context.Context) error {
	if !e.config.After.Valid {
		return nil
	}
	ended, known := e.results.Done(e.config.After.String)
	if !known || e.config.After.String == e.config.Name {
		return invalid(fmt.Errorf("scenario %q: after must name another scenario with the executor '%s', but is %q",
			e.config.Name, Type, e.config.After.String))
	}
	select {
	case <-ended:
	case <-ctx.Done():
	}

	return nil
}

// errCutOff is the error of operations that outlive a step.
func errCutOff(c *Config) error {
	return fmt.Errorf("cut off: still under way after maxDuration (%s) and gracefulStop (%s)",
		c.MaxDuration.TimeDuration(), c.GetGracefulStop())
}

var errStepOver = errors.New("the step is over")
