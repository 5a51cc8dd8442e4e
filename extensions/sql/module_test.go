package sql

import (
	"net"
	"os"
	"regexp"
	"testing"
	"time"

	xk6sql "github.com/grafana/xk6-sql/sql"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/ext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

func newInitVU(t *testing.T) *testutil.Runner {
	t.Helper()
	v := testutil.NewRunner(t, ImportPath, New())
	for _, name := range []string{"sqlite3", "postgres", "machbase"} {
		driver, is := ext.Get(ext.JSExtension)["k6/x/sql/driver/"+name].Module.(*driverModule)
		require.True(t, is)
		v.Set(name, driver.id)
	}

	return v
}

func newVU(t *testing.T) *testutil.Runner {
	t.Helper()
	v := newInitVU(t)
	v.Run(`var db = sql.open(sqlite3, ':memory:', { max_open_conns: 1 })`)
	v.Start(1)
	v.Run(`db.exec('create table people (id integer primary key, name text not null)')`)
	t.Cleanup(func() { v.Run(`db.close()`) })

	return v
}

func TestMetrics(t *testing.T) {
	v := newVU(t)
	require.Equal(t, "2", v.JSON(`db.exec("insert into people (name) values ('a'), (?)", 'b').rowsAffected()`))
	require.JSONEq(t, `[{"id":2,"name":"b"}]`, v.JSON(`db.query('select * from people where id = ?', 2)`))
	require.JSONEq(t, `[{"name":"a"}]`, v.JSON(`db.queryWithTimeout('5s', 'select name from people where id = ?', 1)`))
	require.Equal(t, "1", v.JSON(`db.execWithTimeout(5000, 'delete from people where id = 1').rowsAffected()`))
	require.Equal(t, "not_found", v.Fail(`db.query('select * from nowhere')`).Kind)

	require.Equal(t, 2.0, v.Counted(metricOps, "op", "query", "outcome", "ok"))
	require.Equal(t, 3.0, v.Counted(metricOps, "op", "exec", "outcome", "ok"), "the table's as well")
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "query", "outcome", "not_found"))
	require.Len(t, v.Found(metricDuration, "op", "query", "outcome", "ok"), 2)
	require.Positive(t, v.Counted(metricDuration, "op", "exec"))
}

func TestTagsOfADatabase(t *testing.T) {
	v := newVU(t)
	v.Run(`const other = sql.open(sqlite3, ':memory:', { tags: { db: 'other' } });
		other.query('select 1'); other.exec('create table t (id integer)'); db.query('select 1')`)
	require.Equal(t, 2.0, v.Counted(metricOps, "db", "other"))
	require.Len(t, v.Found(metricDuration, "db", "other"), 2)
	require.Equal(t, 4.0, v.Counted(metricOps))
}

func TestMetricsInASweep(t *testing.T) {
	var v *testutil.Runner
	reading := testutil.Step(t, 1, measure.Plan{Operations: 20}, "select", func() *testutil.Runner {
		v = newVU(t)

		return v
	}, `var select = () => db.query('select 1')`, `select()`)
	require.EqualValues(t, 20, reading.Ops[0].Durations.Count)
	require.Equal(t, 20.0, v.Counted(metricOps, "op", "query", "outcome", "ok"))
	require.Empty(t, v.Found(metricDuration, "op", "query"))
}

func TestErrors(t *testing.T) {
	v := newVU(t)
	v.Run(`db.exec("insert into people values (1, 'a')")`)
	for script, kind := range map[string]string{
		`db.query('select age from people')`:                                                    kindNotFound,
		`db.exec('insert into nowhere values (1)')`:                                             kindNotFound,
		`db.exec("insert into people (no) values (1)")`:                                         kindNotFound,
		`db.exec('create table people (id integer)')`:                                           kindConflict,
		`db.exec("insert into people values (1, 'b')")`:                                         kindConflict,
		`db.query('selec 1')`:                                                                   kindSyntax,
		`db.exec('insert into people values (2, null)')`:                                        "server",
		`sql.open(sqlite3, '/nowhere/x.db').query('select 1')`:                                  "connect",
		`sql.open(postgres, 'postgres://me@127.0.0.1:1/d').query('x')`:                          "connect",
		`sql.open(machbase, 'machbase://me@127.0.0.1:1').query('x')`:                            "connect",
		`sql.open(sqlite3, ':memory:').query('select ?')`:                                       "usage",
		`(() => { const d = sql.open(sqlite3, ':memory:'); d.close(); d.query('select 1') })()`: "usage",
	} {
		e := v.Fail(script)
		require.Equal(t, "SqlError", e.Name, script)
		require.Equal(t, kind, e.Kind, "%s: %s", script, e.Message)
	}
	require.Equal(t, testutil.Thrown{Name: "SqlError", Message: "SQL logic error: no such table: nowhere (1)", Kind: kindNotFound, Code: 1},
		v.Fail(`db.query('select 1 from nowhere')`))
	require.Equal(t, 1.0, v.Counted(metricOps, "outcome", "syntax"))
	require.Zero(t, v.Counted(metricOps, "outcome", "usage"))
}

