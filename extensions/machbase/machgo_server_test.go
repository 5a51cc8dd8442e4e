//go:build machgo

package machbase

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// The tests of this file run machgo against the real server at MACHBASE_URL.

// newMachgoVU is newServerVU with a client over machgo.
func newMachgoVU(t *testing.T, options string) *vu {
	t.Helper()
	v := newServerVU(t)
	v.Run(`client = new machbase.Client(url, { driver: 'machgo', ` + options + ` })`)
	require.Equal(t, "machgo", v.Run(`client.driver`))

	return v
}

func TestMachgoServerQueries(t *testing.T) {
	for _, cache := range []string{CacheOff, CacheAuto} {
		t.Run(cache, func(t *testing.T) {
			v := newMachgoVU(t, `statementCache: '`+cache+`', fetchRows: 7`)
			v.numbered(50)
			v.Run("var sql = `-- who\nselect/*+ FULL(${table}) */ n, n * 2 as Twice from ${table} where n < ? order by n`, statement = client.prepare(sql)")
			for _, run := range []string{`client.query(sql, `, `statement.query(`} {
				require.JSONEq(t, `[{"n":0,"Twice":0},{"n":1,"Twice":2}]`, v.JSON(run+`[2])`))
				require.JSONEq(t, `[{"name":"n","type":"integer"},{"name":"Twice","type":"long"}]`, v.JSON(run+`[1]).columns`))
				require.Equal(t, kindExpect, v.fail(run+`[50], { rows: 'discard', expect: { n: 20 } })`).Kind)
				require.Equal(t, int64(50), v.Run(run+`[1000], { rows: 'discard' })`), "the rows that were left unread are gone")
			}
			require.Equal(t, 1.0, v.Counted(metricOps, "op", opConnect))
			require.Positive(t, v.Counted("data_received"))
		})
	}
}

func TestMachgoServerErrors(t *testing.T) {
	v := newMachgoVU(t, ``)
	table := v.table(tagTable)
	for script, want := range map[string]thrown{
		`client.query('select * from no_such_table')`:                                                 {Code: 2025, Kind: cmi.KindNotFound},
		`client.exec('drop table no_such_table')`:                                                     {Code: 2025, Kind: cmi.KindNotFound},
		`client.query('select nope from ` + table + `')`:                                              {Code: 2056, Kind: cmi.KindNotFound},
		`client.exec('selct 1')`:                                                                      {Code: 2010, Kind: cmi.KindSyntax},
		`client.prepare('selct ?')`:                                                                   {Code: 2010, Kind: cmi.KindSyntax},
		`client.query('select * from ` + table + `', ['a'])`:                                          {Kind: k6mod.KindUsage},
		`client.appender('no_such_table')`:                                                            {Kind: cmi.KindNotFound},
		`client.appender('` + table + `', { columns: ['nope'] })`:                                     {Kind: cmi.KindNotFound},
		`client.appender('` + table + `', { columns: ['name', 'time', 'NAME'] })`:                     {Kind: k6mod.KindUsage},
		`new machbase.Client(url, { driver: 'machgo', password: 's3cret' }).connect()`:                {Code: 2081, Kind: k6mod.KindAuth},
		`new machbase.Client(url, { driver: 'machgo', password: 's;cret' }).connect()`:                {Kind: k6mod.KindUsage},
		`new machbase.Client('127.0.0.1:1', { driver: 'machgo' }).connect()`:                          {Kind: k6mod.KindConnect},
		`new machbase.Client([url, 'localhost:1'], { driver: 'machgo' }).connect()`:                   {Kind: k6mod.KindUsage},
		`new machbase.Client('no-such-host.invalid', { driver: 'machgo' }).connect()`:                 {Kind: k6mod.KindConnect},
		`new machbase.Client('machbase://sys:s3cret@[::1]:1', { driver: 'machgo' }).connect()`:        {Kind: k6mod.KindConnect},
		`new machbase.Client(url, { driver: 'machgo' }).exec('drop table no_such_table') /* again */`: {Code: 2025, Kind: cmi.KindNotFound},
	} {
		e := v.fail(script)
		require.Equal(t, want.Code, e.Code, "%s: %v", script, e)
		require.Equal(t, want.Kind, e.Kind, "%s: %v", script, e)
		require.NotContains(t, e.Message, "cret")
	}
}

