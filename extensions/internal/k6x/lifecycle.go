package k6x

import (
	"context"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// k6's events have an internal type.
const (
	testStartEvent = 2 // event.TestStart: before setup
	testEndEvent   = 3 // event.TestEnd: k6 still accepts samples until the handlers return
	exitEvent      = 6 // event.Exit: k6 is about to exit
)

// OnVUEnd calls fn once when the VU ends: at the end of a client's step, after setup or teardown,
// or otherwise when k6 exits.
func OnVUEnd(vu modules.VU, fn func()) {
	ctx := vu.Context()
	if s := SessionOf(vu); s != nil {
		s.AtEnd(fn)

		return
	}
	if state := vu.State(); state != nil && state.VUID == 0 { // setup, teardown and handleSummary run in a separate VU
		context.AfterFunc(ctx, func() {
			defer crash.Contain("the end of a VU")
			fn()
		})

		return
	}

	on(vu.Events(), exitEvent, fn)
}

// OnTestEnd calls fn once when all scenarios have ended, while k6 still accepts samples and before
// the summary.
func OnTestEnd(of common.Events, fn func()) { on(of, testEndEvent, fn) }

func on(of common.Events, kind int, fn func()) {
	events := of.Global
	if events == nil {
		return
	}
	id, received := events.Subscribe(testEndEvent, exitEvent)
	go func() {
		defer crash.Contain("waiting for the end of a test")
		defer events.Unsubscribe(id)
		for event := range received {
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
