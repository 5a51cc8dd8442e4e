//go:build servers

package machbase

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/generate"
)

// These tests need the real server at MACHBASE_URL.

const tagTable = `create tag table TABLE (name varchar(20) primary key, time datetime basetime, value double)`

func TestServerConnect(t *testing.T) {
	v := newServerVU(t)
	v.Run(`client.connect(); client.connect(); client.close(); client.close(); client.connect()`)
	require.Equal(t, 2.0, v.Counted(metricOps, "op", opConnect, "outcome", k6x.OutcomeOK))
	require.Positive(t, v.Counted("data_sent"))
	require.Positive(t, v.Counted("data_received"))
	v.Exit()
	requireNoneLeft(t)
}

func serverPart(t *testing.T, change func(*url.URL)) string {
	t.Helper()
	u, err := url.Parse(serverURL(t))
	require.NoError(t, err)
	change(u)

	return u.String()
}

func TestServerRefusesALogin(t *testing.T) {
	v := newServerVU(t)
	password := serverPart(t, func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), "s3cret-Word") })
	e := v.fail(`new machbase.Client(` + quote(password) + `).connect()`)
	require.Equal(t, thrown{"MachbaseError", "Invalid username/password. (machbase error 2081)", k6x.KindAuth, 2081}, e)

	user := serverPart(t, func(u *url.URL) { u.User = url.UserPassword("nobody", "s3cret-Word") })
	e = v.fail(`new machbase.Client(` + quote(user) + `).query('select 1')`)
	require.Equal(t, thrown{"MachbaseError", "User (NOBODY) does not exist. (machbase error 2080)", k6x.KindAuth, 2080}, e)
	require.Equal(t, 2.0, v.Counted(metricOps, "op", opConnect, "outcome", k6x.KindAuth))
}

func TestMissingServer(t *testing.T) {
	v := newServerVU(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	e := v.fail(`new machbase.Client('machbase://sys:s3cret@` + address + `').connect()`)
	require.Equal(t, thrown{"MachbaseError", "cannot connect to " + address +
		": connection refused; is a Machbase server running there?", k6x.KindConnect, 0}, e)

	e = v.fail(`new machbase.Client('machbase://sys:s3cret@no-such-host.invalid').connect()`)
	require.Equal(t, k6x.KindConnect, e.Kind)
	require.Contains(t, e.Message, "cannot connect to no-such-host.invalid:5656: ")

	e = v.fail(`new machbase.Client('machbase://sys:s3cret@[::1]:1').connect()`)
	require.Equal(t, k6x.KindConnect, e.Kind)
	require.NotContains(t, e.Message, "too many colons")
	require.Equal(t, 3.0, v.Counted(metricOps, "op", opConnect, "outcome", k6x.KindConnect))
}

func listening(t *testing.T, talk func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go talk(conn)
		}
	}()

	return listener.Addr().String()
}

func TestServerIsNotMachbase(t *testing.T) {
	address := listening(t, func(conn net.Conn) {
		_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
		_ = conn.Close()
	})
	v := newServerVU(t)
	e := v.fail(`new machbase.Client('machbase://sys:s3cret@` + address + `').connect()`)
	require.Equal(t, k6x.KindConnect, e.Kind)
	require.NotContains(t, e.Message, "s3cret")
}

func TestServerErrors(t *testing.T) {
	v := newServerVU(t)
	table := v.table(tagTable)
	v.Run(`client.exec("insert into ` + table + ` values ('a', 0, 1)"); client.exec('exec table_flush(` + table + `)')`)
	for _, test := range []struct {
		script string
		code   int64
		kind   string
	}{
		{`client.exec('` + strings.ReplaceAll(tagTable, "TABLE", table) + `')`, 2024, cmi.KindConflict},
		{`client.query('select * from no_such_table')`, 2025, cmi.KindNotFound},
		{`client.exec('drop table no_such_table')`, 2025, cmi.KindNotFound},
		{`client.prepare('select * from no_such_table')`, 2025, cmi.KindNotFound},
		{`client.appender('no_such_table')`, 2025, cmi.KindNotFound},
		{`client.appender('` + table + `', { columns: ['name', 'nope'] })`, 0, cmi.KindNotFound},
		{`client.appender('` + table + `', { columns: ['name', 'time', 'NAME'] })`, 0, k6x.KindUsage},
		{`client.query('select nope from ` + table + `')`, 2056, cmi.KindNotFound},
		{`client.exec('exec rollup_force(no_such_rollup)')`, 2654, cmi.KindNotFound},
		{`client.query('selct 1')`, 2010, cmi.KindSyntax},
		{`client.exec('selct 1')`, 2010, cmi.KindSyntax},
		{`client.prepare('selct ?')`, 2010, cmi.KindSyntax},
		{`client.query('select 1/(value-1) from ` + table + `')`, 2061, k6x.KindServer},
		{`client.query('select * from ` + table + ` where name = ?')`, 0, k6x.KindUsage},
		{`client.query('select * from ` + table + ` where name = ?', ['a', 'b'])`, 0, k6x.KindUsage},
	} {
		e := v.fail(test.script)
		require.Equal(t, test.code, e.Code, "%s: %v", test.script, e)
		require.Equal(t, test.kind, e.Kind, "%s: %v", test.script, e)
		if test.code != 0 {
			require.Contains(t, e.Message, fmt.Sprintf(" (machbase error %d)", test.code))
		}
	}
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opConnect), "none of these breaks the connection")
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opPrepare, "outcome", cmi.KindSyntax))
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opExec, "outcome", cmi.KindSyntax))
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opQuery, "outcome", cmi.KindSyntax))
}

