package machbase

import (
	"math"
	"math/big"
	"net/netip"
	"testing"
	"time"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func argsOf(t *testing.T, params string) []any {
	t.Helper()
	var got []any
	v := newVU(t, &fakeDriver{exec: func(_ *fakeConn, _ string, args []any) (int64, error) {
		got = args

		return 0, nil
	}})
	v.Run(`new machbase.Client().exec('x', ` + params + `)`)

	return got
}

func TestBinds(t *testing.T) {
	at := time.Date(2026, 2, 23, 12, 0, 0, 250e6, time.UTC)
	for _, test := range []struct {
		js   string
		want any
	}{
		{`'WISH'`, "WISH"},
		{`''`, ""},
		{`'h😀'`, "h😀"},
		{`0`, int64(0)},
		{`-0`, int64(0)},
		{`42`, int64(42)},
		{`-42`, int64(-42)},
		{`1e3`, int64(1000)},
		{`6 / 2`, int64(3)},
		{`2 ** 53 - 1`, int64(1<<53 - 1)},
		{`-(2 ** 53) + 1`, int64(-1<<53 + 1)},
		{`2 ** 60`, float64(1 << 60)},
		{`1.5`, 1.5},
		{`-1e300`, -1e300},
		{`Infinity`, math.Inf(1)},
		{`2n ** 53n + 1n`, int64(1<<53 + 1)},
		{`9223372036854775807n`, int64(math.MaxInt64)},
		{`-9223372036854775808n`, int64(math.MinInt64)},
		{`null`, nil},
		{`undefined`, nil},
		{`new Uint8Array([0, 1, 255]).buffer`, []byte{0, 1, 255}},
		{`new ArrayBuffer(0)`, []byte{}},
		{`machbase.bind('short', -5)`, int16(-5)},
		{`machbase.bind('short', 32767)`, int16(math.MaxInt16)},
		{`machbase.bind('short', -32768)`, int16(math.MinInt16)},
		{`machbase.bind('integer', 2147483647)`, int32(math.MaxInt32)},
		{`machbase.bind('integer', -2147483648n)`, int32(math.MinInt32)},
		{`machbase.bind('long', 7)`, int64(7)},
		{`machbase.bind('long', 2n ** 62n)`, int64(1 << 62)},
		{`machbase.bind('float', 3)`, float32(3)},
		{`machbase.bind('float', 0.1)`, float32(0.1)},
		{`machbase.bind('double', 3)`, float64(3)},
		{`machbase.bind('double', 10n)`, float64(10)},
		{`machbase.bind('double', 0.1)`, 0.1},
		{`machbase.bind('varchar', 'x')`, "x"},
		{`machbase.bind('binary', 'é')`, []byte("é")},
		{`machbase.bind('binary', new Uint8Array([7]).buffer)`, []byte{7}},
		{`machbase.bind('ipv4', '10.1.2.3')`, netip.MustParseAddr("10.1.2.3")},
		{`machbase.bind('ipv6', '::12')`, netip.MustParseAddr("::12")},
		{`machbase.bind('ipv6', '::ffff:1.2.3.4')`, netip.MustParseAddr("::ffff:1.2.3.4")},
		{`machbase.bind('double', null)`, nil},
		{`machbase.bind('datetime', undefined)`, nil},
		{`machbase.bind('double', machbase.bind('integer', 4))`, float64(4)},
	} {
		t.Run(test.js, func(t *testing.T) {
			require.Equal(t, []any{test.want}, argsOf(t, `[`+test.js+`]`))
		})
	}

	for js, want := range map[string]time.Time{
		`new Date('2026-02-23T12:00:00.250Z')`:                   at,
		`new Date(0)`:                                            time.UnixMilli(0),
		`machbase.bind('datetime', new Date(1.5e12))`:            time.UnixMilli(1.5e12),
		`machbase.bind('datetime', 1500000000250)`:               time.UnixMilli(1500000000250),
		`machbase.bind('datetime', 0.5)`:                         time.Unix(0, 500_000),
		`machbase.bind('datetime', 1234567890123456789n)`:        time.Unix(0, 1234567890123456789),
		`machbase.bind('datetime', 9223372036854775807n)`:        time.Unix(0, math.MaxInt64),
		`new Date('2262-04-11T23:47:16.854Z')`:                   time.UnixMilli(9223372036854),
		`machbase.bind('datetime', machbase.bind('long', 1000))`: time.UnixMilli(1000),
	} {
		t.Run(js, func(t *testing.T) {
			args := argsOf(t, `[`+js+`]`)
			require.IsType(t, time.Time{}, args[0])
			require.Equal(t, want.UnixNano(), args[0].(time.Time).UnixNano())
		})
	}

	require.Nil(t, argsOf(t, `undefined`))
	require.Empty(t, argsOf(t, `[]`))
	require.Equal(t, []any{"a", nil, int64(2)}, argsOf(t, `['a', , 2]`))
	nan := argsOf(t, `[NaN]`)[0].(float64)
	require.True(t, math.IsNaN(nan))
}

func TestBindErrors(t *testing.T) {
	const use = ` cannot be bound; use a string, number, BigInt, Date, ArrayBuffer, null or machbase.bind(type, value)`
	for _, test := range []struct{ script, want string }{
		{`client.exec('x', [true])`, `parameter 1: true (bool)` + use},
		{`client.exec('x', ['a', 1, false])`, `parameter 3: false (bool)` + use},
		{`client.query('x', [1, {}])`, `parameter 2: an object (Object)` + use},
		{`client.exec('x', [['a', 'b']])`, `parameter 1: an object (Array)` + use},
		{`client.exec('x', [() => 1])`, `parameter 1: an object (Function)` + use},
		{`client.exec('x', [new Date('nonsense')])`, `parameter 1: an invalid Date` + use},
		{`client.exec('x', [2n ** 63n])`, `parameter 1: 9223372036854775808 does not fit a long (64 bits)`},
		{`client.exec('x', [-(2n ** 63n) - 1n])`, `parameter 1: -9223372036854775809 does not fit a long (64 bits)`},
		{`client.exec('x', [new Date('9999-12-31')])`,
			`parameter 1: 9999-12-31T00:00:00Z does not fit a datetime (the years 1678 to 2262)`},
		{`client.exec('x', [new Date('1600-01-01')])`,
			`parameter 1: 1600-01-01T00:00:00Z does not fit a datetime (the years 1678 to 2262)`},
		{`client.exec('x', 'WISH')`, `the parameters must be an array such as ['WISH', 100], not WISH`},
		{`client.query('x', { rows: 'arrays' })`, `the parameters must be an array such as ['WISH', 100], not an object`},
		{`client.prepare('x').query(1)`, `the parameters must be an array such as ['WISH', 100], not 1`},
		{`client.query('x', new Array(4294967295))`, `an array has 4294967295 elements: at most 1000000 are allowed`},
		{`client.query(new Array(4294967295))`,
			`query: the SQL must be a string that is not blank, not an array of 4294967295 elements`},
		{`client.query('x', [new Array(4294967295)])`, `parameter 1: an object (Array)` + use},
		{`client.query('x', [], { timeout: new Array(4294967295) })`,
			`query: option timeout must be a time such as '5s', or a number of milliseconds from 100, not an array of 4294967295 elements`},
		{`machbase.bind('short', 32768)`, `bind: 32768 does not fit a short (-32768 to 32767)`},
		{`machbase.bind('short', -32769)`, `bind: -32769 does not fit a short (-32768 to 32767)`},
		{`machbase.bind('integer', 2147483648)`, `bind: 2147483648 does not fit a integer (-2147483648 to 2147483647)`},
		{`machbase.bind('integer', -2147483649)`, `bind: -2147483649 does not fit a integer (-2147483648 to 2147483647)`},
		{`machbase.bind('long', 2n ** 63n)`, `bind: 9223372036854775808 does not fit a long (64 bits)`},
		{`machbase.bind('short', 1.5)`, `bind: 1.5 cannot be bound as short`},
		{`machbase.bind('integer', '1')`, `bind: "1" cannot be bound as integer`},
		{`machbase.bind('long', 2 ** 60)`, `bind: 1.152921504606847e+18 cannot be bound as long`},
		{`machbase.bind('float', '1')`, `bind: "1" cannot be bound as float`},
		{`machbase.bind('double', '1')`, `bind: "1" cannot be bound as double`},
		{`machbase.bind('varchar', 1)`, `bind: 1 cannot be bound as varchar`},
		{`machbase.bind('binary', 1)`, `bind: 1 cannot be bound as binary`},
		{`machbase.bind('ipv4', '::1')`, `bind: "::1" cannot be bound as ipv4`},
		{`machbase.bind('ipv4', '1.2.3.400')`, `bind: "1.2.3.400" cannot be bound as ipv4`},
		{`machbase.bind('ipv6', '1.2.3.4')`, `bind: "1.2.3.4" cannot be bound as ipv6`},
		{`machbase.bind('ipv6', 'fe80::1%eth0')`, `bind: "fe80::1%eth0" cannot be bound as ipv6`},
		{`machbase.bind('ipv4', 1)`, `bind: 1 cannot be bound as ipv4`},
		{`machbase.bind('datetime', '2026-01-01')`,
			`bind: "2026-01-01" cannot be bound as datetime; use a Date, milliseconds or a BigInt of nanoseconds`},
		{`machbase.bind('datetime', 1e15)`,
			`bind: 33658-09-27T01:46:40Z does not fit a datetime (the years 1678 to 2262)`},
		{`machbase.bind('datetime', 1e300)`, `bind: 1e+300 ms does not fit a datetime (the years 1678 to 2262)`},
		{`machbase.bind('datetime', NaN)`, `bind: NaN ms does not fit a datetime (the years 1678 to 2262)`},
		{`machbase.bind('double', true)`, `bind: true (bool)` + use},
		{`machbase.bind('number', 1)`,
			`bind: unknown type "number"; known are short, integer, long, float, double, datetime, varchar, ipv4, ipv6, binary`},
		{`machbase.bind('number', null)`,
			`bind: unknown type "number"; known are short, integer, long, float, double, datetime, varchar, ipv4, ipv6, binary`},
		{`client.query()`, `query: the SQL must be a string that is not blank, not undefined`},
		{`client.query('  ')`, `query: the SQL must be a string that is not blank, not`},
		{`client.exec(1)`, `exec: the SQL must be a string that is not blank, not 1`},
		{`client.prepare(null)`, `prepare: the SQL must be a string that is not blank, not null`},
		{`client.appender()`, `appender: the table's name must be a string that is not empty, not undefined`},
		{`client.appender('')`, `appender: the table's name must be a string that is not empty, not ''`},
		{`client.appender('t', { column: [] })`, `appender: unknown option "column"; known are columns, batchRows, batchBytes, batchTime, tags; did you mean columns?`},
		{`client.appender('t').append(1)`, `append: row 1 must be an array of values, such as append(['name', new Date(), 1.5])`},
		{`client.appender('t').append([1], null)`, `append: row 2 must be an array of values, such as append(['name', new Date(), 1.5])`},
		{`client.appender('t').append([1], [2, true])`, `append: row 2: parameter 2: true (bool)` + use},
		{`client.appender('t').append([[1], [2]])`, `append: row 1: parameter 1: an object (Array)` + use},
	} {
		t.Run(test.script, func(t *testing.T) {
			v := newVU(t, &fakeDriver{})
			v.Run(`var client = new machbase.Client()`)
			require.Equal(t, thrown{"MachbaseError", test.want, k6x.KindUsage, 0}, v.fail(test.script))
		})
	}
}

func TestToJS(t *testing.T) {
	at := time.Unix(0, 1234567890123456789)
	for _, test := range []struct {
		name  string
		value any
		ns    bool
		check string
	}{
		{"null", nil, false, `x === null`},
		{"string", "é😀", false, `x === 'é😀'`},
		{"short", int16(-5), false, `x === -5`},
		{"integer", int32(math.MinInt32), false, `x === -2147483648`},
		{"long", int64(42), false, `x === 42`},
		{"largest long of a Number", int64(1<<53 - 1), false, `x === Number.MAX_SAFE_INTEGER`},
		{"smallest long of a Number", int64(-1<<53 + 1), false, `x === Number.MIN_SAFE_INTEGER`},
		{"2^53", int64(1 << 53), false, `x === 9007199254740992n`},
		{"-2^53", int64(-1 << 53), false, `x === -9007199254740992n`},
		{"largest long", int64(math.MaxInt64), false, `x === 9223372036854775807n`},
		{"smallest long", int64(math.MinInt64), false, `x === -9223372036854775808n`},
		{"float", float32(0.5), false, `x === 0.5`},
		{"float that is no double", float32(0.1), false, `x === Math.fround(0.1)`},
		{"double", 0.1, false, `x === 0.1`},
		{"NaN", math.NaN(), false, `Number.isNaN(x)`},
		{"datetime", at, false, `x instanceof Date && x.getTime() === 1234567890123`},
		{"datetime before 1970", time.Unix(0, -1_000_000), false, `x instanceof Date && x.getTime() === -1`},
		{"datetime in ns", at, true, `x === 1234567890123456789n`},
		{"a small datetime in ns", time.Unix(0, 5), true, `x === 5n`},
		{"a long with times in ns", int64(5), true, `x === 5`},
		{"ipv4", netip.MustParseAddr("10.1.2.3"), false, `x === '10.1.2.3'`},
		{"ipv6", netip.MustParseAddr("2001:db8::1"), false, `x === '2001:db8::1'`},
		{"ipv6 that maps ipv4", netip.MustParseAddr("::ffff:1.2.3.4"), false, `x === '::ffff:1.2.3.4'`},
		{"binary", []byte{0, 255}, false, `x instanceof ArrayBuffer && new Uint8Array(x).join() === '0,255'`},
	} {
		t.Run(test.name, func(t *testing.T) {
			rt := sobek.New()
			x, err := toJS(rt, test.value, test.ns)
			require.NoError(t, err)
			require.NoError(t, rt.Set("x", x))
			ok, err := rt.RunString(test.check)
			require.NoError(t, err)
			require.True(t, ok.ToBoolean(), "%v is not: %s", x, test.check)
		})
	}
}

func TestValuesSurviveJavaScript(t *testing.T) {
	rt := sobek.New()
	for _, n := range []int64{0, 1, -1, 1 << 53, 1<<53 - 1, 1<<53 + 1, -1 << 53, math.MaxInt64, math.MinInt64} {
		for _, value := range []any{n, float64(n), time.Unix(0, n)} {
			js, err := toJS(rt, value, true)
			require.NoError(t, err)
			back, err := bind(js)
			require.NoError(t, err)
			if at, ok := value.(time.Time); ok {
				require.Equal(t, at.UnixNano(), back)

				continue
			}
			require.True(t, Equal(value, back), "%v came back as %v", value, back)
		}
	}
	js, err := toJS(rt, int64(math.MaxInt64), false)
	require.NoError(t, err)
	require.IsType(t, &big.Int{}, js.Export())
}
