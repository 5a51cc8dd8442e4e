package machbase

import (
	"fmt"
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func TestQueryOptionErrors(t *testing.T) {
	const timeout = `query: option timeout must be a time such as '5s', or a number of milliseconds from 100, not `
	for _, test := range []struct{ options, want string }{
		{`'arrays'`, `query: options must be an object, not arrays`},
		{`{ rows: 'array' }`, `query: option rows must be 'objects', 'arrays' or 'discard', not array`},
		{`{ rows: false }`, `query: option rows must be 'objects', 'arrays' or 'discard', not false`},
		{`{ times: 'ms' }`, `query: option times must be 'date' or 'ns', not ms`},
		{`{ timeout: 'soon' }`, timeout + `soon`},
		{`{ timeout: 0 }`, `query: option timeout must be more than 0`},
		{`{ timeout: 5 }`, `query: timeout 5 could be seconds or milliseconds: write '5s' or '5ms'`},
		{`{ tags: ['a'] }`, `query: option tags must be an object of strings, such as { name: 'login' }, not [a]`},
		{`{ timeout: '-1s' }`, timeout + `-1s`},
		{`{ timeout: {} }`, timeout + `an object`},
		{`{ expect: 'WISH' }`, `query: option expect must be an object such as { code: 'WISH' }, not WISH`},
		{`{ expect: { a: true } }`, `expect: a: true (bool) cannot be bound; use a string, number, BigInt, Date, ArrayBuffer, ` +
			`null or machbase.bind(type, value)`},
		{`{ row: 'arrays' }`, `query: unknown option "row"; known are rows, expect, minRows, times, timeout, tags`},
	} {
		t.Run(test.options, func(t *testing.T) {
			v := newVU(t, &fakeDriver{})
			v.Run(`var client = new machbase.Client()`)
			want := thrown{"MachbaseError", test.want, k6x.KindUsage, 0}
			require.Equal(t, want, v.fail(`client.query('x', [], `+test.options+`)`))
			require.Equal(t, want, v.fail(`client.prepare('x').query([], `+test.options+`)`))
		})
	}
}

func TestTagsOfCalls(t *testing.T) {
	driver := &fakeDriver{query: func(_ *fakeConn, _ string, _ []any, read func(Rows) error) error {
		return read(&fakeRows{columns: []Column{{"a", "long"}}, rows: [][]any{{int64(0)}}})
	}}
	v := newVU(t, driver)
	v.Run(`var client = new machbase.Client(), tags = Object.freeze({ tags: { name: 'mine', nth: 1 } });
		client.connect(tags);
		client.query('x', [], tags); client.query('x'); client.query('x', null, { tags: { name: 'other' } });
		client.exec('x', [], tags); client.exec('x');
		var s = client.prepare('x', tags); s.query([], tags); s.exec([], tags); s.exec();
		var a = client.appender('t', tags); a.append([1]); a.close()`)
	for op, n := range map[string]float64{"connect": 1, "query": 2, "exec": 2, "prepare": 1, "append": 3} {
		require.Equal(t, n, v.Counted(metricOps, "op", op, "name", "mine", "nth", "1"), op)
	}
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "query", "name", "other"))
	require.Equal(t, 13.0, v.Counted(metricOps))
	require.Len(t, v.Found(metricDuration, "name", "mine"), 9)
	require.Equal(t, 2.0, v.Counted(metricRows, "op", "query", "name", "mine"))
	v.loop(`client.asyncQuery('x', [], { tags: { name: 'promised' } }); client.asyncQuery('x')`)
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "query", "name", "promised"))
}

func TestQueryGivesRowsAsTold(t *testing.T) {
	at := time.Unix(0, 1_234_567_891)
	driver := answer([]Column{{"code", "varchar"}, {"time", "datetime"}, {"n", "long"}},
		[]any{"WISH", at, int64(1)}, []any{nil, at, int64(1<<53 + 1)})
	const columns = `[{"name":"code","type":"varchar"},{"name":"time","type":"datetime"},{"name":"n","type":"long"}]`

	for _, run := range []string{`client.query('x', []`, `statement.query([]`} {
		v := newVU(t, driver)
		v.Run(`var client = new machbase.Client(), statement = client.prepare('x')`)
		objects := `[{"code":"WISH","time":"1970-01-01T00:00:01.234Z","n":1},` +
			`{"code":null,"time":"1970-01-01T00:00:01.234Z","n":"9007199254740993n"}]`
		require.JSONEq(t, objects, v.JSON(run+`)`))
		require.JSONEq(t, objects, v.JSON(run+`, { rows: 'objects', times: 'date' })`))
		require.JSONEq(t, columns, v.JSON(run+`).columns`))
		require.JSONEq(t, `[["WISH","1234567891n",1],[null,"1234567891n","9007199254740993n"]]`,
			v.JSON(run+`, { rows: 'arrays', times: 'ns' })`))
		require.JSONEq(t, columns, v.JSON(run+`, { rows: 'arrays' }).columns`))
		require.Equal(t, int64(2), v.Run(run+`, { rows: 'discard' })`))
		require.Equal(t, true, v.Run(run+`)[0].time instanceof Date`))

		require.JSONEq(t, `["0","1"]`, v.JSON(`Object.keys(`+run+`))`))
		require.Equal(t, 8*2.0, v.Counted(metricRows, "op", opQuery, "outcome", k6x.OutcomeOK))
	}
}