func TestMachgoServerTypes(t *testing.T) {
	for _, write := range []string{
		"client.exec(`insert into ${table} values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, [name, new Date(5), ROW])",
		"{ const a = client.appender(table); a.append([name, new Date(5), ROW]); a.close(); }",
	} {
		t.Run(write, func(t *testing.T) {
			v := newMachgoVU(t, ``)
			table := v.table(typesTable)
			v.Run(`var name`)
			for _, test := range typed {
				v.Run(`name = '` + test.name + `'; ` + strings.Replace(write, "ROW", test.row, 1))
			}
			v.Run(`client.exec('exec table_flush(` + table + `)')`)
			for _, test := range typed {
				v.Run(`name = '` + test.name + `'`)
				require.JSONEq(t, test.back, v.JSON(selectTypes), test.name)
			}
		})
	}
}

func TestMachgoServerRowsChanged(t *testing.T) {
	for _, cache := range []string{CacheOff, CacheAuto} {
		t.Run(cache, func(t *testing.T) {
			v := newMachgoVU(t, `statementCache: '`+cache+`'`)
			v.table(`create volatile table TABLE (n integer primary key, text varchar(10))`)
			v.Run("var insert = `insert into ${table} values (?, 'x')`, prepared = client.prepare(insert)")
			require.JSONEq(t, `[1,1,1,1]`, v.JSON(`[client.exec(insert, [1]), client.exec(insert, [2]), prepared.exec([3]), prepared.exec([4])]`))
			require.Equal(t, int64(1), v.Run("client.exec(`delete from ${table} where n = 1`)"))
		})
	}
}

// machgoConnection is a connection without a VU.
func machgoConnection(t *testing.T) Conn {
	t.Helper()
	o := options{Driver: "machgo"}
	cfg, err := o.config([]string{serverURL(t)})
	require.NoError(t, err)
	driver, err := driverNamed("machgo")
	require.NoError(t, err)
	conn, err := driver.Open(t.Context(), cfg, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })

	return conn
}

func TestMachgoServerAppendsColumns(t *testing.T) {
	v := newServerVU(t)
	table := v.table(tagTable)
	conn := machgoConnection(t)
	appender, err := conn.Append(t.Context(), table, cmi.AppendOptions{Columns: []string{"value", "name", "time"}})
	require.NoError(t, err)

	times := []time.Time{time.Unix(1, 0), time.Unix(2, 0), time.Unix(3, 0)}
	rows, err := appender.AppendColumns(t.Context(), []any{[]float64{1, 2, 3}, []string{"a", "b", "c"}, times}...)
	require.NoError(t, err)
	require.Equal(t, 3, rows)
	receipt, err := appender.Sync(t.Context())
	require.NoError(t, err)
	require.Equal(t, cmi.Receipt{Accepted: 3}, receipt)

	for want, columns := range map[string][]any{
		"column 2 has 1 values, and the ones before it have 3": {[]float64{1, 2, 3}, []string{"a"}, times},
		"column 1 must be a slice of values, not float64":      {1.0, []string{"a"}, times},
		"takes 3 values, not 2":                                {[]float64{1}, []string{"a"}},
	} {
		rows, err := appender.AppendColumns(t.Context(), columns...)
		require.ErrorContains(t, err, want)
		require.Equal(t, k6mod.KindUsage, asError(err).Kind)
		require.Zero(t, rows)
	}
	require.NoError(t, appender.Append(t.Context(), []any{4.0, "d", time.Unix(4, 0)}...))
	require.NoError(t, appender.Flush(t.Context()))
	receipt, err = appender.Close(t.Context())
	require.NoError(t, err)
	require.Equal(t, cmi.Receipt{Accepted: 4}, receipt, "of all since it was opened")

	_, err = conn.Append(t.Context(), table, cmi.AppendOptions{Batch: cmi.Batch{Rows: 1}})
	require.Equal(t, k6mod.KindUsage, asError(err).Kind)
	v.Run(`client.exec('exec table_flush(` + table + `)')`)
	v.untilCount(4)
}