func (v *vu) numbered(n int) string {
	table := v.table(`create table TABLE (n integer, text varchar(20))`)
	v.Run(fmt.Sprintf(`{ const a = client.appender(table, { columns: ['n'] });
		for (let i = 0; i < %d; i++) a.append([i]);
		const { accepted, rejected } = a.close();
		if (accepted !== %d || rejected !== 0) throw accepted; }`, n, n))
	v.untilCount(n)

	return table
}

func (v *vu) untilCount(n int) {
	v.t.Helper()
	require.Eventually(v.t, func() bool {
		return v.Run("client.query(`select count(*) from ${table}`, [], { rows: 'arrays' })[0][0]") == int64(n)
	}, 20*time.Second, 5*time.Millisecond, "the rows do not come up")
}

func TestServerQueries(t *testing.T) {
	for _, cache := range []cmi.CacheMode{cmi.CacheOff, cmi.CacheAuto} {
		for _, fetchRows := range []int{1, 7, 1000} {
			t.Run(fmt.Sprintf("%s %d", cache, fetchRows), func(t *testing.T) {
				v := newServerVU(t)
				v.Run(fmt.Sprintf(`client = new machbase.Client(url, { statementCache: '%s', fetchRows: %d })`, cache, fetchRows))
				v.numbered(100)
				v.Run("var sql = `select n, n * 2 as Twice from ${table} where n < ? order by n`, statement = client.prepare(sql)")
				for _, run := range []string{`client.query(sql, [PARAM`, `statement.query([PARAM`} {
					run := func(param, options string) string {
						return strings.Replace(run, "PARAM", param, 1) + `], ` + options + `)`
					}
					require.JSONEq(t, `[{"n":0,"Twice":0},{"n":1,"Twice":2}]`, v.JSON(run(`2`, `{}`)))
					require.JSONEq(t, `[[0,0],[1,2],[2,4]]`, v.JSON(run(`3`, `{ rows: 'arrays' }`)))
					require.JSONEq(t, `[{"name":"n","type":"integer"},{"name":"Twice","type":"long"}]`,
						v.JSON(`[`+run(`1`, `{}`)+`.columns[0], `+run(`1`, `{ rows: 'arrays' }`)+`.columns[1]]`))
					require.JSONEq(t, `[]`, v.JSON(run(`0`, `{}`)))
					require.Equal(t, int64(100), v.Run(run(`1000`, `{ rows: 'discard' }`)))
					require.Equal(t, int64(1), v.Run(run(`1`, `{ rows: 'discard', expect: { n: 0, twice: 0 } }`)))

					for range 2 {
						require.Equal(t, thrown{"MachbaseError", `row 1: n is 0, expected 50`, kindExpect, 0},
							v.fail(run(`1000`, `{ rows: 'discard', expect: { n: 50 } }`)))
					}
					require.Equal(t, int64(100), v.Run(run(`1000`, `{ rows: 'discard' }`)))
				}
				v.Run(`statement.close()`)
				require.Equal(t, 1.0, v.Counted(metricOps, "op", opConnect))
			})
		}
	}
}

