package k6x

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
)

func evaluate(tb testing.TB, rt *sobek.Runtime, script string) sobek.Value {
	tb.Helper()
	value, err := rt.RunString(script)
	require.NoError(tb, err, script)

	return value
}

// requireFrugal checks that fn allocates at most a few megabytes.
func requireFrugal(tb testing.TB, fn func()) {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	require.Less(tb, after.TotalAlloc-before.TotalAlloc, uint64(256<<20))
}

func TestExport(t *testing.T) {
	for script, want := range map[string]any{
		`undefined`:                            nil,
		`null`:                                 nil,
		`1.5`:                                  1.5,
		`({ a: 1, b: [true, 'x', null,, 2] })`: map[string]any{"a": int64(1), "b": []any{true, "x", nil, nil, int64(2)}},
		`[[], {}]`:                             []any{[]any{}, map[string]any{}},
		`const same = [1]; [same, same]`:       []any{[]any{int64(1)}, []any{int64(1)}},
		`new Date(5)`:                          time.UnixMilli(5),
		`new Float64Array([1])`:                []float64{1},
		`Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } })`: map[string]any{"own": int64(2)},
	} {
		t.Run(script, func(t *testing.T) {
			got, err := Export(evaluate(t, newRuntime(), script))
			require.NoError(t, err)
			require.EqualValues(t, want, got)
		})
	}
}

func TestExportOfUnboundedValues(t *testing.T) {
	for script, says := range map[string]string{
		`new Array(4294967295)`:                                            "an array has 4294967295 elements: at most 1000000 are allowed",
		`({ a: { list: new Array(1e9) } })`:                                "a: list: an array has 1000000000 elements: at most 1000000 are allowed",
		`const o = {}; o.self = o; o`:                                      "self: it contains itself",
		`const a = [1]; a.push({ a }); a`:                                  "element 1: a: it contains itself",
		`let deep = []; for (let i = 0; i < 1e4; i++) deep = [deep]; deep`: "it is nested more than 100 deep",
		`const row = new Array(1e6).fill(0); new Array(1e6).fill(row)`:     "there are more than 10000000 values in it",
		`new Set([1])`:               "a Set cannot be read: make an array of it",
		`({ at: new Date('soon') })`: "at: it is an invalid Date",
	} {
		t.Run(script, func(t *testing.T) {
			value := evaluate(t, newRuntime(), script)
			require.ErrorContains(t, ReadOptions(value, new(map[string]any)), says)
		})
	}
}

func TestElements(t *testing.T) {
	rt := newRuntime()
	values, err := elementsOf("the keys", evaluate(t, rt, `['a',, 2]`))
	require.NoError(t, err)
	require.Equal(t, []sobek.Value{rt.ToValue("a"), sobek.Undefined(), rt.ToValue(2)}, values)
	for script, says := range map[string]string{
		`5`:                                "the keys must be an array, not 5",
		`({ length: 4294967295 })`:         "the keys must be an array, not an object",
		`new Uint8Array(3)`:                "the keys must be an array, not a typed array",
		`new Array(4294967295)`:            "the keys: an array has 4294967295 elements: at most 1000000 are allowed",
		`new Proxy([], { get: () => -1 })`: "the keys must be an array, not an object",
	} {
		_, err := elementsOf("the keys", evaluate(t, rt, script))
		require.EqualError(t, err, says, script)
	}
}

// One array may occur many times in a call.
func TestReadingOfManyArrays(t *testing.T) {
	rt := newRuntime()
	long := evaluate(t, rt, `new Array(1000000)`)
	var r Reading
	for range maxAll / MaxElements {
		_, err := r.Length(long)
		require.NoError(t, err)
	}
	_, err := r.Length(evaluate(t, rt, `[1]`))
	require.EqualError(t, err, "there are more than 10000000 values in it")
}

func TestScalarsAndTexts(t *testing.T) {
	rt := newRuntime()
	requireFrugal(t, func() {
		for _, script := range []string{
			`new Array(4294967295)`, `({})`, `new Set([new Array(4294967295)])`, `new Map([[1, new Array(4294967295)]])`,
			`const held = []; held.push(held); held`,
		} {
			value := evaluate(t, rt, script)
			require.Nil(t, Scalar(value), script)
			_, ok := TextOf(value)
			require.False(t, ok, script)
			_, ok = UnsignedOf(value)
			require.False(t, ok, script)
			_, ok = DurationOf(value)
			require.False(t, ok, script)
			_, ok = BytesOf(rt, value, nil)
			require.False(t, ok, script)
			require.Less(t, len(Show(value)), 100, script)
		}
	})
	text, ok := TextOf(evaluate(t, rt, `'te' + 'xt'`))
	require.True(t, ok)
	require.Equal(t, "text", text)
}

func TestUnsigned(t *testing.T) {
	rt := newRuntime()
	for script, want := range map[string]uint64{
		`0`: 0, `9007199254740991`: MaxSafeInteger, `18446744073709551615n`: 1<<64 - 1, `2.0`: 2,
	} {
		n, ok := UnsignedOf(evaluate(t, rt, script))
		require.True(t, ok, script)
		require.Equal(t, want, n, script)
		require.Equal(t, script == `18446744073709551615n`, FromUnsigned(rt, n).ExportType().String() == "*big.Int", script)
	}
	for _, script := range []string{`-1`, `1.5`, `1e300`, `NaN`, `Infinity`, `18446744073709551616n`, `-1n`, `'1'`, `null`} {
		_, ok := UnsignedOf(evaluate(t, rt, script))
		require.False(t, ok, script)
	}
}