func TestServerThatSaysNothing(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	v := newVU(t)
	v.Set("address", listener.Addr().String())
	e := v.Fail("sql.open(machbase, `machbase://me@${address}?connectTimeout=200ms`).query('select 1')")
	require.Equal(t, "connect", e.Kind)
	require.Equal(t, "cannot connect to "+listener.Addr().String()+": no answer in time, within connectTimeout (200ms)", e.Message)
	e = v.Fail("sql.open(postgres, `postgres://me@${address}/db?sslmode=disable&connect_timeout=1`).query('select 1')")
	require.Equal(t, "connect", e.Kind, e.Message)
}

const endless = `with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n`

func TestTimeout(t *testing.T) {
	v := newVU(t)
	v.Set("endless", endless)
	for script, timeout := range map[string]string{
		`db.queryWithTimeout('100ms', endless)`:                              "100ms",
		`db.execWithTimeout(150, endless)`:                                   "150ms",
		`sql.open(sqlite3, ':memory:', { timeout: '120ms' }).query(endless)`: "120ms",
		`sql.open(sqlite3, ':memory:', { timeout: '130ms' }).exec(endless)`:  "130ms",
	} {
		require.Equal(t, testutil.Thrown{Name: "SqlError", Message: "no answer within timeout (" + timeout + ")", Kind: "timeout"}, v.Fail(script))
	}
	require.Equal(t, 4.0, v.Counted(metricOps, "outcome", "timeout"))
}

func TestTimeoutOfAnotherDriver(t *testing.T) {
	v := newVU(t)
	v.Set("endless", endless)
	v.Set("other", xk6sql.RegisterDriver("sqlite")) // modernc.org/sqlite registers this name
	require.Equal(t, "timeout", v.Fail(`sql.open(other, ':memory:').queryWithTimeout('100ms', endless)`).Kind)
	require.JSONEq(t, `[{"a":1}]`, v.JSON(`sql.open(other, ':memory:').query('select 1 as a')`))
}

func TestTheTestEnds(t *testing.T) {
	v := newVU(t)
	v.Set("endless", endless)
	go func() {
		time.Sleep(50 * time.Millisecond)
		v.CancelContext()
	}()
	e := v.Fail(`db.query(endless)`)
	require.Equal(t, "cancelled", e.Kind, e.Message)
	require.Equal(t, "the test ended before the answer came", e.Message)
}

func TestWrongUse(t *testing.T) {
	v := newVU(t)
	for script, message := range map[string]string{
		`sql.open('sqlite3', ':memory:')`: `open: the driver must be the default export of a driver's module, such as k6/x/sql/driver/postgres, not sqlite3`,
		`sql.open(sqlite3)`:               `open: the name of the database must be a string, not undefined`,
		`sql.open(sqlite3, 'x', { maxOpenConns: 1 })`: `open: unknown option "maxOpenConns"; known are shared, max_open_conns, max_idle_conns, conn_max_idle_time, ` +
			`conn_max_lifetime, timeout, tags; did you mean max_open_conns?`,
		`sql.open(sqlite3, 'x', { max_open_conns: '1' })`: `open: option max_open_conns must be an integer from 0, not 1`,
		`sql.open(sqlite3, 'x', { max_idle_conns: -1 })`:  `open: option max_idle_conns must be an integer from 0, not -1`,
		`sql.open(sqlite3, 'x', { timeout: 0 })`:          `open: option timeout must be more than 0`,
		`db.query()`:                                      `query: the SQL must be a string that is not empty, not undefined`,
		`db.exec(1)`:                                      `exec: the SQL must be a string that is not empty, not 1`,
		`db.query('select ?', new Array(4294967295))`:     `query: value 1 cannot be read: an array has 4294967295 elements: at most 1000000 are allowed`,
		`db.queryWithTimeout('0s', 'select 1')`:           `queryWithTimeout: the timeout must be more than 0`,
	} {
		require.Equal(t, testutil.Thrown{Name: "SqlError", Message: message, Kind: "usage"}, v.Fail(script), script)
	}
}