func TestServerErrorBetweenTheRows(t *testing.T) {
	for _, cache := range []cmi.CacheMode{cmi.CacheOff, cmi.CacheAuto} {
		t.Run(string(cache), func(t *testing.T) {
			v := newServerVU(t)
			v.Run(`client = new machbase.Client(url, { statementCache: '` + string(cache) + `', fetchRows: 10 })`)
			v.numbered(100)
			v.Run("var sql = `select n, 1/(n-?) from ${table}`, statement = client.prepare(sql)")
			for _, run := range []string{`client.query(sql, `, `statement.query(`} {
				for range 3 {
					e := v.fail(run + `[50], { rows: 'discard' })`)
					require.Equal(t, int64(2061), e.Code, e)
					require.Equal(t, k6x.KindServer, e.Kind)
				}
				require.Equal(t, int64(100), v.Run(run+`[1000], { rows: 'discard' })`))
			}
		})
	}
}

func TestServerStatementsThatHideTheirFirstWord(t *testing.T) {
	v := newServerVU(t)
	v.numbered(1)
	for _, sql := range []string{
		"select n from ${table}", "SELECT n FROM ${table};", "-- who asks\nselect n from ${table}", "/* a */ select n from ${table}",
		"select/*+ FULL(${table}) */ n from ${table}", "select\n\tn from ${table}", "select(n) as n from ${table}",
	} {
		require.Equal(t, "n", v.Run("client.query(`"+sql+"`).columns[0].name"), sql)
	}
	require.JSONEq(t, `["N","TEXT"]`, v.JSON("client.query(`select*from ${table}`).columns.map((c) => c.name)"))
}

const typesTable = `create tag table TABLE (name varchar(20) primary key, time datetime basetime, s short, us ushort,
	i integer, ui uinteger, l long, ul ulong, f float, d double, v varchar(40), at datetime, i4 ipv4, i6 ipv6, b binary, j json)`

var typed = []struct{ name, row, back string }{
	{"plain", `1, 2, 3, 4, 5, 6, 7, 8, 'v', new Date(1), '1.2.3.4', '::1', new Uint8Array([1]).buffer, '{"a":1}'`,
		`[1,2,3,4,5,6,7,8,"v","1000000n","1.2.3.4","::1",[1],"{\"a\":1}"]`},
	{"typed", `machbase.bind('short', -1), machbase.bind('integer', 65534), machbase.bind('integer', -3), machbase.bind('long', 4294967294),
		machbase.bind('long', -5), machbase.bind('long', 6), machbase.bind('float', 0.5), machbase.bind('double', 0.1),
		machbase.bind('varchar', 'x'), machbase.bind('datetime', 1234567890123456789n), machbase.bind('ipv4', '255.255.255.255'),
		machbase.bind('ipv6', '2001:db8:0:1::12'), machbase.bind('binary', 'x'), machbase.bind('varchar', '[]')`,
		`[-1,65534,-3,4294967294,-5,6,0.5,0.1,"x","1234567890123456789n","255.255.255.255","2001:db8:0:1::12",[120],"[]"]`},
	{"largest", `32767, 65534, 2147483647, 4294967294, 9223372036854775807n, 9223372036854775807n, 1e38, 1e308, '😀é中',
		machbase.bind('datetime', 9223372036854775807n), '0.0.0.0', machbase.bind('ipv6', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'),
		new Uint8Array([0, 255, 0]).buffer, '{"a":"😀"}'`,
		`[32767,65534,2147483647,4294967294,"9223372036854775807n","9223372036854775807n",9.999999680285692e+37,1e308,"😀é中",
		"9223372036854775807n","0.0.0.0","ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",[0,255,0],"{\"a\":\"😀\"}"]`},
	{"smallest", `-32767, 0, -2147483647, 0, -9223372036854775807n, 0, -1e38, -1e308, ' ', machbase.bind('datetime', 0n), '127.0.0.1',
		machbase.bind('ipv6', '::12'), new Uint8Array([0]).buffer, '{}'`,
		`[-32767,0,-2147483647,0,"-9223372036854775807n",0,-9.999999680285692e+37,-1e308," ","0n","127.0.0.1","::12",[0],"{}"]`},
	{"ip6 map", `0, 0, 0, 0, 9007199254740993n, 0, 0, 5e-324, '??', new Date(0), null, machbase.bind('ipv6', '::ffff:1.2.3.4'), null, null`,
		`[0,0,0,0,"9007199254740993n",0,0,5e-324,"??","0n",null,"::ffff:1.2.3.4",null,null]`},
	{"nulls", `null, null, null, undefined, null, null, null, null, null, null, null, null, null, null`,
		`[null,null,null,null,null,null,null,null,null,null,null,null,null,null]`},
	{"nulls to be", `-32768, 65535, -2147483648, 4294967295, -9223372036854775808n, null, NaN, Infinity, '', null, null, null, new ArrayBuffer(0), ''`,
		`[null,null,null,null,null,null,null,null,null,null,null,null,null,null]`}, // Machbase's text of nulls
}

