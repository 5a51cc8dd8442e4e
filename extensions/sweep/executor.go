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
	run := &sweepRun{
		Executor: e, out: out, progress: progress,
		report: e.results.begin(e.config.Name, e.config.params(e.state.ExecutionTuple)),
	}

	if err := e.results.keepReport(run.report, e.state.Test); err != nil {
		e.results.forget(run.report)

		return err
	}
	run.awaitTestEnd()

	collect := host.TuneCollector()
	defer collect.Restore()
	run.collector = collect
	err := run.steps(ctx)

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

// params are the options as the report shows them.
func (c *Config) params(et *lib.ExecutionTuple) map[string]any {
	params := map[string]any{
		"repeats":      c.Repeats.Int64,
		"pause":        c.Pause.TimeDuration().String(),
		"maxDuration":  c.MaxDuration.TimeDuration().String(),
		"gracefulStop": c.GetGracefulStop().String(),
	}
	switch {
	case c.Find != nil:
		params["find"] = c.Find.describe()
	case c.Rate != nil:
		params["rate"] = c.Rate
	default:
		params["clients"] = c.Clients
	}
	if c.openLoop() {
		params["preAllocatedVUs"] = c.PreAllocatedVUs.Int64
	}
	if c.WarmupIterations.Valid {
		params["warmupIterations"] = c.WarmupIterations.Int64
	} else {
		params["warmup"] = c.Warmup.TimeDuration().String()
	}
	switch {
	case c.Duration.Valid:
		params["duration"] = c.Duration.TimeDuration().String()
	case c.UntilDone.Bool:
		params["untilDone"] = true
	default:
		params["iterations"] = c.Iterations.Int64
	}
	if len(c.Variants) > 0 {
		params["variants"] = c.Variants
	}
	if c.FailOn != nil {
		params["failOn"] = c.FailOn
	}
	if c.Repeats.Int64 > 1 {
		params["repeatOrder"] = c.RepeatOrder.String
	}
	if isPart(et) {
		params["segment"] = et.Segment.String()
	}

	return params
}

// errCutOff is why operations end that outlive a step.
func errCutOff(c *Config) error {
	return fmt.Errorf("cut off: still under way after maxDuration (%s) and gracefulStop (%s)",
		c.MaxDuration.TimeDuration(), c.GetGracefulStop())
}

var errStepOver = errors.New("the step is over")