func TestDeclarations(t *testing.T) {
	raw, err := os.ReadFile("index.d.ts")
	require.NoError(t, err)
	declared := func(name, pattern string) (names []string) {
		body := regexp.MustCompile(`(?s)export interface ` + name + ` \{\n(.*?)\n  \}`).FindStringSubmatch(string(raw))
		require.NotNil(t, body, name)
		for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(body[1], -1) {
			names = append(names, match[1])
		}

		return names
	}
	var options, methods []string
	for _, option := range openOptions {
		options = append(options, option.Name)
	}
	for name := range databaseMethods {
		methods = append(methods, name)
	}
	require.Equal(t, options, declared("Options", `(?m)^    (\w+)\?:`))
	require.ElementsMatch(t, methods, declared("Database", `(?m)^    (\w+)\(`))
	for _, metric := range []string{metricOps, metricDuration, metricWait} {
		require.Contains(t, string(raw), "`"+metric+"`")
		_, absent := k6x.AbsentInSweep(metric)
		require.Equal(t, metric != metricOps, absent)
	}
}

func TestSharedPool(t *testing.T) {
	root := New()
	vu := func() *testutil.Runner {
		v := testutil.NewRunner(t, ImportPath, root)
		driver, is := ext.Get(ext.JSExtension)["k6/x/sql/driver/sqlite3"].Module.(*driverModule)
		require.True(t, is)
		v.Set("sqlite3", driver.id)
		v.Run(`var db = sql.open(sqlite3, ':memory:', { shared: true, max_open_conns: 1, timeout: '300ms' })`)
		v.Start(1)

		return v
	}
	one, other := vu(), vu()
	one.Run(`db.exec('create table t (id integer)'); db.exec('insert into t values (5)')`)
	require.JSONEq(t, `[{"id":5}]`, other.JSON(`db.query('select id from t')`), "they have one connection, and with it one memory")
	require.Len(t, one.Found(metricWait, "op", "exec"), 2)
	require.Len(t, other.Found(metricWait, "op", "query"), 1)

	began := make(chan struct{})
	one.Set("endless", endless)
	go func() { one.Fail(`db.queryWithTimeout('2s', endless)`); began <- struct{}{} }()
	for other.Counted(metricOps, "outcome", "timeout") == 0 {
		other.Run(`try { db.query('select 1') } catch (e) { var said = e.message }`)
	}
	require.Equal(t, `"no connection of the shared pool was free within timeout (300ms)"`, other.JSON(`said`))
	<-began

	require.Equal(t, "usage", one.Fail(`db.exec('BEGIN')`).Kind)
	one.Run(`db.close(); db.close()`)
	require.Equal(t, "1", other.JSON(`db.query('select 1').length`), "it is the other's as well")
	other.Run(`db.close()`)
	require.Equal(t, "usage", other.Fail(`db.query('select 1')`).Kind, "nobody has it any more")
}

func TestSharedPoolInASweep(t *testing.T) {
	root := New()
	reading := testutil.Step(t, 3, measure.Plan{Operations: 60}, "select", func() *testutil.Runner {
		v := testutil.NewRunner(t, ImportPath, root)
		driver, is := ext.Get(ext.JSExtension)["k6/x/sql/driver/sqlite3"].Module.(*driverModule)
		require.True(t, is)
		v.Set("sqlite3", driver.id)
		v.Start(1)

		return v
	}, `var db = sql.open(sqlite3, ':memory:', { shared: true, max_open_conns: 1 });
		var numbers = 'with recursive n(i) as (select 1 union all select i + 1 from n limit 300) select count(*) from n'`,
		`db.query(numbers)`)
	require.EqualValues(t, 180, reading.Ops[0].Durations.Count)
	require.Positive(t, reading.Counters[counterWait])
}
