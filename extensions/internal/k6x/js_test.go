package k6x

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
)

func newRuntime() *sobek.Runtime {
	rt := sobek.New()
	rt.SetFieldNameMapper(common.FieldNameMapper{})

	return rt
}

type testOptions struct {
	Address string         `json:"address"`
	Size    int64          `json:"size"`
	Ratio   float64        `json:"ratio,omitempty"`
	Fast    bool           `json:"fast"`
	List    []string       `json:"list"`
	Nested  nestedOptions  `json:"nested"`
	Free    map[string]any `json:"free"`
	Hidden  string         `json:"-"`
}

type nestedOptions struct {
	Depth int `json:"depth"`
}

func TestOptions(t *testing.T) {
	defaults := testOptions{Address: "default", Size: 7, Nested: nestedOptions{Depth: 1}}
	with := func(change func(*testOptions)) testOptions {
		o := defaults
		change(&o)

		return o
	}
	for _, tt := range []struct {
		js   string
		want testOptions
	}{
		{`undefined`, defaults},
		{`null`, defaults},
		{`({})`, defaults},
		{`({address: undefined, size: null})`, defaults},
		{`({address: "h:1", size: 3})`, with(func(o *testOptions) { o.Address, o.Size = "h:1", 3 })},
		{`({size: 3.0, ratio: 0.5})`, with(func(o *testOptions) { o.Size, o.Ratio = 3, 0.5 })},
		{`({ratio: 2})`, with(func(o *testOptions) { o.Ratio = 2 })},
		{`({fast: true, list: ["a", "b"]})`, with(func(o *testOptions) { o.Fast, o.List = true, []string{"a", "b"} })},
		{`({nested: {depth: 3}})`, with(func(o *testOptions) { o.Nested.Depth = 3 })},
		{`({nested: {}})`, defaults},
		{`({free: {a: 1, b: {c: "x"}}})`, with(func(o *testOptions) {
			o.Free = map[string]any{"a": 1.0, "b": map[string]any{"c": "x"}}
		})},
		{`Object.create({address: "inherited"}, {size: {value: 5, enumerable: true}})`, with(func(o *testOptions) { o.Size = 5 })},
	} {
		t.Run(tt.js, func(t *testing.T) {
			value, err := newRuntime().RunString(tt.js)
			require.NoError(t, err)
			got := defaults
			require.NoError(t, ReadOptions(value, &got))
			require.Equal(t, tt.want, got)
		})
	}

	got := defaults
	require.NoError(t, ReadOptions(nil, &got), "an argument that is not there")
	require.Equal(t, defaults, got)
}

func TestEmbeddedOptions(t *testing.T) {
	var got struct {
		nestedOptions

		Width int `json:"width"`
	}
	value, err := newRuntime().RunString(`({depth: 2, width: 3})`)
	require.NoError(t, err)
	require.NoError(t, ReadOptions(value, &got))
	require.Equal(t, 2, got.Depth)
	require.Equal(t, 3, got.Width)
	value, err = newRuntime().RunString(`({height: 2})`)
	require.NoError(t, err)
	require.EqualError(t, ReadOptions(value, &got), `unknown option "height"; known are depth, width`)
}

func TestOptionsErrors(t *testing.T) {
	for _, tt := range []struct{ js, want string }{
		{`"address"`, `options must be an object, not address`},
		{`5`, `options must be an object, not 5`},
		{`true`, `options must be an object, not true`},
		{`["address"]`, `options must be an object, not an array`},
		{`new Date(0)`, `options must be an object, not a string`},
		{`({address_: "h:1"})`, `unknown option "address_"; known are address, size, ratio, fast, list, nested, free`},
		{`({Hidden: "x"})`, `unknown option "Hidden"; known are address, size, ratio, fast, list, nested, free`},
		{`({address: 5})`, `option address must be a string, not a number`},
		{`({size: "5"})`, `option size must be an integer, not a string`},
		{`({size: 1.5})`, `option size must be an integer, not a number 1.5`},
		{`({fast: "yes"})`, `option fast must be true or false, not a string`},
		{`({list: "a"})`, `option list must be an array, not a string`},
		{`({nested: {depth: "deep"}})`, `option nested.depth must be an integer, not a string`},
		{`({nested: 5})`, `option nested must be an object, not a number`},
		{`({free: () => 1})`, `options cannot be read: json: unsupported type`},
		{`({ratio: NaN})`, `option ratio must be a finite number, not NaN`},
		{`({free: {a: [1, {b: -Infinity}]}})`, `option free.a[1].b must be a finite number, not -Infinity`},
		{`({free: [1 / 0]})`, `option free[0] must be a finite number, not Infinity`},
	} {
		t.Run(tt.js, func(t *testing.T) {
			value, err := newRuntime().RunString(tt.js)
			require.NoError(t, err)
			require.ErrorContains(t, ReadOptions(value, &testOptions{}), tt.want)
		})
	}
}