const selectTypes = "client.query(`select s, us, i, ui, l, ul, f, d, v, at, i4, i6, b, j from ${table} where name = ?`, [name], " +
	"{ rows: 'arrays', times: 'ns' }).map((row) => row.map((x) => x instanceof ArrayBuffer ? Array.from(new Uint8Array(x)) : x))[0]"

func TestServerTypesBound(t *testing.T) {
	for _, how := range []string{
		"client.exec(insert, [name, new Date(5), ROW])",
		"{ const s = client.prepare(insert); s.exec([name, new Date(5), ROW]); s.close(); }",
	} {
		t.Run(how, func(t *testing.T) {
			v := newServerVU(t)
			table := v.table(typesTable)
			v.Run("var name, insert = `insert into ${table} values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`")
			for _, test := range typed {
				v.Run(`name = '` + test.name + `'; ` + strings.Replace(how, "ROW", test.row, 1))
			}
			v.Run(`client.exec('exec table_flush(` + table + `)')`)
			for _, test := range typed {
				v.Run(`name = '` + test.name + `'`)
				require.JSONEq(t, test.back, v.JSON(selectTypes), test.name)
			}
			require.JSONEq(t, `["varchar","datetime","short","ushort","integer","uinteger","long","ulong","float","double","varchar",
			"datetime","ipv4","ipv6","binary","json"]`, v.JSON("client.query(`select * from ${table} limit 1`).columns.map((c) => c.type)"))
		})
	}
}

func TestServerTypesAppended(t *testing.T) {
	v := newServerVU(t)
	table := v.table(typesTable)
	v.Run("var name, appender = client.appender(table)")
	for _, test := range typed {
		v.Run(`appender.append(['` + test.name + `', new Date(5), ` + test.row + `])`)
	}
	require.JSONEq(t, fmt.Sprintf(`{"accepted":%d,"rejected":0,"reasons":[],"other":0}`, len(typed)), v.JSON(`appender.close()`))
	v.Run(`client.exec('exec table_flush(` + table + `)')`)
	for _, test := range typed {
		v.Run(`name = '` + test.name + `'`)
		require.JSONEq(t, test.back, v.JSON(selectTypes), test.name)
	}
}

func TestServerTypesAsConditions(t *testing.T) {
	v := newServerVU(t)
	table := v.table(typesTable)
	v.Run("client.exec(`insert into ${table} values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, ['a', new Date(5), " + typed[1].row + "])")
	v.Run(`client.exec('exec table_flush(` + table + `)')`)
	for condition, param := range map[string]string{
		"name = ?": `'a'`, "time = ?": `new Date(5)`, "s = ?": `-1`, "us = ?": `65534`, "ui = ?": `4294967294`, "l < ?": `-4`,
		"f = ?": `0.5`, "d = ?": `0.1`, "v = ?": `'x'`, "at = ?": `machbase.bind('datetime', 1234567890123456789n)`,
		"i4 = ?": `machbase.bind('ipv4', '255.255.255.255')`, "i6 = ?": `machbase.bind('ipv6', '2001:db8:0:1::12')`,
		"i6 =? ": `'2001:db8:0:1::12'`,
	} {
		count := "client.query(`select count(*) from ${table} where " + condition + "`, [" + param + "], { rows: 'arrays' })[0][0]"
		require.Equal(t, int64(1), v.Run(count), condition)
	}
}

func TestServerTimes(t *testing.T) {
	v := newServerVU(t)
	table := v.table(tagTable)
	for _, ns := range []string{"0", "1", "999999999", "1234567890123456789", "1771848000000000001", "4102444800999999999"} {
		v.Run("client.exec(`insert into ${table} values (?, ?, ?)`, ['" + ns + "', machbase.bind('datetime', " + ns + "n), 1])")
	}
	v.Run(`client.exec('exec table_flush(` + table + `)')`)
	for _, row := range v.Run("client.query(`select name, time from ${table}`, [], { rows: 'arrays', times: 'ns' })" +
		".map(([name, time]) => [name, String(time)])").([]any) {
		pair := row.([]any)
		require.Equal(t, pair[0], pair[1])
	}
	require.Equal(t, "2026-02-23T12:00:00.000Z",
		v.Run("client.query(`select time from ${table} where name = '1771848000000000001'`)[0].time.toISOString()"))
}

