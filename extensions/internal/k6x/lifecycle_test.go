package k6x

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
)

func TestOnVUEndInASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed []string
		s := &Session{}
		ctx, cancel := context.WithCancel(WithSession(t.Context(), s))
		vu := &modulestest.VU{CtxField: ctx, StateField: &lib.State{VUID: 1}}
		OnVUEnd(vu, func() { closed = append(closed, "connection") })
		OnVUEnd(vu, func() { closed = append(closed, "statement") })
		cancel()
		synctest.Wait()
		require.Empty(t, closed, "the end of an iteration is not the end of the step")
		s.End()
		require.Equal(t, []string{"statement", "connection"}, closed)
	})
}

func TestOnVUEndInSetup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := 0
		ctx, cancel := context.WithCancel(t.Context())
		OnVUEnd(&modulestest.VU{CtxField: ctx, StateField: &lib.State{VUID: 0}}, func() { closed++ })
		synctest.Wait()
		require.Zero(t, closed)
		cancel()
		synctest.Wait()
		require.Equal(t, 1, closed)
	})
}

// k6 waits up to half an hour until each subscriber has handled an event, also if the next event
// comes while a subscriber still ends its work on the last one.
func TestNoEventIsLeftUnhandled(t *testing.T) {
	system := state.NewGlobalState(t.Context()).Events
	emit := func(kind int, done func()) (wait func(context.Context) error) {
		method := reflect.ValueOf(system).MethodByName("Emit") // k6's event type is internal
		event := reflect.New(method.Type().In(0).Elem())
		event.Elem().FieldByName("Type").Set(reflect.ValueOf(kind).Convert(event.Elem().FieldByName("Type").Type()))
		event.Elem().FieldByName("Done").Set(reflect.ValueOf(done))
		wait, _ = method.Call([]reflect.Value{event})[0].Interface().(func(context.Context) error)

		return wait
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	handled := 0
	onEvent(common.Events{Global: system}, testEndEvent, func(any) { handled++ })
	var exits func(context.Context) error
	ends := emit(testEndEvent, func() { exits = emit(exitEvent, func() {}) })
	require.NoError(t, ends(ctx))
	require.NoError(t, exits(ctx))
	require.Equal(t, 1, handled)
}
