package k6x

import (
	"reflect"
	"strings"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

func logCrashes(vu modules.VU) {
	env := vu.InitEnv()
	if env == nil || env.TestPreInitState == nil || env.Logger == nil {
		return
	}
	logger := env.Logger
	crash.SetLog(func(text string) { logger.Error(text) })
}

// throwCrash turns a Go panic into a JavaScript exception of the kind "internal". Defer it.
func throwCrash(rt *sobek.Runtime) {
	if fault := caught(recover()); fault != nil {
		Throw(rt, "InternalError", fault.Error(), map[string]any{"kind": "internal", "code": 0})
	}
}

// caught converts a recovered value, and logs it. It passes JavaScript's exceptions on.
func caught(value any) *crash.Error {
	if value == nil {
		return nil
	}
	if isScripts(value) {
		panic(value)
	}

	return crash.Caught(value)
}

// isScripts reports whether a panic is a JavaScript exception or an interrupt by k6.
func isScripts(value any) bool {
	if _, thrown := value.(sobek.Value); thrown {
		return true
	}
	t := reflect.TypeOf(value)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	return strings.HasPrefix(t.PkgPath(), "github.com/grafana/sobek")
}

func guarded(rt *sobek.Runtime, value any) any {
	switch fn := value.(type) {
	case func(sobek.FunctionCall) sobek.Value:
		return func(call sobek.FunctionCall) sobek.Value {
			defer throwCrash(rt)

			return fn(call)
		}
	case func(sobek.ConstructorCall) *sobek.Object:
		return func(call sobek.ConstructorCall) *sobek.Object {
			defer throwCrash(rt)

			return fn(call)
		}
	default:
		return value
	}
}

// RegisterCallback wraps the VU's RegisterCallback: Begun counts the call, and a panic in the
// callback becomes its error.
func RegisterCallback(vu modules.VU) func(func() error) {
	addBegun(vu.Runtime())
	back := vu.RegisterCallback()

	return func(do func() error) {
		back(func() (err error) {
			defer func() {
				if fault := caught(recover()); fault != nil {
					err = fault
				}
			}()

			return do()
		})
	}
}