func TestServerPreparedStatements(t *testing.T) {
	v := newServerVU(t)
	v.table(`create table TABLE (n integer, text varchar(20))`)
	v.Run("var insert = client.prepare(`insert into ${table} values (?, ?)`)")
	require.JSONEq(t, `[1,1,1]`, v.JSON(`[insert.exec([1, 'a']), insert.exec([2, 'b']), insert.exec([3, null])]`))
	v.Run("insert.close(); var select = client.prepare(`select text from ${table} where n = ?`)")
	require.JSONEq(t, `[[["b"]],[["a"]],[],[[null]]]`,
		v.JSON(`[2, 1, 9, 3].map((n) => select.query([n], { rows: 'arrays' }))`))
	require.Equal(t, k6x.KindUsage, v.fail(`select.query([])`).Kind)
	require.JSONEq(t, `[["a"]]`, v.JSON(`select.query([1], { rows: 'arrays' })`))
	v.Run(`client.close()`)
	require.JSONEq(t, `[["a"]]`, v.JSON(`select.query([1], { rows: 'arrays' })`), "prepared again on the new connection")
	v.Run(`select.close(); select.close()`)
	require.JSONEq(t, `[["a"]]`, v.JSON(`select.query([1], { rows: 'arrays' })`), "prepared again after its end")
}

func TestServerCountsChangedRows(t *testing.T) {
	for _, cache := range []cmi.CacheMode{cmi.CacheOff, cmi.CacheAuto} {
		t.Run(string(cache), func(t *testing.T) {
			v := newServerVU(t)
			v.Run(`client = new machbase.Client(url, { statementCache: '` + string(cache) + `' })`)
			v.table(`create volatile table TABLE (n integer primary key, text varchar(20))`)
			require.JSONEq(t, `[1,1,1]`, v.JSON("[1, 2, 3].map((n) => client.exec(`insert into ${table} values (?, ?)`, [n, 'select']))"), cache)
			require.JSONEq(t, `[1,0,1]`, v.JSON("[1, 9, 2].map((n) => client.exec(`update ${table} set text = 'x' where n = ?`, [n]))"), cache)
			require.JSONEq(t, `[1,0,1]`, v.JSON("[1, 1, 2].map((n) => client.exec(`delete from ${table} where n = ?`, [n]))"), cache)

			v.Run("var first = table")
			v.table(`create table TABLE (n integer, text varchar(20))`)
			require.JSONEq(t, `[1,0,1]`,
				v.JSON("[3, 9, 3].map((n) => client.exec(`insert into ${table} select * from ${first} where n = ?`, [n]))"), cache)
		})
	}
}

func TestServerStatementCache(t *testing.T) {
	sent := map[cmi.CacheMode]float64{}
	for _, cache := range []cmi.CacheMode{cmi.CacheOff, cmi.CacheAuto} {
		t.Run(string(cache), func(t *testing.T) {
			v := newServerVU(t)
			v.Run(`client = new machbase.Client(url, { statementCache: '` + string(cache) + `' })`)
			v.numbered(3)
			v.Run("var sql = `select n from ${table} where n = ?`; client.query(sql, [0]); client.query(sql, [0])")
			before := v.Counted("data_sent")
			require.JSONEq(t, `[[1],[2],[0]]`, v.JSON(`[1, 2, 0].map((n) => client.query(sql, [n], { rows: 'arrays' })[0])`))
			sent[cache] = v.Counted("data_sent") - before
		})
	}
	require.Less(t, sent[cmi.CacheAuto], sent[cmi.CacheOff]/2)
}

func TestServerAppender(t *testing.T) {
	v := newServerVU(t)
	table := v.table(tagTable)
	v.Run(`var a = client.appender(table.toUpperCase(), { columns: ['VALUE', 'name', 'Time'] })`)
	v.Run(`a.append([1, 'a', new Date(1)]); a.append([2, 'a', new Date(2)], [3, 'b', new Date(3)]); a.flush(); a.append([4.5, 'b', machbase.bind('datetime', 4000001n)])`)

	for _, row := range []string{`[1]`, `[1, 'a', new Date(1), 2]`, `[]`} {
		e := v.fail(`a.append(` + row + `)`)
		require.Equal(t, k6x.KindUsage, e.Kind)
		require.Contains(t, e.Message, "a row for table '"+strings.ToUpper(table)+"' takes 3 values, not ")
	}
	require.JSONEq(t, `{"accepted":4,"rejected":0,"reasons":[],"other":0}`, v.JSON(`a.close()`))
	require.Equal(t, k6x.KindConnection, v.fail(`a.append([5, 'b', new Date(5)])`).Kind)
	v.Run(`client.exec('exec table_flush(` + table + `)')`)
	require.JSONEq(t, `[["a","1000000n",1],["a","2000000n",2],["b","3000000n",3],["b","4000001n",4.5]]`,
		v.JSON("client.query(`select name, time, value from ${table} order by time`, [], { rows: 'arrays', times: 'ns' })"))
	require.Equal(t, 4.0, v.Counted(metricRows, "op", opAppend, "outcome", k6x.OutcomeOK))
	require.Equal(t, 3.0, v.Counted(metricOps, "op", opAppend, "outcome", k6x.KindUsage))
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opConnect))
}

