package executor

import (
	"context"
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// awaitQuiet waits before the first step until a server on this machine is idle, at most for the
// option quiet. The server may still work on data loaded earlier or in setup.
//
// It does not wait while other scenarios or execution segments may keep the server busy. For a
// remote server, the first warm-up is extended instead: see settle.
func (r *sweepRun) awaitQuiet(ctx context.Context) {
	server := r.scenario.Server()
	if server != nil && r.awaitsQuiet() {
		r.awaitRest(ctx, server.CPUTime)
	}
}

// awaitRest waits until the server is idle. cpuTime returns its CPU time; false once it has exited.
func (r *sweepRun) awaitRest(ctx context.Context, cpuTime func() (used time.Duration, known bool)) {
	begin := time.Now()
	used, known := cpuTime()
	meter, last, told := &host.RestMeter{}, begin, false
	ticker := time.NewTicker(host.RestWindow)
	defer ticker.Stop()
	for known {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now, before := time.Now(), used
		if used, known = cpuTime(); !known {
			return // the server has exited, so the first operations will fail
		}
		meter.Add(max(used-before, 0).Seconds() / now.Sub(last).Seconds())
		last = now
		uses := fmt.Sprintf("its server uses %.2f of a core", meter.Level())
		r.progress.wait("waiting until the target is quiet", uses)
		quiet := &report.Quiet{Reached: meter.AtRest(), WaitedSeconds: now.Sub(begin).Seconds(), ServerCores: new(meter.Level())}
		switch {
		case quiet.Reached:
			if told {
				r.logger.Infof("the target is quiet after %s: %s", report.Span(quiet.WaitedSeconds), uses)
			}
			r.scenario.SetQuiet(quiet)

			return
		case now.Sub(begin) >= r.longestWait():
			r.logger.Warnf("the target is not quiet after %s: %s; it is measured all the same", r.longestWait(), uses)
			r.scenario.SetQuiet(quiet)

			return
		case !told && meter.Known():
			told = true
			r.logger.Infof("waiting until the target is quiet, for %s at most: %s", r.longestWait(), uses)
		}
	}
}

// awaitsQuiet reports whether the sweep should wait, and nothing else in this test keeps the server
// busy.
func (r *sweepRun) awaitsQuiet() bool {
	return r.longestWait() > 0 && r.state.GetCurrentlyActiveVUsCount() == 0
}

func (r *sweepRun) longestWait() time.Duration { return r.config.LongestWait(r.state.ExecutionTuple) }
