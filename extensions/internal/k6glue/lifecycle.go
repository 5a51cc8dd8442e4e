package k6glue

import (
	"context"

	"go.k6.io/k6/v2/js/modules"
)

// exitEvent is k6's event.Exit, the type of which is internal: "emitted when the k6 process is about to exit".
const exitEvent = 6

// OnVUEnd calls fn once when the VU has no more use for what it opened: at the end of the client's step under
// client-sweep, when setup or teardown has returned, and otherwise when k6 exits.
func OnVUEnd(vu modules.VU, fn func()) {
	ctx := vu.Context()
	if s := SessionOf(ctx); s != nil {
		s.AtEnd(fn)

		return
	}
	if state := vu.State(); state != nil && state.VUID == 0 { // setup, teardown, handleSummary: a VU of their own
		context.AfterFunc(ctx, fn)

		return
	}

	id, exit := vu.Events().Global.Subscribe(exitEvent)
	go func() {
		if event, ok := <-exit; ok {
			fn()
			event.Done()
		}
		vu.Events().Global.Unsubscribe(id)
	}()
}