func TestMachgoServerQueryTimeout(t *testing.T) {
	v := newMachgoVU(t, `queryTimeout: 300`) // the server counts in whole seconds
	v.table(`create table TABLE (n integer, k integer)`)
	v.Run(`{ const a = client.appender(table); for (let i = 0; i < 3000; i++) a.append([0, 0]); a.close(); }`)
	v.untilCount(3000)
	begin := time.Now()
	e := v.fail("client.query(`" + slow + "`)")
	require.Equal(t, int64(3027), e.Code, e)
	require.Equal(t, k6mod.KindCancelled, e.Kind)
	require.Less(t, time.Since(begin), 10*time.Second)
	require.Equal(t, int64(3000), v.Run("client.query(`select n from ${table}`, [], { rows: 'discard' })"), "the connection stays")
}

func TestMachgoServerThatStalls(t *testing.T) {
	v := newMachgoVU(t, ``)
	v.numbered(3)
	for _, call := range []string{
		"client.query(`select * from ${table}`, [], { timeout: 100 })",
		"client.exec(`insert into ${table} (n) values (1)`, [], { timeout: 100 })",
	} {
		p := newProxy(t)
		p.clientOf(t, v, `{ driver: 'machgo' }`)
		v.Run(`client.connect()`)
		p.stalled.Store(true)
		require.Equal(t, thrown{"MachbaseError", "no answer within timeout (100ms)", k6mod.KindTimeout, 0}, v.fail(call))
		p.stalled.Store(false)
		require.GreaterOrEqual(t, v.Run("client.query(`select n from ${table}`, [], { rows: 'discard' })"), int64(3))
		v.Run(`client.close()`)
	}
	v.Run(`client = new machbase.Client(url)`)
}

func TestMachgoServerThatBreaksTheConnection(t *testing.T) {
	v := newMachgoVU(t, ``)
	v.numbered(3)
	p := newProxy(t)
	p.clientOf(t, v, `{ driver: 'machgo' }`)
	v.Run("var s = client.prepare(`select n from ${table}`)")
	p.cut()
	require.Equal(t, k6mod.KindConnection, v.fail(`s.query()`).Kind)
	require.Equal(t, int64(3), v.Run(`s.query([], { rows: 'discard' })`))
	v.Run(`client.close(); client = new machbase.Client(url)`)
}

func TestMachgoServerThatDoesNotGreet(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	accepted := make(chan net.Conn, 1)
	go func() {
		if conn, err := listener.Accept(); err == nil {
			accepted <- conn
		}
	}()
	v := newMachgoVU(t, ``)
	e := v.fail(fmt.Sprintf(`new machbase.Client('machbase://sys:s3cret@%s', { driver: 'machgo', connectTimeout: 100 }).connect()`, listener.Addr()))
	require.Equal(t, k6mod.KindConnect, e.Kind)
	require.Contains(t, e.Message, "no answer within connectTimeout (100ms)")
	require.NoError(t, (<-accepted).Close()) // what was left behind comes to its end
	require.NoError(t, listener.Close())
}

func TestMachgoContextEndsACall(t *testing.T) {
	conn := machgoConnection(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	deadline := time.Now().Add(10 * time.Second)
	var err error
	for err == nil && time.Now().Before(deadline) {
		err = conn.Query(ctx, `select name from v$tables`, nil, func(rows Rows) error {
			for rows.Next() {
			}

			return rows.Err()
		})
	}
	e := asError(err)
	require.True(t, breaks(&e) || conn.Broken(), "%v", err)
}
