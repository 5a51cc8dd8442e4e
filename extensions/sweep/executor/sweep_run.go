package executor

import (
	"context"
	"time"

	"go.k6.io/k6/v2/js/common"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/options"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/search"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

type sweepRun struct {
	*Executor

	scenario  *testrun.Scenario
	progress  *progress
	begun     bool // a step has run
	faults    testrun.ErrorLog
	succeeded bool // an operation has succeeded
	// before has the previous step, one entry for each kind of operation.
	before []report.Step
}

// steps runs all steps. The error is an abort of the script, or missing VUs.
func (r *sweepRun) steps(ctx context.Context) error {
	if r.config.Find != nil {
		return r.search(ctx)
	}
	for _, s := range r.config.Steps() {
		if _, err := r.step(ctx, s); err != nil || ctx.Err() != nil {
			return err
		}
	}

	return nil
}

func (r *sweepRun) search(ctx context.Context) error {
	search := search.New(r.config.Find, int(r.config.Repeats.Int64), r.config.Precision.Some())
	for {
		number, try, more := search.Next()
		r.scenario.SetSearch(search.Result())
		if !more {
			return nil
		}
		s := options.Step{Clients: int64(number), Repeat: try}
		if r.config.OpenLoop() {
			s = options.Step{Clients: r.config.PreAllocatedVUs.Int64, Rate: number, Repeat: try}
		}
		steps, err := r.step(ctx, s)
		if err != nil || ctx.Err() != nil {
			return err
		}
		search.Tried(number, steps)
	}
}

// step runs one step, after a pause if it is not the first.
func (r *sweepRun) step(ctx context.Context, s options.Step) ([]report.Step, error) {
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
	r.scenario.Add(steps, step.duets...)
	r.scenario.Save()
	step.live.Ended(steps) // when no goroutine writes to them any more

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

// awaitTestEnd registers the scenario for the judgement at the end of the test.
func (r *sweepRun) awaitTestEnd() {
	var events common.Events
	if r.state.Test.Events != nil {
		events.Global = r.state.Test.Events
	}
	r.scenario.Await(events, nil)
}
