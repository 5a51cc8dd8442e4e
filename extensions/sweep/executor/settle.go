package executor

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const (
	// settleWindows is how many values in a row tell whether there is a trend.
	settleWindows = 8
	// leastSettled is how many operations a value has to rest on, on average, to tell anything.
	leastSettled = 10
	// trendScore is Kendall's score from which on eight values are no chance order: two-sided, 0.05
	// (0.031).
	trendScore = 18
	// trendPart is by how much of itself what changes steadily has to change to matter.
	trendPart = 0.05
)

// hasTrend tells whether the last settleWindows values rise or fall, by the test of Mann and
// Kendall (Econometrica 13, 1945; Biometrika 30, 1938), and by how much.
func hasTrend(values []float64) bool {
	if len(values) < settleWindows {
		return false
	}
	values = values[len(values)-settleWindows:]
	score := 0
	var first, second float64
	for i, a := range values {
		if i < settleWindows/2 {
			first += a
		} else {
			second += a
		}
		for _, b := range values[i+1:] {
			switch {
			case b > a:
				score++
			case b < a:
				score--
			}
		}
	}

	return max(score, -score) >= trendScore && max(first, second)-min(first, second) > trendPart*max(first, second)
}

// settles tells whether the step's warm-up has to show that the target is quiet.
func (r *stepRun) settles() bool {
	if r.config.Warmup.TimeDuration() <= 0 || r.config.OpenLoop() {
		return false
	}

	r.showsQuiet = r.first && !r.cpu.ReadsServer() && r.awaitsQuiet()

	return r.showsQuiet || r.config.Precision.Some() && r.longestWait() > 0
}

// settle makes a warm-up last until the latency has no trend any more, or as much longer as the
// option quiet says: the first warm-up of a sweep of a server elsewhere, and every one before a
// step that is to last until its figures are known. In a closed loop the mean latency is
// the clients over their operations a second.
func (r *stepRun) settle(ended <-chan struct{}) {
	select {
	case <-r.step.Connected():
	case <-ended:
		return
	}
	// One window more than are looked at: what they tell comes before the warm-up is over.
	window := r.config.Warmup.TimeDuration() / (settleWindows + 1)
	ticker := time.NewTicker(window)
	defer ticker.Stop()
	var rates []float64
	var extended, before time.Duration
	done := uint64(0)
	for {
		select {
		case <-r.step.Line():
			return
		case <-ended:
			return
		case <-ticker.C:
		}
		elapsed, operations := r.warmed()
		if elapsed <= before {
			continue
		}
		rates = append(rates, float64(operations-done)/(elapsed-before).Seconds())
		before, done = elapsed, operations
		if len(rates) < settleWindows {
			continue
		}
		if done < leastSettled*uint64(len(rates)) {
			return // it cannot be told
		}
		trend := hasTrend(rates)
		if trend && extended < r.longestWait() {
			if extended == 0 {
				r.logger.Infof("waiting until the target is quiet, for %s at most: its latency still changes", r.longestWait())
			}
			extended += window
			r.step.ExtendWarmUp(window)

			continue
		}
		r.settled(!trend, extended)

		return
	}
}

// settled tells how the wait for a quiet target has ended.
func (r *stepRun) settled(reached bool, waited time.Duration) {
	quiet := &report.Quiet{Reached: reached, WaitedSeconds: waited.Seconds()}
	switch {
	case !reached:
		r.logger.Warnf("the target is not quiet after %s: its latency still changes; it is measured all the same",
			report.Span(quiet.WaitedSeconds))
	case waited > 0:
		r.logger.Infof("the target is quiet: the warm-up was %s longer for it", report.Span(quiet.WaitedSeconds))
	}
	if r.showsQuiet {
		r.scenario.Quieted(quiet)
	}
}

// warmed is how many operations the warm-up has had so far, and for how long it lasts.
func (r *stepRun) warmed() (elapsed time.Duration, operations uint64) {
	elapsed, all := r.step.Warmed()
	for _, w := range all {
		operations += w.Ops + w.Failed
	}

	return elapsed, operations
}
