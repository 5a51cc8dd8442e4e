package k6glue

import (
	"context"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// Three of k6's events, the type of which is internal.
const (
	testStartEvent = 2 // event.TestStart: "emitted when the execution scheduler starts running the test": setup comes first
	testEndEvent   = 3 // event.TestEnd: "emitted when the test execution ends"; k6 still takes samples until it is done
	exitEvent      = 6 // event.Exit: "emitted when the k6 process is about to exit"
)

// OnVUEnd calls fn once when the VU has no more use for what it opened: at the end of the client's
// step under client-sweep, when setup or teardown has returned, and otherwise when k6 exits.
func OnVUEnd(vu modules.VU, fn func()) {
	ctx := vu.Context()
	if s := SessionOf(vu); s != nil {
		s.AtEnd(fn)

		return
	}
	if state := vu.State(); state != nil && state.VUID == 0 { // setup, teardown, handleSummary: a VU of their own
		context.AfterFunc(ctx, func() {
			defer crash.Contain("the end of a VU")
			fn()
		})

		return
	}

	on(vu.Events(), exitEvent, fn)
}

// OnTestEnd calls fn once when all scenarios have ended, while k6 still takes samples and before it
// asks for the summary.
func OnTestEnd(of common.Events, fn func()) { on(of, testEndEvent, fn) }

func on(of common.Events, kind int, fn func()) {
	events := of.Global
	if events == nil { // no k6 runs
		return
	}
	id, happened := events.Subscribe(testEndEvent, exitEvent)
	go func() {
		defer crash.Contain("waiting for the end of a test")
		defer events.Unsubscribe(id)
		for event := range happened {
			wanted := int(event.Type) == kind
			if wanted {
				contained(fn)
			}
			event.Done()
			if wanted {
				return
			}
		}
	}()
}