func TestQueryWithoutRows(t *testing.T) {
	v := newVU(t, answer([]Column{{"code", "varchar"}}))
	v.Run(`var client = new machbase.Client()`)
	require.JSONEq(t, `[]`, v.JSON(`client.query('x')`))
	require.JSONEq(t, `[{"name":"code","type":"varchar"}]`, v.JSON(`client.query('x').columns`))
	for _, options := range []string{`expect: { code: 'WISH' }`, `minRows: 1`} {
		require.Equal(t, thrown{"MachbaseError", "the answer has 0 rows, but needs at least 1", kindExpect, 0}, v.fail(`client.query('x', [], { `+options+` })`))
	}
	for _, options := range []string{`expect: { code: 'WISH' }, minRows: 0`, `expect: {}`} {
		require.Equal(t, int64(0), v.Run(`client.query('x', [], { rows: 'discard', `+options+` })`))
	}
}

func TestExpect(t *testing.T) {
	at := time.Unix(0, 1_234_567_891).UTC()
	for _, test := range []struct {
		expect string
		equal  []any
		not    []any
	}{
		{`null`, []any{nil}, []any{"", int64(0), 0.0, "null"}},
		{`undefined`, []any{nil}, []any{int64(0)}},
		{`'WISH'`, []any{"WISH"}, []any{"wish", "", nil, int64(0), []byte("WISH")}},
		{`'1'`, []any{"1"}, []any{int64(1), 1.0}},
		{`''`, []any{""}, []any{nil}},
		{`3`, []any{int16(3), int32(3), int64(3), float32(3), 3.0}, []any{int16(4), 3.5, "3", nil, math.NaN()}},
		{`machbase.bind('short', 3)`, []any{int16(3), int32(3), int64(3), float32(3), 3.0}, []any{int64(4), nil}},
		{`machbase.bind('integer', 3)`, []any{int32(3), 3.0}, []any{int64(4)}},
		{`machbase.bind('double', 3)`, []any{int32(3), 3.0}, []any{int64(4), 3.5}},
		{`0.5`, []any{0.5, float32(0.5)}, []any{int64(0), int64(1), 0.25, nil}},
		{`Math.fround(0.1)`, []any{float32(0.1)}, []any{0.1}},
		{`machbase.bind('float', 0.1)`, []any{float32(0.1)}, []any{0.1}},
		{`0.1`, []any{0.1}, []any{float32(0.1)}},
		{`NaN`, []any{math.NaN(), float32(math.NaN())}, []any{0.0, int64(0)}},
		{`Infinity`, []any{math.Inf(1)}, []any{math.Inf(-1), int64(math.MaxInt64)}},
		{`2n ** 53n + 1n`, []any{int64(1<<53 + 1)}, []any{int64(1 << 53), float64(1 << 53)}},
		{`2 ** 53`, []any{int64(1 << 53), float64(1 << 53)}, []any{int64(1<<53 + 1)}},
		{`2 ** 63`, []any{float64(1 << 63)}, []any{int64(math.MaxInt64), int64(math.MinInt64)}},
		{`9223372036854775807n`, []any{int64(math.MaxInt64)}, []any{float64(1 << 63)}},
		{`new Date(1234)`, []any{time.UnixMilli(1234)}, []any{at, int64(1234), nil}},
		{`machbase.bind('datetime', 1234567891n)`, []any{at, at.Local()}, []any{at.Add(1), nil}},
		{`'10.0.0.1'`, []any{netip.MustParseAddr("10.0.0.1"), "10.0.0.1"}, []any{netip.MustParseAddr("10.0.0.2")}},
		{`'::1'`, []any{netip.MustParseAddr("::1")}, []any{netip.MustParseAddr("::2")}},
		{`machbase.bind('ipv6', '0:0::1')`, []any{netip.MustParseAddr("::1")}, []any{netip.MustParseAddr("::2"), "::1"}},
		{`new Uint8Array([1, 2]).buffer`, []any{[]byte{1, 2}}, []any{[]byte{1}, "\x01\x02", nil}},
	} {
		t.Run(test.expect, func(t *testing.T) {
			try := func(value any) string {
				v := newVU(t, answer([]Column{{"a", ""}, {"b", ""}}, []any{"", value}))

				return v.JSON(`attempt(() => new machbase.Client().query('x', [], { rows: 'discard', expect: { b: ` + test.expect + ` } }))`)
			}
			for _, value := range test.equal {
				require.Equal(t, "null", try(value), "%T %v", value, value)
			}
			for _, value := range test.not {
				require.Contains(t, try(value), `"kind":"expect"`, "%T %v", value, value)
			}
		})
	}
}

