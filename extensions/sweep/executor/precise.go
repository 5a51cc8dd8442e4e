package executor

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/interval"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/options"
)

// measureUntilKnown ends the step when its figures are known as well as they are to be.
func (r *stepRun) measureUntilKnown(ended <-chan struct{}) {
	select {
	case <-r.step.Line():
	case <-ended:
		return
	}
	began, at := time.Now(), time.Duration(0)
	asked, reached := r.config.Precision.Aim, interval.Aim{}
	for {
		at = asked.NextLook(at, reached)
		select {
		case <-time.After(at - time.Since(began)):
		case <-ended:
			return
		}
		reading := r.step.ReadOverTime()
		at = max(at, reading.Elapsed)
		reached = interval.Reached(&reading, r.step.Clients())
		r.reached.Store(new(reached))
		if reached.Meets(asked) {
			r.step.CloseWindow()
			r.logger.Infof("known to %s after %s", options.Known(reached, asked), at.Round(100*time.Millisecond))

			return
		}
	}
}

// known says how well the figures of a step are known that is to last until they are.
func (r *stepRun) known() string {
	reached := r.reached.Load()
	if reached == nil {
		return "nothing is known yet"
	}

	return options.Known(*reached, r.config.Precision.Aim)
}