func TestDurations(t *testing.T) {
	rt := newRuntime()
	for script, want := range map[string]time.Duration{
		`0`: 0, `1500`: 1500 * time.Millisecond, `0.5`: 500 * time.Microsecond, `'1m30s'`: 90 * time.Second, `-1`: -time.Millisecond,
	} {
		d, ok := DurationOf(evaluate(t, rt, script))
		require.True(t, ok, script)
		require.Equal(t, want, d, script)
	}
	for _, script := range []string{
		`1e300`, `-1e300`, `NaN`, `Infinity`, `9223372036854775`, `4611686018427387904`, `'soon'`, `null`, `true`, `1n`, `({})`,
	} {
		_, ok := DurationOf(evaluate(t, rt, script))
		require.False(t, ok, script)
	}
}

func TestShow(t *testing.T) {
	rt := newRuntime()
	for script, want := range map[string]string{
		`undefined`: "undefined", `null`: "null", `5`: "5", `'text'`: "text", `new String('boxed')`: "an object (String)",
		`({ toString() { throw new Error('called') } })`: "an object", `new Date(0)`: "an object (Date)", `(() => 1)`: "a function",
		`[1, 'a', null]`: "[1, a, null]", `[]`: "[]", `[[1]]`: "an array of 1 elements", `new Array(4294967295)`: "an array of 4294967295 elements",
		`new ArrayBuffer(4)`: "an ArrayBuffer", `new Map()`: "an object",
	} {
		require.Equal(t, want, Show(evaluate(t, rt, script)), script)
	}
	require.Equal(t, "undefined", Show(nil))
}

func TestFrozen(t *testing.T) {
	for script, remembered := range map[string]bool{
		`Object.freeze(['a', 1])`:                  true,
		`Object.freeze({ a: Object.freeze([1]) })`: true,
		`['a']`:                      false,
		`Object.seal(['a'])`:         false,
		`Object.freeze([[1]])`:       false,
		`Object.freeze(new Date(0))`: false,
		`Object.freeze([new Uint8Array([1]).buffer])`:                                                                      false,
		`Object.freeze([Object.freeze(new ArrayBuffer(8))])`:                                                               false,
		`Object.freeze([Object.freeze(new Map())])`:                                                                        false,
		`Object.freeze([Object.freeze(new Set())])`:                                                                        false,
		`const a = ['x']; a.self = a; Object.freeze(a)`:                                                                    false,
		`delete globalThis.Object.isFrozen; Object.freeze([1])`:                                                            false,
		`const o = Object; delete globalThis.Object; o.freeze([1])`:                                                        false,
		`let wide = Object.freeze([]); for (let i = 0; i < 7; i++) wide = Object.freeze(new Array(1000).fill(wide)); wide`: false,
	} {
		t.Run(script, func(t *testing.T) {
			rt := newRuntime()
			value, reads := evaluate(t, rt, script), 0
			var f Frozen[int]
			for range 2 {
				_, err := f.Of(rt, value, func(sobek.Value) (int, error) {
					reads++

					return reads, nil
				})
				require.NoError(t, err)
			}
			require.Equal(t, remembered, reads == 1)
		})
	}
	var f Frozen[int]
	rt := newRuntime()
	value := evaluate(t, rt, `Object.freeze([1])`)
	_, err := f.Of(rt, value, func(sobek.Value) (int, error) { return 0, errors.New("no") })
	require.EqualError(t, err, "no")
	got, err := f.Of(rt, value, func(sobek.Value) (int, error) { return 7, nil })
	require.NoError(t, err)
	require.Equal(t, 7, got, "an error is not remembered")
}

// FuzzScriptValues reads values of arbitrary scripts in all ways. It skips slow scripts.
func FuzzScriptValues(f *testing.F) {
	for _, script := range []string{`[1,[2]]`, `({a:{b:1}})`, `new Array(4294967295)`, `let a=[];a[0]=a;a`, `new Map([[1,2]])`, `new Proxy([],{})`, `5n`} {
		f.Add(script)
	}
	f.Fuzz(func(_ *testing.T, script string) {
		if strings.ContainsAny(script, "`") || len(script) > 200 {
			return
		}
		rt := newRuntime()
		stop := time.AfterFunc(100*time.Millisecond, func() { rt.Interrupt("it takes long") })
		value, err := rt.RunString(script)
		if stop.Stop(); err != nil {
			return
		}
		rt.ClearInterrupt()
		stop = time.AfterFunc(time.Second, func() { rt.Interrupt("it takes long") })
		defer stop.Stop()
		_ = rt.Try(func() {
			_, _ = Export(value)
			_, _ = elementsOf("it", value)
			_, _ = TextOf(value)
			_, _ = UnsignedOf(value)
			_, _ = DurationOf(value)
			_, _ = BytesOf(rt, value, nil)
			_ = Show(value)
			_, _ = new(Frozen[int]).Of(rt, value, func(sobek.Value) (int, error) { return 0, nil })
		})
	})
}
