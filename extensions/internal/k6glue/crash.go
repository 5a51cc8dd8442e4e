package k6glue

import (
	"reflect"
	"strings"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// logCrashes has the stacks of panics written to k6's log.
func logCrashes(vu modules.VU) {
	env := vu.InitEnv()
	if env == nil || env.TestPreInitState == nil || env.Logger == nil {
		return
	}
	logger := env.Logger
	crash.SetLog(func(text string) { logger.Error(text) })
}

// throwCrash makes an exception of a panic of Go, with the kind "internal". It is for defer in what
// JavaScript calls; JavaScript's own exceptions go on as they are.
func throwCrash(rt *sobek.Runtime) {
	value := recover()
	if value == nil {
		return
	}
	if isScripts(value) {
		panic(value)
	}
	Throw(rt, "InternalError", crash.Caught(value).Error(), map[string]any{"kind": "internal", "code": 0})
}

// isScripts tells whether a panic is one of those by which JavaScript throws and k6 interrupts.
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

// guarded is a function for scripts whose panics are exceptions.
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

// RegisterCallback is that of the VU, and Begun counts it. A panic of what it is given is the error
// of that, and not the end of k6.
func RegisterCallback(vu modules.VU) func(func() error) {
	addBegun(vu.Runtime())
	back := vu.RegisterCallback()

	return func(do func() error) {
		back(func() (err error) {
			defer catchCrash(&err)

			return do()
		})
	}
}

// catchCrash makes *err the error of a panic of Go. It is for defer.
func catchCrash(err *error) {
	value := recover()
	if value == nil {
		return
	}
	if isScripts(value) {
		panic(value)
	}
	*err = crash.Caught(value)
}
