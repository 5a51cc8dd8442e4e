package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Executor runs the steps of a sweep one after the other, each as soon as the one before has ended.
type Executor struct {
	*executor.BaseExecutor

	config     *Config
	state      *lib.ExecutionState
	metrics    *sweepMetrics
	iterations *iterations
	collector  *collector
	logger     *logrus.Entry
}

var _ lib.Executor = &Executor{}

// Run runs the sweep. It returns an error when the script aborted the test, or when k6 could not give it its VUs.
func (e *Executor) Run(ctx context.Context, out chan<- metrics.SampleContainer) error {
	results := resultsOf(e.state.Test.Registry)
	rep := results.begin(e.config.Name, e.params())
	progress := &progress{config: e.config, steps: e.config.stepCount()}
	k6glue.SetProgress(e.GetProgress(), progress.read, k6glue.StatusRunning)
	ctx = lib.WithScenarioState(ctx, &lib.ScenarioState{
		Name: e.config.Name, Executor: ExecutorType, StartTime: time.Now(), ProgressFn: progress.read,
	})

	defer e.collector.restore()
	err := e.runSteps(ctx, out, results, rep, progress)

	interrupted := ctx.Err() != nil || err != nil
	results.finish(rep, interrupted)
	status := k6glue.StatusDone
	if interrupted {
		status = k6glue.StatusInterrupted
	}
	k6glue.SetProgress(e.GetProgress(), progress.frozen(), status)

	return err
}

func (e *Executor) runSteps(
	ctx context.Context, out chan<- metrics.SampleContainer, results *results, rep *report.Report, progress *progress,
) error {
	first := true
	for _, clients := range e.config.Clients {
		for repeat := 1; repeat <= int(e.config.Repeats.Int64); repeat++ {
			here := e.state.ExecutionTuple.ScaleInt64(clients)
			if here == 0 {
				progress.skip()

				continue // this instance's segment has no client in so small a step
			}
			if !first && !e.pause(ctx) {
				return nil
			}
			first = false

			step := newStepRun(e, out, clients, here, repeat, results.serverProcess())
			progress.next(step)
			steps, err := step.run(ctx)
			results.add(rep, steps)
			if err != nil || ctx.Err() != nil {
				return err
			}
		}
	}

	return nil
}

// pause rests between two steps. It returns false when the test ended meanwhile.
func (e *Executor) pause(ctx context.Context) bool {
	select {
	case <-time.After(e.config.Pause.TimeDuration()):
		return true
	case <-ctx.Done():
		return false
	}
}

// params are the executor's options as the report shows them.
func (e *Executor) params() map[string]any {
	c := e.config
	params := map[string]any{
		"clients":      c.Clients,
		"warmup":       c.Warmup.TimeDuration().String(),
		"repeats":      c.Repeats.Int64,
		"pause":        c.Pause.TimeDuration().String(),
		"maxDuration":  c.MaxDuration.TimeDuration().String(),
		"gracefulStop": c.GetGracefulStop().String(),
	}
	if c.Duration.Valid {
		params["duration"] = c.Duration.TimeDuration().String()
	} else {
		params["iterations"] = c.Iterations.Int64
	}
	if segment := e.state.ExecutionTuple.Segment; segment != nil && segment.String() != "0:1" {
		params["segment"] = segment.String()
	}

	return params
}

// errCutOff is why operations end that outlive a step.
func errCutOff(c *Config) error {
	return fmt.Errorf("cut off: still under way after maxDuration (%s) and gracefulStop (%s)",
		c.MaxDuration.TimeDuration(), c.GetGracefulStop())
}

var errStepOver = errors.New("the step is over")
