package sweep

import (
	"context"
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const (
	// quietWindow is how long a server's use of the processor is averaged for one value.
	quietWindow = 250 * time.Millisecond
	// restWindows is how many values in a row tell that a server is at rest: a second.
	restWindows = 4
	// restCores is what a server at rest uses at most, in cores.
	restCores = 0.05
	// steadyWindows is how many values tell that a server has work of its own that does not end:
	// ten seconds.
	steadyWindows = 40
	// steadyCores is how much that may be at most, in cores, and steadyPart by how much of itself
	// it may change.
	steadyCores, steadyPart = 0.15, 0.2
)

// restMeter judges by its use of the processor whether a server is at rest.
type restMeter struct {
	cores []float64 // in each window
}

func (m *restMeter) add(cores float64) { m.cores = append(m.cores, cores) }

// level is what the server uses now, in cores.
func (m *restMeter) level() float64 { return m.mean(restWindows, 0) }

// mean is that of n values, of which the last is the one before the last skipped ones; zero without
// any.
func (m *restMeter) mean(n, skipped int) (mean float64) {
	end := max(len(m.cores)-skipped, 0)
	values := m.cores[max(end-n, 0):end]
	for _, cores := range values {
		mean += cores / float64(len(values))
	}

	return mean
}

// atRest tells whether the server does next to nothing, or little and always the same, as one that
// does something by itself.
func (m *restMeter) atRest() bool {
	switch {
	case len(m.cores) < restWindows:
		return false
	case m.level() <= restCores:
		return true
	case len(m.cores) < steadyWindows:
		return false
	}
	const half = steadyWindows / 2
	before, now := m.mean(half, half), m.mean(half, 0)

	return max(before, now) <= steadyCores && max(before, now)-min(before, now) <= steadyPart*max(before, now)
}

// awaitQuiet waits before the first step until a server on this machine is at rest: it may still
// work on what was done before, such as a load or what the script did in setup. It waits no longer
// than the option quiet says.
//
// It does not wait where it could not tell what the server is busy with: with other scenarios, or
// with the other execution segments of the same run. A server elsewhere is watched in the first
// warm-up instead: see settle.
func (r *sweepRun) awaitQuiet(ctx context.Context) {
	server := r.results.serverProcess(r.config.Name)
	if server != nil && r.awaitsQuiet() {
		r.awaitRest(ctx, server.cpuTime)
	}
}

// awaitRest waits until a server is at rest, of which cpuTime tells the processor time that it has
// used; false: it has ended.
func (r *sweepRun) awaitRest(ctx context.Context, cpuTime func() (used time.Duration, known bool)) {
	begin := time.Now()
	used, known := cpuTime()
	meter, last, told := &restMeter{}, begin, false
	ticker := time.NewTicker(quietWindow)
	defer ticker.Stop()
	for known {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now, before := time.Now(), used
		if used, known = cpuTime(); !known {
			return // the server has ended, as the first operations will tell
		}
		meter.add(max(used-before, 0).Seconds() / now.Sub(last).Seconds())
		last = now
		uses := fmt.Sprintf("its server uses %.2f of a core", meter.level())
		r.progress.wait("waiting until the target is quiet", uses)
		quiet := &report.Quiet{Reached: meter.atRest(), WaitedSeconds: now.Sub(begin).Seconds(), ServerCores: new(meter.level())}
		switch {
		case quiet.Reached:
			if told {
				r.logger.Infof("the target is quiet after %s: %s", report.Span(quiet.WaitedSeconds), uses)
			}
			r.results.quieted(r.report, quiet)

			return
		case now.Sub(begin) >= r.longestWait():
			r.logger.Warnf("the target is not quiet after %s: %s; it is measured all the same", r.longestWait(), uses)
			r.results.quieted(r.report, quiet)

			return
		case !told && len(meter.cores) >= restWindows:
			told = true
			r.logger.Infof("waiting until the target is quiet, for %s at most: %s", r.longestWait(), uses)
		}
	}
}

// awaitsQuiet tells whether the sweep may wait for its target: it is asked to, and what it waits
// for is not work of this test.
func (r *sweepRun) awaitsQuiet() bool {
	return r.longestWait() > 0 && r.state.GetCurrentlyActiveVUsCount() == 0
}

func (r *sweepRun) longestWait() time.Duration { return r.config.longestWait(r.state.ExecutionTuple) }
