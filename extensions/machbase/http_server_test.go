//go:build servers

package machbase

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// The tests of this file run the driver http against the real server at MACHBASE_HTTP_URL, which is
// the one at MACHBASE_URL.

// httpURL is MACHBASE_HTTP_URL with the user and the password that every machbase-neo begins with.
func httpURL(t *testing.T) string {
	t.Helper()
	url := os.Getenv("MACHBASE_HTTP_URL")
	if url == "" {
		t.Fatal("MACHBASE_HTTP_URL is not set; run MACHBASE_HTTP=true scripts/servers.sh with machbase -- go test -tags servers ./extensions/machbase/...")
	}

	return strings.Replace(url, "://", "://sys:manager@", 1)
}

// newHTTPVU is newServerVU with `http`, a client over HTTP, beside `client`.
func newHTTPVU(t *testing.T) *vu {
	t.Helper()
	v := newServerVU(t)
	v.Set("httpURL", httpURL(t))
	v.Run(`var http = new machbase.Client(httpURL); http.connect()`)
	require.Equal(t, "http", v.Run(`http.driver`))

	return v
}

// lasting creates a table that stays: the server keeps one that was appended to over HTTP busy for
// up to a minute.
func (v *vu) lasting(create string) string {
	v.t.Helper()
	name := fmt.Sprintf("lasting_%d_%d", os.Getpid(), time.Now().UnixNano())
	v.Run(`client.exec(` + quote(strings.ReplaceAll(create, "TABLE", name)) + `)`)
	v.Set("table", name)

	return name
}

// eventually runs JavaScript until it is true: what is appended over HTTP is in the table a moment
// later.
func (v *vu) eventually(script string) {
	v.t.Helper()
	require.Eventually(v.t, func() bool { return v.Run(script) == true }, 30*time.Second, 50*time.Millisecond, script)
}

// Both drivers give the same of the same rows, whichever wrote them, but for what JSON does not
// tell: the unsigned types and the kinds of text.
func TestHTTPServerSameAnswers(t *testing.T) {
	v := newHTTPVU(t)
	v.lasting(typesTable)
	v.Run("var insert = `insert into ${table} values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`")
	for i, row := range []string{
		`1, 2, 3, 4, 5, 6, 7, 8, 'v', new Date(1), '1.2.3.4', '::1', null, '{"a":1}'`,
		`-32767, 0, -2147483647, 0, -9223372036854775807n, 0, -1e38, -1e308, ' ', machbase.bind('datetime', 0n), '0.0.0.0', '::12', null, '{}'`,
		`32767, 32767, 2147483647, 2147483647, 9223372036854775807n, 9007199254740993n, 1e38, 1e308, '😀é中\n\t"<&>',
			machbase.bind('datetime', 1234567890123456789n), '255.255.255.255', '2001:db8:0:1::12', null, '[]'`,
		`null, null, null, null, null, null, null, null, null, null, null, null, null, null`,
		`0, 0, 0, 0, 0, 0, 0.5, 5e-324, 'it\'s \\ a "test" -- ? /* */', new Date(0), null, null, null, null`,
	} {
		v.Run(fmt.Sprintf("for (const [who, db] of [['n', client], ['h', http]]) db.exec(insert, [who + '-%d', new Date(5), %s])", i, row))
		v.Run(fmt.Sprintf("{ const a = http.appender(table); a.append(['a-%d', new Date(5), %s]); a.close() }", i, row))
	}
	const values = "s, us, i, ui, l, ul, f, d, v, at, i4, i6, b, j"
	v.Run("var all = (db, who) => String(db.query(`select " + values +
		" from ${table} where name like ? order by name`, [who + '-%'], { rows: 'arrays', times: 'ns' }).map((row) => row.map(String).join('|')).join('\\n'))")
	// what all rows have, the rows of a name may not have yet
	v.eventually("client.exec(`exec table_flush(${table})`); client.query(`select name from ${table}`, [], { rows: 'discard' }) === 15")
	v.eventually("['n', 'h', 'a'].every((who) => " +
		"client.query(`select name from ${table} where name like ?`, [who + '-%'], { rows: 'discard' }) === 5)")
	want := v.Run(`all(client, 'n')`)
	require.Contains(t, want, "1234567890123456789")
	require.Contains(t, want, "9223372036854775807|9007199254740993")
	for _, other := range []string{`all(client, 'h')`, `all(client, 'a')`, `all(http, 'n')`, `all(http, 'h')`, `all(http, 'a')`} {
		require.Equal(t, want, v.Run(other), other)
	}
	require.JSONEq(t, `["varchar","datetime","short","short","integer","integer","long","long","float","double","varchar","datetime","ipv4","ipv6","binary","varchar"]`,
		v.JSON("http.query(`select * from ${table} limit 1`).columns.map((c) => c.type)"))
	require.Equal(t, int64(1), v.Run("http.query(`select v from ${table} where name = ? and v = ?`, ['h-4', \"it's \\\\ a \\\"test\\\" -- ? /* */\"], { rows: 'discard' })"),
		"a string finds itself")
}