func call(t *testing.T, fn func(sobek.FunctionCall) sobek.Value, script string) any {
	t.Helper()
	rt := newRuntime()
	require.NoError(t, rt.Set("fn", fn))
	value, err := rt.RunString(script)
	require.NoError(t, err)

	return value.Export()
}

func TestThrow(t *testing.T) {
	rt := newRuntime()
	fn := func(sobek.FunctionCall) sobek.Value {
		Throw(rt, "MachbaseError", "no such table", map[string]any{"code": 2009, "sql": "select"})

		return nil
	}
	require.NoError(t, rt.Set("fn", fn))
	got, err := rt.RunString(`
		let e; try { fn(); e = "nothing thrown" } catch (x) { e = x }
		({ isError: e instanceof Error, isType: e instanceof TypeError, text: String(e), name: e.name, message: e.message,
		   code: e.code, sql: e.sql, stack: typeof e.stack })`)
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"isError": true, "isType": false, "text": "MachbaseError: no such table",
		"name": "MachbaseError", "message": "no such table", "code": int64(2009), "sql": "select", "stack": "string",
	}, got.Export())
}

func TestThrowUncaught(t *testing.T) {
	rt := newRuntime()
	require.NoError(t, rt.Set("fn", func(sobek.FunctionCall) sobek.Value {
		Throw(rt, "CacheError", "gone", nil)

		return nil
	}))
	_, err := rt.RunString(`fn()`)
	var exception *sobek.Exception
	require.ErrorAs(t, err, &exception)
	require.Equal(t, "CacheError: gone", exception.Value().String())
}

func TestThrowType(t *testing.T) {
	rt := newRuntime()
	require.NoError(t, rt.Set("fn", func(sobek.FunctionCall) sobek.Value {
		ThrowType(rt, "take %s, not %d%%", "this", 5)

		return nil
	}))
	got, err := rt.RunString(`try { fn(); "nothing thrown" } catch (e) { [e instanceof TypeError, e.message] }`)
	require.NoError(t, err)
	require.Equal(t, []any{true, "take this, not 5%"}, got.Export())
}

func TestExports(t *testing.T) {
	vu := modulestest.NewRuntime(t).VU
	rt := vu.Runtime()
	calls := 0
	var told sync.Once
	exported := NewExported(vu, map[string]any{
		"add": func(call sobek.FunctionCall) sobek.Value {
			calls++

			return rt.ToValue(call.Argument(0).ToInteger() + call.Argument(1).ToInteger())
		},
		"limit": 512,
	})

	require.ElementsMatch(t, []string{"add", "limit"}, slices.Collect(maps.Keys(exported.Exports(&told).Named)))
	exports := exported.Exports(&told)
	require.Nil(t, exports.Named, "k6 takes values from the default export")
	object, ok := exports.Default.(*sobek.Object)
	require.True(t, ok)
	require.NoError(t, rt.Set("mod", object))
	for _, name := range []string{"add", "limit"} {
		value := object.Get(name)
		require.True(t, value.StrictEquals(object.Get(name)), "%s is made a JavaScript value once, not at each use", name)
		require.NoError(t, rt.Set(name, value))
	}
	require.Nil(t, object.Get("then"))

	got, err := rt.RunString(`[mod.add === add, mod.add(1, 2), add(3, 4), limit, 'add' in mod, 'limits' in mod, (() => {
		const names = [];
		for (const name in mod) names.push(name);
		return names.join();
	})()]`)
	require.NoError(t, err)
	require.Equal(t, []any{true, int64(3), int64(7), int64(512), true, false, "add,limit"}, got.Export())
	require.Equal(t, 2, calls)

	for _, script := range []string{`mod.limits()`, `new mod.limits()`} {
		_, err := rt.RunString(script)
		require.ErrorContains(t, err, "TypeError: there is no limits here: use limit at", script)
		require.False(t, errext.IsInterruptError(err), "the init context ends with every exception")
	}
	vu.InitEnvField, vu.StateField = nil, &lib.State{}
	_, err = rt.RunString(`mod.limits()`)
	require.True(t, errext.IsInterruptError(err))
}

func TestMust(t *testing.T) {
	rt := newRuntime()
	boom := errors.New("boom")
	got := call(t, func(sobek.FunctionCall) sobek.Value {
		must(rt, nil)

		return rt.ToValue("fine")
	}, `fn()`)
	require.Equal(t, "fine", got)
	require.Panics(t, func() { must(rt, boom) })
}
