package k6x

import (
	"errors"
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
)

func withMisuse(t *testing.T) *sobek.Runtime {
	t.Helper()
	rt := newRuntime()
	require.NoError(t, rt.Set("wrong", named(rt, "wrong", func(sobek.FunctionCall) sobek.Value {
		panic(NewMisuse(rt, "CacheError", "get: no", map[string]any{"kind": "usage", "code": 0}))
	})))

	return rt
}

func requireEndsTest(t *testing.T, err error) {
	t.Helper()
	require.True(t, errext.IsInterruptError(err), err)
	var code errext.HasExitCode
	require.ErrorAs(t, err, &code)
	require.Equal(t, exitcodes.ScriptException, code.ExitCode())
}

func TestMisuseEndsTheTest(t *testing.T) {
	rt := withMisuse(t)
	_, err := rt.RunString(`wrong()`)
	require.ErrorContains(t, err, "CacheError: get: no at wrong")
	requireEndsTest(t, err)

	value, err := rt.RunString(`(async () => { wrong(); })()`)
	require.NoError(t, err)
	promise, is := value.Export().(*sobek.Promise)
	require.True(t, is)
	rejected, is := promise.Result().Export().(error)
	require.True(t, is)
	require.EqualError(t, rejected, "CacheError: get: no")
	requireEndsTest(t, rejected)

	_, err = rt.RunString(`try { wrong(); } catch (e) { throw new Error('another: ' + e.message); }`)
	require.False(t, errext.IsInterruptError(err), "what a script throws itself is its own")
	require.False(t, errext.IsInterruptError(errors.New("any")))
}

func TestMisuseIsAnError(t *testing.T) {
	for js, want := range map[string]any{
		`e instanceof Error`: true,
		`String(e)`:          "CacheError: get: no",
		`[e.name, e.kind, e.code, e.message].join()`:     "CacheError,usage,0,get: no",
		`JSON.stringify(e)`:                              `{"code":0,"kind":"usage","name":"CacheError"}`,
		`e.stack.split('\n').slice(0, 2).join()`:         "CacheError: get: no,\tat wrong (native)",
		`e.more = 5; e.more + Object.keys(e).join()`:     "5code,kind,more,name",
		`e.message = 'other'; String(e)`:                 "CacheError: other",
		`delete e.kind; [e.kind, Object.keys(e)].join()`: ",code,name",
		`'kind' in e && e.hasOwnProperty('stack')`:       true,
	} {
		rt := withMisuse(t)
		_, err := rt.RunString(`let e; try { wrong(); } catch (caught) { e = caught; }`)
		require.NoError(t, err)
		require.Equal(t, want, evaluate(t, rt, js).Export(), js)
	}
	rt := withMisuse(t)
	require.Equal(t, "CacheError: get: no", evaluate(t, rt, `delete globalThis.GoError; try { wrong(); } catch (e) { String(e) }`).Export())
}