func TestHTTPServerErrors(t *testing.T) {
	v := newHTTPVU(t)
	table := v.table(tagTable)
	v.Run(`client.exec("insert into ` + table + ` values ('a', 0, 1)"); client.exec('exec table_flush(` + table + `)')`)
	for _, test := range []struct {
		script string
		code   int64
		kind   string
	}{
		{`http.exec('` + strings.ReplaceAll(tagTable, "TABLE", table) + `')`, 2024, cmi.KindConflict},
		{`http.query('select * from no_such_table')`, 2025, cmi.KindNotFound},
		{`http.query('select nope from ` + table + `')`, 2056, cmi.KindNotFound},
		{`http.exec('exec rollup_force(no_such_rollup)')`, 2654, cmi.KindNotFound},
		{`http.exec('selct 1')`, 2010, cmi.KindSyntax},
		{`http.query('select 1/(value-1) from ` + table + `')`, 2061, k6mod.KindServer}, // which comes behind a success
		{`http.query('select * from ` + table + ` where name = ?')`, 0, k6mod.KindUsage},
		{`http.query('select * from ` + table + ` where name = ?', ['a', 'b'])`, 0, k6mod.KindUsage},
		{`http.query('select * from ` + table + ` where name = ?', ['a\\'])`, 0, k6mod.KindUsage},
		{`http.prepare('select * from ` + table + `')`, 0, k6mod.KindUsage},
		{`http.appender('no_such_table')`, 0, cmi.KindNotFound},
		{`http.appender('v$session')`, 0, k6mod.KindUsage},
		{`http.appender('` + table + `', { columns: ['name', 'nope'] })`, 0, cmi.KindNotFound},
		{`http.appender('` + table + `').append(['a', new Date(0), 'x'])`, 0, cmi.KindAppend},
		{`new machbase.Client(httpURL.replace('manager', 's3cret')).connect()`, 0, k6mod.KindAuth},
		{`new machbase.Client(url.replace('machbase://', 'http://').replace('manager', 's3cret'), { connectTimeout: '300ms' }).connect()`, 0, k6mod.KindConnect},
		{`new machbase.Client('http://sys:s3cret@127.0.0.1:1').connect()`, 0, k6mod.KindConnect},
		{`new machbase.Client(httpURL.replace('http:', 'https:')).connect()`, 0, k6mod.KindConnect},
	} {
		e := v.fail(test.script)
		require.Equal(t, test.code, e.Code, "%s: %v", test.script, e)
		require.Equal(t, test.kind, e.Kind, "%s: %v", test.script, e)
		require.NotContains(t, e.Message, "cret", test.script)
		require.NotContains(t, e.Message, "manager", test.script)
	}
	require.Equal(t, int64(1), v.Run("http.query(`select * from ${table}`, [], { rows: 'discard', expect: { name: 'a' } })"), "and it goes on")
}

func TestHTTPServerRowsChanged(t *testing.T) {
	v := newHTTPVU(t)
	v.table(`create volatile table TABLE (n integer primary key, text varchar(10))`)
	for _, db := range []string{"http", "client"} {
		require.JSONEq(t, `[1,1,0,1,1,0]`, v.JSON(strings.ReplaceAll("[1, 2].map((n) => DB.exec(`insert into ${table} values (?, 'x')`, [n]))"+
			".concat([DB.exec(`update ${table} set text = 'y' where n = 9`), DB.exec(`delete from ${table} where n = 1`), "+
			"DB.exec(`delete from ${table} where n = 2`), DB.exec(`delete from ${table} where n = 2`)])", "DB", db)), db)
	}
}
