package executor

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const (
	// settleWindows is the number of values that are tested for a trend.
	settleWindows = 8
	// leastSettled is the mean number of operations that a value needs.
	leastSettled = 10
	// trendScore is Kendall's score for a significant trend of eight values (two-sided, 0.031).
	trendScore = 18
	// trendPart is the relative change from which on a trend matters.
	trendPart = 0.05
)

// hasTrend reports whether the last settleWindows values rise or fall, by the test of Mann and
// Kendall (Econometrica 13, 1945; Biometrika 30, 1938), and by at least trendPart.
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

// settles reports whether the step's warm-up has to wait for a steady latency.
func (r *stepRun) settles() bool {
	if r.config.Warmup.TimeDuration() <= 0 || r.config.OpenLoop() {
		return false
	}

	r.showsQuiet = r.first && !r.cpu.ReadsServer() && r.awaitsQuiet()

	return r.showsQuiet || r.config.Precision.Some() && r.longestWait() > 0
}

// settle extends a warm-up, at most by the option quiet, until the latency has no trend: the first
// warm-up with a remote server, and each one before a step with a precision. In a closed loop, the
// mean latency is clients / ops/s.
func (r *stepRun) settle(ended <-chan struct{}) {
	select {
	case <-r.step.Connected():
	case <-ended:
		return
	}
	// One more window than hasTrend needs, so that it can answer before the warm-up ends.
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
			return // too few operations to see a trend
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
		r.scenario.SetQuiet(quiet)
	}
}

func (r *stepRun) warmed() (elapsed time.Duration, operations uint64) {
	elapsed, all := r.step.Warmed()
	for _, w := range all {
		operations += w.Ops + w.Failed
	}

	return elapsed, operations
}
