package sweep

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
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
)

// Executor runs the steps of a sweep one after the other, each as soon as the one before has ended.
type Executor struct {
	*executor.BaseExecutor

	config     *Config
	state      *lib.ExecutionState
	metrics    *sweepMetrics
	results    *results
	iterations *iterations
	logger     *logrus.Entry
}

var _ lib.Executor = &Executor{}

// Run runs the sweep. It returns an error when the script aborted the test, or when k6 could not give it its VUs.
func (e *Executor) Run(ctx context.Context, out chan<- metrics.SampleContainer) error {
	if ended, known := e.results.ended(e.config.Name); known {
		defer close(ended)
	}
	if err := e.wait(ctx); err != nil {
		return err
	}
	inProcess.began(e.config.Name)
	if others := e.results.atWork(e.config.Name); len(others) > 0 {
		e.logger.Warnf("%s sweeps while %s does: each disturbs what the other measures; after: '%s' lets it wait",
			e.config.Name, strings.Join(others, ", "), others[0])
	}
	progress := newProgress(e.config)
	k6glue.SetProgress(e.GetProgress(), progress.read, k6glue.StatusRunning)
	ctx = lib.WithScenarioState(ctx, &lib.ScenarioState{
		Name: e.config.Name, Executor: ExecutorType, StartTime: time.Now(), ProgressFn: progress.read,
	})
	scenario, err := e.results.begin(scenarioStart{
		name: e.config.Name, params: e.config.params(e.state.ExecutionTuple), sweep: e.config,
		tags: e.tags(), out: out, metrics: e.metrics, test: e.state, logger: e.logger,
	})
	if err != nil {
		return err
	}
	run := &sweepRun{Executor: e, scenario: scenario, progress: progress}
	run.awaitTestEnd()

	run.collector = host.TuneCollector()
	defer run.collector.Restore()
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

// wait waits for the scenario that comes before this one, if there is one.
func (e *Executor) wait(ctx context.Context) error {
	if !e.config.After.Valid {
		return nil
	}
	ended, known := e.results.ended(e.config.After.String)
	if !known || e.config.After.String == e.config.Name {
		return invalid(fmt.Errorf("scenario %q: after must name another scenario with the executor '%s', but is %q",
			e.config.Name, ExecutorType, e.config.After.String))
	}
	select {
	case <-ended:
	case <-ctx.Done():
	}

	return nil
}

// tags are those of all samples of the scenario.
func (e *Executor) tags() *metrics.TagSet {
	return e.state.Test.RunTags.WithTagsFromMap(e.config.GetTags()).With("scenario", e.config.Name)
}

// errCutOff is why operations end that outlive a step.
func errCutOff(c *Config) error {
	return fmt.Errorf("cut off: still under way after maxDuration (%s) and gracefulStop (%s)",
		c.MaxDuration.TimeDuration(), c.GetGracefulStop())
}

var errStepOver = errors.New("the step is over")
