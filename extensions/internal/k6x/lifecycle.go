package k6x

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

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
		context.AfterFunc(ctx, fn)

		return
	}

	onEvent(vu.Events(), exitEvent, func(any) { fn() })
}

// OnTestEnd calls fn once when all scenarios have ended, while k6 still accepts samples and before
// the summary.
func OnTestEnd(of common.Events, fn func()) { onEvent(of, testEndEvent, func(any) { fn() }) }

// OnTestStart calls fn once when the test starts, before setup. It does nothing outside k6.
func OnTestStart(fn func(at time.Time)) {
	onEvent(processEvents(), testStartEvent, func(any) { fn(time.Now()) })
}

// AtExit calls fn when k6 is about to exit, after the summary. ran reports whether the test reached
// its end; failed is k6's error or nil. AtExit returns false outside k6.
func AtExit(fn func(ran bool, failed error)) bool {
	var ran atomic.Bool
	events := processEvents()
	onEvent(events, testEndEvent, func(any) { ran.Store(true) })
	onEvent(events, exitEvent, func(data any) { fn(ran.Load(), exitError(data)) })

	return events.Global != nil
}

// exitError returns the field Error of k6's internal event.ExitData.
func exitError(data any) error {
	value := reflect.Indirect(reflect.ValueOf(data))
	if value.Kind() != reflect.Struct || !value.FieldByName("Error").IsValid() {
		return nil
	}
	err, _ := value.FieldByName("Error").Interface().(error)

	return err
}

func processEvents() (events common.Events) {
	if gs := process.Load(); gs != nil {
		events.Global = gs.Events
	}

	return events
}

// onEvent calls fn with the data of the next event of a kind, unless k6 exits before it. The
// subscription lasts until k6 exits: k6 waits half an hour for an event that it emits to a
// subscriber that is about to leave.
func onEvent(of common.Events, kind int, fn func(data any)) {
	events := of.Global
	if events == nil {
		return
	}
	id, received := events.Subscribe(testStartEvent, testEndEvent, exitEvent)
	go func() {
		defer events.Unsubscribe(id)
		for event := range received {
			if int(event.Type) == kind {
				contained(func() { fn(event.Data) })
			}
			event.Done()
			if event.Type == exitEvent {
				return
			}
		}
	}()
}

// Closing closes what a VU has opened when the VU ends: see OnVUEnd. Any goroutine may use it.
type Closing struct {
	vu modules.VU

	mu       sync.Mutex
	owners   map[any]func()
	awaiting bool     // the end of the VU is awaited
	session  *Session // the step whose end is awaited
}

// NewClosing returns a VU's Closing.
func NewClosing(vu modules.VU) *Closing { return &Closing{vu: vu, owners: map[any]func(){}} }

// Add registers end for an owner, a pointer, that has something open.
func (c *Closing) Add(owner any, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owners[owner] = end
	if session := SessionOf(c.vu); !c.awaiting || session != c.session {
		c.awaiting, c.session = true, session
		OnVUEnd(c.vu, c.all)
	}
}

// Remove unregisters the owner.
func (c *Closing) Remove(owner any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.owners, owner)
}

// contained calls fn and recovers its panic.
func contained(fn func()) {
	defer crash.Contain("background work")
	fn()
}

func (c *Closing) all() {
	c.mu.Lock()
	ends := slices.Collect(maps.Values(c.owners))
	clear(c.owners)
	c.mu.Unlock()
	for _, end := range ends {
		contained(end)
	}
}