func TestServerAppenderOfALogTable(t *testing.T) {
	v := newServerVU(t)
	v.table(`create table TABLE (n integer, text varchar(20))`)
	begun := time.Now()
	for i, options := range []string{``, `, {}`, `, { columns: [] }`} {
		v.Run(fmt.Sprintf(`{ const a = client.appender(table%s); a.append([%d, 'x']); a.close(); }`, options, i))
	}
	v.Run(`{ const a = client.appender(table, { columns: ['text', 'n'] }); a.append(['x', 3]); a.close(); }`)
	v.Run(`{ const a = client.appender(table, { columns: ['n'] }); a.append([4]); a.close(); }`)
	v.untilCount(5)
	require.JSONEq(t, `[[0,"x"],[1,"x"],[2,"x"],[3,"x"],[4,null]]`,
		v.JSON("client.query(`select n, text from ${table} order by n`, [], { rows: 'arrays' })"))
	for _, arrived := range v.Run("client.query(`select _arrival_time as t from ${table}`).map((row) => row.t.getTime())").([]any) {
		require.WithinDuration(t, begun, time.UnixMilli(arrived.(int64)), time.Minute)
	}
}

func TestServerAppenderWithBadRows(t *testing.T) {
	v := newServerVU(t)
	table := v.table(tagTable)
	v.Run(`var a = client.appender(table)`)
	for _, row := range []string{`['x', new Date(), 'abc']`, `['x', new Date(), new Date()]`, `[1, new Date(), 1]`, `['x', 'yesterday', 1]`} {
		e := v.fail(`a.append(['before', new Date(2), 2], ` + row + `)`)
		require.Equal(t, cmi.KindAppend, e.Kind, e)
		require.Contains(t, e.Message, "cannot take")
	}
	v.Run(`a.append(['x', new Date(1), 1], ['x', null, 1], ['x'.repeat(100), new Date(1), 1], ['y'.repeat(200), new Date(1), 1])`)
	require.Equal(t, int64(0), v.Run("client.query(`select * from ${table} where name = 'z'`).length"), "other operations go on")
	require.JSONEq(t, `{"accepted":5,"rejected":3,"reasons":[
		{"code":3017,"message":"Too large record size for append. Cannot append more than 48 bytes per record.","rows":2},
		{"code":1345,"message":"The value of the column<2> must not be NULL","rows":1}],"other":0}`, v.JSON(`a.close()`))
	v.Run(`client.exec('exec table_flush(` + table + `)')`)
	v.untilCount(5)
}

func TestServerAppenderOfAVolatileTable(t *testing.T) {
	v := newServerVU(t)
	v.table(`create volatile table TABLE (n integer primary key, text varchar(10))`)
	v.Run(`var a = client.appender(table, { columns: ['text', 'n'] }); a.append(['a', 1], ['b', 2], [null, 3])`)
	require.JSONEq(t, `{"accepted":3,"rejected":0,"reasons":[],"other":0}`, v.JSON(`a.close()`))
	require.JSONEq(t, `[[1,"a"],[2,"b"],[3,null]]`, v.JSON("client.query(`select n, text from ${table} order by n`, [], { rows: 'arrays' })"))
}

func TestServerOtherOperationsDuringAnAppender(t *testing.T) {
	v := newServerVU(t)
	v.table(`create table TABLE (n integer, text varchar(20))`)
	v.Run("var logTable = table")
	tag := v.table(tagTable)
	v.Run("var a = client.appender(logTable), b = client.appender(table), counts = []")
	v.Run("for (let i = 0; i < 3000; i++) { a.append([i, 'x']); b.append(['x', new Date(i), i]); " +
		"if (i % 500 === 0) { counts.push(client.query(`select count(*) as n from ${logTable}`)[0].n); client.exec(`insert into ${logTable} (n) values (?)`, [-1]) } }")
	require.JSONEq(t, `[{"accepted":3000,"rejected":0,"reasons":[],"other":0},{"accepted":3000,"rejected":0,"reasons":[],"other":0}]`, v.JSON(`[b.close(), a.close()]`))
	v.Run(`client.exec('exec table_flush(` + tag + `)')`)
	v.untilCount(3000)
	v.Run("table = logTable")
	v.untilCount(3006)
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opConnect))
}

