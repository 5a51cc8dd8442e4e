package testutil

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib"
)

// ExitEvents returns k6's event system, and a function that emits the event Exit and waits for its
// subscribers. The type is internal to k6, so it is built by reflection.
func ExitEvents(t *testing.T) (common.Events, func()) {
	t.Helper()
	system := reflect.New(reflect.TypeOf(lib.TestPreInitState{}.Events).Elem())
	set := func(name string, value reflect.Value) {
		field := system.Elem().FieldByName(name)
		at := unsafe.Pointer(field.UnsafeAddr()) //nolint:gosec // there is no other way into a field that is not exported
		reflect.NewAt(field.Type(), at).Elem().Set(value.Convert(field.Type()))
	}
	logger := logrus.New()
	logger.SetOutput(os.Stderr)
	set("subscribers", reflect.MakeMap(system.Elem().FieldByName("subscribers").Type()))
	set("eventBuffer", reflect.ValueOf(10))
	set("logger", reflect.ValueOf(logger))

	var events common.Events
	reflect.ValueOf(&events).Elem().FieldByName("Global").Set(system)

	emit := system.MethodByName("Emit")
	event := emit.Type().In(0).Elem()

	return events, func() {
		e := reflect.New(event)
		kind := e.Elem().FieldByName("Type")
		for fmt.Sprint(kind.Interface()) != "Exit" {
			kind.SetUint(kind.Uint() + 1)
			require.Less(t, kind.Uint(), uint64(100), "k6 has no event Exit any more")
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		wait := emit.Call([]reflect.Value{e})[0]
		result := wait.Call([]reflect.Value{reflect.ValueOf(ctx)})[0]
		require.True(t, result.IsNil(), "not all that wait for k6's end have come to theirs")
	}
}
