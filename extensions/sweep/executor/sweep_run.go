package executor

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// sweepRun is a sweep, of the executor client-sweep or portable.
type sweepRun struct {
	config     *Config
	state      *lib.ExecutionState
	metrics    *stream.Metrics
	results    *testrun.Results
	logger     *logrus.Entry
	iterations *iterations
	progress   *progress

	scenario  *testrun.Scenario
	begun     bool // a step has run
	faults    testrun.ErrorLog
	succeeded atomic.Bool // an operation has succeeded
	// before has the previous step, one entry for each kind of operation.
	before []report.Step
}

// begin begins the report; params are the options in it.
func (r *sweepRun) begin(out chan<- metrics.SampleContainer, params map[string]any) (err error) {
	r.scenario, err = r.results.Begin(testrun.Start{
		Name: r.config.Name, Params: params, Sweep: r.config, Out: out, Metrics: r.metrics, Test: r.state, Logger: r.logger,
		Tags: r.state.Test.RunTags.WithTagsFromMap(r.config.GetTags()).With("scenario", r.config.Name),
	})

	return err
}

// steps runs all steps. The error is an abort of the script, or missing VUs.
func (r *sweepRun) steps(ctx context.Context) error {
	if r.config.Find != nil {
		return r.find(ctx)
	}
	for _, s := range r.config.Steps() {
		if _, err := r.step(ctx, s); err != nil || ctx.Err() != nil {
			return err
		}
	}

	return nil
}

func (r *sweepRun) find(ctx context.Context) error {
	search := newSearch(r.config.Find, int(r.config.Repeats.Int64), r.config.Precision.Some())
	for {
		number, try, more := search.Next()
		r.scenario.SetSearch(search.Result())
		if !more {
			return nil
		}
		s := Step{Clients: int64(number), Repeat: try}
		if r.config.OpenLoop() {
			s = Step{Clients: r.config.PreAllocatedVUs.Int64, Rate: number, Repeat: try}
		}
		steps, err := r.step(ctx, s)
		if err != nil || ctx.Err() != nil {
			return err
		}
		search.Tried(number, steps)
	}
}

// step runs one step, after a pause if it is not the first.
func (r *sweepRun) step(ctx context.Context, s Step) ([]report.Step, error) {
	here := s.Scaled(r.state.ExecutionTuple)
	if here == 0 {
		r.progress.next(s, nil)

		return nil, nil // no client of this step in the segment
	}
	if r.begun && !r.pause(ctx) {
		return nil, nil
	}
	first := !r.begun
	r.begun = true
	if first {
		r.awaitQuiet(ctx)
	}
	if ctx.Err() != nil {
		return nil, nil //nolint:nilerr // Ctrl-C is no error of the sweep's
	}

	before, began := r.before, time.Now()
	step := newStepRun(r, s, here)
	step.first = first
	r.progress.next(s, step)
	steps, err := step.run(ctx)
	for err == nil && ctx.Err() == nil && disturbed(steps) && time.Since(began) < r.config.WaitCalm.TimeDuration() {
		step.logger.Warnf("a neighbour disturbed the step: it is measured again (waitCalm: %s)", r.config.WaitCalm.Duration)
		if !r.pause(ctx) {
			break
		}
		r.before = before
		step = newStepRun(r, s, here)
		r.progress.again(step)
		steps, err = step.run(ctx)
	}
	step.keep(steps)

	return steps, err
}

func disturbed(steps []report.Step) bool {
	return len(steps) > 0 && steps[0].LimitedBy() == witness.Neighbour
}

func (r *sweepRun) pause(ctx context.Context) bool {
	select {
	case <-time.After(r.config.Pause.TimeDuration()):
		return true
	case <-ctx.Done():
		return false
	}
}

// finish marks a failed run and ends the scenario. In a search, an incomplete step only misses the
// bound.
func (r *sweepRun) finish(interrupted bool) {
	steps := r.scenario.Report.Steps
	r.scenario.MarkFailed(steps, r.config.AllowFailed.Words(), r.config.AllowsFailed(steps))
	if !interrupted && r.config.Find == nil {
		r.scenario.MarkIncomplete(steps)
	}
	if !interrupted {
		r.scenario.MarkNothingFound()
	}
	r.scenario.End(interrupted)
}