const (
	tickTable = `create tag table TABLE (code varchar(20) primary key, time datetime basetime, price double, volume double,
		bid_price double, ask_price double)`
	rollupTable = `create tag table TABLE (code varchar(20) primary key, time datetime basetime, sum_price double,
		sum_volume double, sum_bid double, sum_ask double, cnt integer)`
)

func TestServerGenerate(t *testing.T) {
	from := time.Date(2026, 2, 23, 12, 0, 0, 0, time.UTC)
	to := from.Add(2 * time.Minute)
	generator := func() *generate.Stock {
		g, err := generate.NewStock(7, 500)
		require.NoError(t, err)

		return g
	}
	var ticks, sample int64
	var lastPrice float64
	code := generate.Codes()[3]
	require.NoError(t, generator().Ticks(from, to, func(tick *generate.Tick) error {
		ticks++
		if tick.Code == code {
			sample++
			lastPrice = tick.Price
		}

		return nil
	}))
	require.Equal(t, int64(2*60*500), ticks)

	v := newServerVU(t)
	v.Run(`var options = { from: new Date('2026-02-23T12:00:00Z'), to: new Date('2026-02-23T12:02:00Z'), seed: 7, tps: 500 }`)
	load := func(create, name string) string {
		table := v.table(create)
		v.Run(`var a = client.appender(table, { columns: [] }), made = a.generate('` + name + `', options), closed = a.close();
			client.exec('exec table_flush(` + table + `)')`)

		return table
	}

	var tables []string
	for range 2 {
		tables = append(tables, load(tickTable, generatorTicks))
		require.JSONEq(t, fmt.Sprintf(`[%d,%d,0]`, ticks, ticks), v.JSON(`[made, closed.accepted, closed.rejected]`))
		v.untilCount(int(ticks))
		require.JSONEq(t, fmt.Sprintf(`[[%d,%v]]`, sample, lastPrice),
			v.JSON("client.query(`select count(*), last(time, price) from ${table} where code = ?`, ['"+code+"'], { rows: 'arrays' })"))
	}
	rows := func(table string) string {
		return v.JSON("client.query(`select * from " + table + " where code in (?, 'WISH') order by time`, ['" + code + "'], { rows: 'arrays', times: 'ns' })")
	}
	first := rows(tables[0])
	require.Contains(t, first, code)
	require.JSONEq(t, first, rows(tables[1]))

	v.table(tickTable)
	v.Run(`var half = new Date('2026-02-23T12:01:00Z'), b = client.appender(table);
		made = b.generate('stock_tick', { ...options, to: half }) + b.generate('stock_tick', { ...options, from: half }); b.close()`)
	require.Equal(t, ticks, v.Run(`made`))

	var minutes, sum int64
	require.NoError(t, generator().Rollups(time.Minute, from, to, func(r *generate.Rollup) error { minutes++; sum += r.Count; return nil }))
	load(rollupTable, generatorMinutes)
	require.JSONEq(t, fmt.Sprintf(`[%d,%d,0]`, minutes, minutes), v.JSON(`[made, closed.accepted, closed.rejected]`))
	v.untilCount(int(minutes))
	require.Equal(t, sum, v.Run("client.query(`select sum(cnt) as n from ${table}`)[0].n"))
	require.Equal(t, ticks, sum)

	require.Equal(t, float64(3*ticks+minutes), v.Counted(metricRows, "op", opAppend, "outcome", k6x.OutcomeOK))
}

func TestServerMetrics(t *testing.T) {
	v := newServerVU(t)
	v.numbered(5)
	v.Run("client.query(`select * from ${table}`); attempt(() => client.query('selct')); client.prepare(`select n from ${table}`).query()")
	for _, want := range []struct {
		operation, outcome string
		rows               float64
	}{
		{opConnect, k6x.OutcomeOK, 0}, {opExec, k6x.OutcomeOK, 0}, {opAppend, k6x.OutcomeOK, 5}, {opQuery, cmi.KindSyntax, 0}, {opPrepare, k6x.OutcomeOK, 0},
	} {
		tags := []string{"op", want.operation, "outcome", want.outcome}
		require.Positive(t, v.Counted(metricOps, tags...), tags)
		require.Equal(t, want.rows, v.Counted(metricRows, tags...), tags)
		require.Len(t, v.Found(metricDuration, tags...), int(v.Counted(metricOps, tags...)), tags)
	}
	require.GreaterOrEqual(t, v.Counted(metricRows, "op", opQuery, "outcome", k6x.OutcomeOK), 10.0)
}

