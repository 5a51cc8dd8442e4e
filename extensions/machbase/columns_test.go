package machbase

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func columnsFor(t *testing.T, columns string) (got []any, returned any) {
	t.Helper()
	v := newVU(t, &fakeDriver{columns: func(_ *fakeConn, columns []any) error {
		got = columns

		return nil
	}})
	returned = v.Run(`new machbase.Client().appender('t').appendColumns(` + columns + `)`)

	return got, returned
}

func TestColumns(t *testing.T) {
	for js, want := range map[string]any{
		`new Float64Array([0.5, NaN, -Infinity]).map((x, i) => i === 1 ? 7 : x)`:   []float64{0.5, 7, math.Inf(-1)},
		`new Float32Array([0.5, 0.1])`:                                             []float32{0.5, 0.1},
		`new Int8Array([-128, 127])`:                                               []int8{-128, 127},
		`new Int16Array([-32768])`:                                                 []int16{-32768},
		`new Int32Array([-2147483648])`:                                            []int32{math.MinInt32},
		`new Uint8Array([255])`:                                                    []uint8{255},
		`new Uint8ClampedArray([300])`:                                             []uint8{255},
		`new Uint16Array([65535])`:                                                 []uint16{65535},
		`new Uint32Array([4294967295])`:                                            []uint32{math.MaxUint32},
		`new BigInt64Array([-(2n ** 63n), 5n])`:                                    []int64{math.MinInt64, 5},
		`new BigUint64Array([2n ** 64n - 1n])`:                                     []uint64{math.MaxUint64},
		`new Float64Array([1, 2, 3, 4]).subarray(1, 3)`:                            []float64{2, 3},
		`['a', 1, 0.5, null, undefined, 2n]`:                                       []any{"a", int64(1), 0.5, nil, nil, int64(2)},
		`[machbase.bind('ipv4', '1.2.3.4')].map(() => machbase.bind('double', 3))`: []any{3.0},
	} {
		t.Run(js, func(t *testing.T) {
			got, returned := columnsFor(t, `[`+js+`]`)
			require.Equal(t, []any{want}, got)
			require.Positive(t, returned)
		})
	}

	got, returned := columnsFor(t, `[[new Date(1), new Date(2)], new Int32Array([3, 4])]`)
	require.Equal(t, int64(2), returned)
	require.True(t, time.UnixMilli(2).Equal(got[0].([]any)[1].(time.Time)))
	require.Equal(t, []int32{3, 4}, got[1])
}

func TestColumnErrors(t *testing.T) {
	const look = `appendColumns: it takes an array of columns such as [['a', 'b'], new Float64Array([1, 2])], not `
	for columns, want := range map[string]string{
		``:                                    look + `undefined`,
		`{}`:                                  look + `an object`,
		`new Float64Array(2)`:                 look + `a typed array`,
		`new Array(4294967295)`:               `appendColumns: an array has 4294967295 elements: at most 1000000 are allowed`,
		`[new Array(4294967295)]`:             `appendColumns: column 1: an array has 4294967295 elements: at most 1000000 are allowed`,
		`new Array(1e6).fill(new Array(1e6))`: `appendColumns: column 10: there are more than 10000000 values in it`,
		`[[1], 5]`:                            `appendColumns: column 2: it must be an array or a typed array, not 5`,
		`[[1], null]`:                         `appendColumns: column 2: it must be an array or a typed array, not null`,
		`[{}]`:                                `appendColumns: column 1: it must be an array or a typed array, not an object (Object)`,
		`[new ArrayBuffer(8)]`:                `appendColumns: column 1: it must be an array or a typed array, not an object (Object)`,
		`[[1, true]]`: `appendColumns: column 1: parameter 2: true (bool) cannot be bound; ` +
			`use a string, number, BigInt, Date, ArrayBuffer, null or machbase.bind(type, value)`,
	} {
		t.Run(columns, func(t *testing.T) {
			v := newVU(t, &fakeDriver{})
			require.Equal(t, thrown{"MachbaseError", want, k6x.KindUsage, 0},
				v.fail(`new machbase.Client().appender('t').appendColumns(`+columns+`)`))
		})
	}
}