func TestExpectNamesTheDifference(t *testing.T) {
	driver := answer([]Column{{"code", ""}, {"n", ""}, {"time", ""}},
		[]any{"WISH", int64(1), time.Unix(1, 0).UTC()}, []any{"WISH", nil, time.Unix(2, 0).UTC()})
	for _, test := range []struct{ expect, want, kind string }{
		{`{ code: 'TESS' }`, `row 1: code is "WISH", expected "TESS"`, kindExpect},
		{`{ n: 1 }`, `row 2: n is null, expected 1`, kindExpect},
		{`{ code: 'WISH', n: 1.5 }`, `row 1: n is 1, expected 1.5`, kindExpect},
		{`{ n: null }`, `row 1: n is 1, expected null`, kindExpect},
		{`{ code: machbase.bind('ipv6', '::1') }`, `row 1: code is "WISH", expected ::1`, kindExpect},
		{`{ volume: 1 }`, `expect: the answer has no column "volume"`, k6x.KindUsage},
	} {
		t.Run(test.expect, func(t *testing.T) {
			v := newVU(t, driver)
			v.Run(`var client = new machbase.Client()`)
			for _, rows := range []string{"objects", "arrays", "discard"} {
				e := v.fail(fmt.Sprintf(`client.query('x', [], { rows: '%s', expect: %s })`, rows, test.expect))
				require.Equal(t, thrown{"MachbaseError", test.want, test.kind, 0}, e)
			}
			require.Equal(t, 3.0, v.Counted(metricOps, "op", opQuery, "outcome", test.kind))
			require.Zero(t, v.Counted(metricRows))

			// A wrong answer does not break the connection.
			require.Equal(t, int64(2), v.Run(`client.query('x', [], { rows: 'discard' })`))
			require.Equal(t, 1.0, v.Counted(metricOps, "op", opConnect))
		})
	}
}

func TestExecReturnsHowManyRowsChanged(t *testing.T) {
	v := newVU(t, &fakeDriver{exec: func(_ *fakeConn, sql string, args []any) (int64, error) {
		return int64(len(sql) + len(args)), nil
	}})
	v.Run(`var client = new machbase.Client()`)
	require.Equal(t, int64(3), v.Run(`client.exec('abc')`))
	require.Equal(t, int64(5), v.Run(`client.exec('abc', [1, 2])`))
	require.Equal(t, int64(4), v.Run(`client.prepare('abc').exec([1])`))
}

func TestAnswerThatBreaksOff(t *testing.T) {
	v := newVU(t, &fakeDriver{query: func(_ *fakeConn, _ string, _ []any, read func(Rows) error) error {
		return read(&fakeRows{columns: []Column{{"a", ""}}, rows: [][]any{{"x"}}, err: errBroken})
	}})
	v.Run(`var client = new machbase.Client()`)
	require.Equal(t, thrown{"MachbaseError", "the connection broke: " + errBroken.Error(), k6x.KindConnection, 0},
		v.fail(`client.query('x', [], { expect: { a: 'x' } })`))
}

func TestQueryAnswerCountsAndKeeps(t *testing.T) {
	for size := range 50 {
		var rows [][]any
		for i := range size {
			rows = append(rows, []any{int64(i)})
		}
		for _, keep := range []bool{false, true} {
			r := &queryAnswer{keep: keep}
			require.NoError(t, r.read(&fakeRows{columns: []Column{{"a", ""}}, rows: rows}))
			require.Equal(t, int64(size), r.count)
			if keep {
				require.Equal(t, rows, r.rows)
			} else {
				require.Empty(t, r.rows)
			}
		}
		for wrong := range size {
			changed := append([][]any(nil), rows...)
			for i := range changed {
				changed[i] = []any{"same"}
			}
			changed[wrong] = []any{"other"}
			err := (&queryAnswer{expect: []expectation{{column: "a", value: "same"}}}).read(
				&fakeRows{columns: []Column{{"a", ""}}, rows: changed})
			require.EqualError(t, err, fmt.Sprintf(`row %d: a is "other", expected "same"`, wrong+1))
		}
	}
}

func TestEachCallRunsItsOwnText(t *testing.T) {
	var seen []string
	v := newVU(t, &fakeDriver{query: func(_ *fakeConn, sql string, _ []any, read func(Rows) error) error {
		seen = append(seen, sql)

		return read(&fakeRows{})
	}})
	v.Run(`var client = new machbase.Client();
		for (const sql of ['a', 'a', 'b', 'ü', 'ü', 'ä', 'a', 'a' + 'b'.trim()]) client.query(sql)`)
	require.Equal(t, []string{"a", "a", "b", "ü", "ü", "ä", "a", "ab"}, seen)
	for _, nothing := range []string{"''", "' '", "undefined", "{}", "7"} {
		require.Equal(t, k6x.KindUsage, v.fail(`client.query(`+nothing+`)`).Kind, nothing)
	}
	v.Run(`client.query('ab')`)
	require.Len(t, seen, 9)
}
