package runs

import (
	"context"

	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/processors"
)

// holdOne has k6 at one processor until the client's step is over, where the client is alone in the
// test, waits for each operation, and is answered by this process. Then two goroutines wake each
// other in turn, and Go wakes a thread more for each, which looks for work, finds none and sleeps.
// Requests of one client of NATS to a service of the same k6 take 0.74 of the processor time, and
// are 1.09 times as many a second (medians of five rounds in turns, on two cores of an Intel Xeon).
//
// A client that is answered by others alone has more of two processors: a get of memcached takes
// twice the processor time at one, and gets are 0.45 times as many a second.
func (r *Runs) holdOne(ctx context.Context) {
	if r.client == nil || r.shared.Far == nil || r.shared.Far() {
		return
	}
	step, state := r.client.Step(), lib.GetExecutionState(ctx)
	if step.Clients() > 1 || step.OpenLoop() || state == nil || state.GetCurrentlyActiveVUsCount() > 1 {
		return
	}
	session := r.session
	if r.shared.held.Swap(session) == session { // an earlier run of the step has done it
		return
	}
	release := processors.HoldOne()
	shared := r.shared
	session.AtEnd(func() {
		shared.held.CompareAndSwap(session, nil)
		release()
	})
}