func TestAppenderOptions(t *testing.T) {
	for options, want := range map[string]cmi.AppendOptions{
		``:                         {},
		`{}`:                       {},
		`{ columns: ['a', 'b'] }`:  {Columns: []string{"a", "b"}},
		`{ batchRows: 10 }`:        {Batch: cmi.Batch{Rows: 10}},
		`{ batchBytes: 65536 }`:    {Batch: cmi.Batch{Bytes: 65536}},
		`{ batchTime: '1500ms' }`:  {Batch: cmi.Batch{Age: 1500 * time.Millisecond}},
		`{ batchTime: '20ms' }`:    {Batch: cmi.Batch{Age: 20 * time.Millisecond}},
		`{ batchRows: undefined }`: {},
	} {
		var got cmi.AppendOptions
		v := newVU(t, &fakeDriver{options: func(o cmi.AppendOptions) { got = o }})
		v.Run(`new machbase.Client().appender('t', ` + options + `)`)
		require.Equal(t, want, got, options)
	}

	for options, want := range map[string]string{
		`{ batchRows: -1 }`:      `appender: batchRows must be at least 1, not -1`,
		`{ batchBytes: 70000 }`:  `appender: batchBytes must be from 1 to 65536, not 70000`,
		`{ batchBytes: -1 }`:     `appender: batchBytes must be from 1 to 65536, not -1`,
		`{ batchTime: 0 }`:       `appender: batchTime must be more than 0, not 0s`,
		`{ batchTime: '-1s' }`:   `appender: batchTime must be more than 0, not -1s`,
		`{ batchRows: 1.5 }`:     `appender: option batchRows must be an integer, not a number 1.5`,
		`{ batch: 1 }`:           `appender: unknown option "batch"; known are columns, batchRows, batchBytes, batchTime, tags`,
		`{ columns: 'a' }`:       `appender: option columns must be an array, not a string`,
		`{ columns: ['a', 5] }`:  `appender: option columns must be a string, not a number`,
		`{ batchTime: 'soon' }`:  `appender: option batchTime must be a time such as '5s', or a number of milliseconds from 100, not soon`,
		`{ batchRows: 'many' }`:  `appender: option batchRows must be an integer, not a string`,
		`{ batchBytes: 'many' }`: `appender: option batchBytes must be an integer, not a string`,
	} {
		v := newVU(t, &fakeDriver{})
		require.Equal(t, thrown{"MachbaseError", want, k6x.KindUsage, 0}, v.fail(`new machbase.Client().appender('t', `+options+`)`))
	}
}

func TestGenerators(t *testing.T) {
	var got []any
	v := newVU(t, &fakeDriver{columns: func(_ *fakeConn, columns []any) error {
		got = append([]any(nil), columns[0].([]string)[0], columns[1].([]int64)[0], columns[2].([]float64))

		return nil
	}})
	v.Run(`var a = new machbase.Client().appender('t')`)
	for _, test := range []struct {
		arguments string
		rows      int64
		want      []any
	}{
		{`'sequence', { from: new Date(5), rows: 3 }`, 3, []any{"tag-0", int64(5_000_000), []float64{0, 1, 2}}},
		{`'sequence', { from: new Date(5), to: new Date(1005), interval: '500ms', offset: -1 }`, 2, []any{"tag-0", int64(5_000_000), []float64{-1, 0}}},
		{`'sequence', { from: '1970-01-01T00:00:01Z', rows: 4, tags: 2, prefix: 'x' }`, 4, []any{"x0", int64(1e9), []float64{0, 0, 1, 1}}},
		{`'sine', { from: new Date(0), rows: 2, interval: 15000, amplitude: 3, offset: 4 }`, 2, []any{"tag-0", int64(0), []float64{4, 7}}},
		{`'sine', { from: new Date(0), rows: 2, interval: '1s', period: '4s' }`, 2, []any{"tag-0", int64(0), []float64{0, 1}}},
	} {
		require.Equal(t, test.rows, v.Run(`a.generate(`+test.arguments+`)`), test.arguments)
		require.Equal(t, test.want, got, test.arguments)
	}

	const all = `tags, prefix, from, to, rows, interval`
	for arguments, want := range map[string]string{
		``:                     `generate: unknown generator "undefined"; known are sequence, sine, stock_rollup_1m, stock_rollup_1s, stock_tick`,
		`'sine'`:               `generate: from is missing: it is the time of the first rows`,
		`'sine', { seed: 1 }`:  `generate: unknown option "seed"; known are ` + all + `, period, amplitude, offset`,
		`'sequence', { x: 1 }`: `generate: unknown option "x"; known are ` + all + `, offset`,
		`'sine', { from: new Date(0), rows: 1, tags: 0 }`:                `generate: tags must be from 1 to 1000000, not 0`,
		`'sine', { from: new Date(0), rows: 1, interval: 0 }`:            `generate: interval must be more than 0, not 0s`,
		`'sine', { from: new Date(0), rows: 1, period: '-1s' }`:          `generate: period must be more than 0, not -1s`,
		`'sine', { from: new Date(0), rows: 1, to: new Date(1) }`:        `generate: set either to (the time before which the rows end) or rows (their number)`,
		`'stock_tick', { from: new Date(0), to: new Date(1), tps: 1e7 }`: `generate: stock: TPS is 1e+07, want 0.01 to 1000000 ticks per second`,
		`'stock_rollup_1m', { from: new Date(1), to: new Date(0) }`:      `generate: stock: range ends at 1970-01-01 00:00:00 +0000 UTC, before its start 1970-01-01 00:00:00.001 +0000 UTC`,
	} {
		require.Equal(t, thrown{"MachbaseError", want, k6x.KindUsage, 0}, v.fail(`a.generate(`+arguments+`)`), arguments)
	}
}
