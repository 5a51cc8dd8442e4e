package executor

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// precisionSample is the precision that a step had reached at a point in time.
type precisionSample struct {
	aim stats.Aim
	at  time.Duration
}

func (r *stepRun) measureUntilKnown(ended <-chan struct{}) {
	select {
	case <-r.step.Line():
	case <-ended:
		return
	}
	began, at := time.Now(), time.Duration(0)
	asked, reached := r.config.Precision.Aim, stats.Aim{}
	for {
		at = asked.NextLook(at, reached)
		select {
		case <-time.After(at - time.Since(began)):
		case <-ended:
			return
		}
		reading := r.step.ReadOverTime()
		at = max(at, reading.Elapsed)
		reached = r.reachedBy(&reading)
		r.reached.Store(&precisionSample{reached, at})
		if reached.Meets(asked) {
			if !r.decided.CompareAndSwap(false, true) {
				return // maxDuration ended in the meantime
			}
			r.step.CloseWindow()
			r.logger.Infof("known to %s after %s", Known(reached, asked), at.Round(100*time.Millisecond))

			return
		}
	}
}

// reachedBy returns the precision of a reading's figures, or of a duet's ratios.
func (r *stepRun) reachedBy(reading *measure.Reading) stats.Aim {
	if reading.Duet == nil {
		return stats.Reached(reading, r.step.Clients())
	}

	return report.Reached(report.NewDuets(reading, r.config.Asked(r.Step)))
}

// known formats the precision reached, for the log.
func (r *stepRun) known() string {
	reached := r.reached.Load()
	if reached == nil {
		return "nothing is known yet"
	}

	return Known(reached.aim, r.config.Precision.Aim)
}
