package k6x

import (
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

func TestPanicsOfExportsAreExceptions(t *testing.T) {
	runtime := modulestest.NewRuntime(t)
	rt := runtime.VU.Runtime()
	nobody := func() { _ = (*Session)(nil).Op }
	exports := NewExported(runtime.VU, map[string]any{
		"fn": func(call sobek.FunctionCall) sobek.Value {
			if back, ok := sobek.AssertFunction(call.Argument(0)); ok {
				if _, err := back(sobek.Undefined()); err != nil {
					panic(err)
				}
			}
			nobody()

			return nil
		},
		"Class": func(call sobek.ConstructorCall) *sobek.Object {
			Methods[int]{"method": func(int, sobek.FunctionCall) sobek.Value { panic("no reason") }}.Put(rt, call.This, 1)
			if len(call.Arguments) > 0 {
				nobody()
			}

			return nil
		},
	})
	var said []string
	crash.SetLog(func(text string) { said = append(said, text) })
	for _, name := range []string{"fn", "Class"} {
		require.NoError(t, rt.Set(name, exports.object.Get(name)))
	}
	require.NoError(t, rt.Set("raw", func(sobek.FunctionCall) sobek.Value { panic("below") }))
	const fault = "a fault in k6's extensions or in a library, not in the script or the server (its stack is in the log): "
	for range 2 {
		for call, want := range map[string]string{
			`fn()`:                          "InternalError internal " + fault + "runtime error: invalid memory address or nil pointer dereference",
			`new Class(1)`:                  "InternalError internal " + fault + "runtime error: invalid memory address or nil pointer dereference",
			`new Class().method()`:          "InternalError internal " + fault + "no reason",
			`fn(() => { raw() })`:           "InternalError internal " + fault + "below",
			`fn(() => { throw 'own' })`:     "own",
			`fn(() => { null.x })`:          "TypeError",
			`[1].map(() => fn())`:           "InternalError internal",
			`delete globalThis.Error; fn()`: "TypeError",
		} {
			got, err := rt.RunString(`(() => { const kept = globalThis.Error; try { ` + call +
				` } catch (e) { return e instanceof Object ? [e.name, e.kind, e.message].join(' ') : e } finally { globalThis.Error = kept } })()`)
			require.NoError(t, err, call)
			require.Contains(t, got.String(), want, call)
		}
	}
	require.Len(t, said, 4, "once for each place")
	require.Contains(t, said[0], "goroutine ")

	defer rt.ClearInterrupt()
	rt.Interrupt("the end")
	_, err := rt.RunString(`fn(() => { for (;;) {} })`)
	require.ErrorAs(t, err, new(*sobek.InterruptedError))
}