type proxy struct {
	listener net.Listener
	server   string
	stalled  atomic.Bool

	mu    sync.Mutex
	conns []net.Conn
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	u, err := url.Parse(serverURL(t))
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{listener: listener, server: u.Host}
	go p.serve()
	t.Cleanup(func() {
		_ = listener.Close()
		p.cut()
	})

	return p
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			_ = client.Close()

			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		go p.forward(server, client)
		go p.forward(client, server)
	}
}

func (p *proxy) forward(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if p.stalled.Load() {
			continue // discarded
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	p.conns = nil
}

func (p *proxy) clientOf(t *testing.T, v *vu, options string, alternatives ...string) {
	t.Helper()
	through := serverPart(t, func(u *url.URL) { u.Host = p.listener.Addr().String() })
	v.Set("urls", append([]string{through}, alternatives...))
	v.Run(`client = new machbase.Client([...urls], ` + options + `)`)
}

func TestServerThatStalls(t *testing.T) {
	for _, test := range []struct{ name, timeout, within, before, call string }{
		{"query", "60s", "100ms", ``, "client.query(`select * from ${table}`, [], { timeout: 100 })"},
		{"exec", "60s", "100ms", ``, "client.exec(`insert into ${table} (n) values (1)`, [], { timeout: 100 })"},
		{"prepared", "60s", "100ms", "var s = client.prepare(`select * from ${table} where n = ?`)", `s.query([1], { timeout: 100 })`},
		{"append", "3s", "3s", `var a = client.appender(table, { columns: ['n'] }); a.append([1])`, `a.close()`},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := newServerVU(t)
			v.numbered(3)
			p := newProxy(t)
			p.clientOf(t, v, `{ timeout: '`+test.timeout+`' }`)
			v.Run(test.before + `; client.connect()`)

			p.stalled.Store(true)
			require.Equal(t, thrown{"MachbaseError", "no answer within timeout (" + test.within + ")", k6x.KindTimeout, 0}, v.fail(test.call))
			p.stalled.Store(false)
			require.GreaterOrEqual(t, v.Run("client.query(`select n from ${table}`, [], { rows: 'discard' })"), int64(3))
			v.Run(`client.close(); client = new machbase.Client(url)`)
		})
	}
}

func TestServerThatStallsWhenConnecting(t *testing.T) {
	v := newServerVU(t)
	p := newProxy(t)
	p.stalled.Store(true)
	p.clientOf(t, v, `{ connectTimeout: 100 }`)
	e := v.fail(`client.connect()`)
	require.Equal(t, k6x.KindConnect, e.Kind)
	require.Contains(t, e.Message, "no answer within connectTimeout (100ms)")
	p.stalled.Store(false)
	p.clientOf(t, v, `{ connectTimeout: '60s' }`)
	v.Run(`client.connect(); client.close()`)
}

func TestServerWithAlternatives(t *testing.T) {
	v := newServerVU(t)
	p := newProxy(t)
	p.stalled.Store(true)
	address := serverPart(t, func(*url.URL) {})
	u, err := url.Parse(address)
	require.NoError(t, err)
	p.clientOf(t, v, `{ connectTimeout: '1s' }`, "127.0.0.1:1", u.Host)
	v.Run(`client.connect(); client.close()`)
	p.clientOf(t, v, `{ connectTimeout: '200ms' }`, "127.0.0.1:1")
	e := v.fail(`client.connect()`)
	require.Equal(t, k6x.KindConnect, e.Kind)
	require.Contains(t, e.Message, "127.0.0.1:1")
}

func TestServerThatBreaksTheConnection(t *testing.T) {
	v := newServerVU(t)
	v.numbered(3)
	p := newProxy(t)
	p.clientOf(t, v, `{}`)
	v.Run("var s = client.prepare(`select n from ${table}`), a = client.appender(table, { columns: ['n'] })")
	p.cut()
	e := v.fail(`s.query()`)
	require.Equal(t, k6x.KindConnection, e.Kind)
	require.Contains(t, e.Message, "the server at 127.0.0.1:")
	require.Contains(t, e.Message, " closed the connection")
	require.Equal(t, k6x.KindConnection, v.fail(`a.append([1])`).Kind)
	require.Equal(t, int64(3), v.Run(`s.query([], { rows: 'discard' })`))
	require.Equal(t, 2.0, v.Counted(metricOps, "op", opConnect, "outcome", k6x.OutcomeOK)-1)
	v.Run(`client.close(); client = new machbase.Client(url)`)
}
