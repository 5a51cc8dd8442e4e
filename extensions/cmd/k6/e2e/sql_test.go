package e2e

import (
	"database/sql"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/xk6-sweep/xk6-sweep/extensions/sql" // the driver postgres
	"github.com/xk6-sweep/xk6-sweep/extensions/sqlmachbase"
)

func TestBothBuildsHaveSQL(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"k6-race", "k6-xk6"} {
		all := strings.Join(extensions(t, name), "\n")
		for _, module := range []string{"k6/x/sql", "k6/x/sql/driver/sqlite3", "k6/x/sql/driver/postgres", "k6/x/sql/driver/machbase"} {
			require.Contains(t, all, ", "+module+" [js]", name)
		}
	}
}

func sqlExample(t *testing.T, name string, env map[string]string) *run {
	t.Helper()
	env[defaultEnvMachbase] = ""

	return k6(t, options{script: "../extensions/sql/examples/" + name, env: env})
}

func TestExampleSQLite(t *testing.T) {
	t.Parallel()
	requireSteps(t, sqlExample(t, "sqlite.js", map[string]string{}), fixedShare, "sqlite", "select")
}

func postgresURL(t *testing.T) (address *url.URL, secret string) {
	t.Helper()
	text := os.Getenv("POSTGRES_URL")
	require.NotEmpty(t, text, "run the tests with `make test`, or as scripts/servers.sh with machbase redis postgres -- go test ./...")
	address, err := url.Parse(text)
	require.NoError(t, err)
	secret, set := address.User.Password()
	require.True(t, set)

	return address, secret
}

func TestScenarioPostgres(t *testing.T) {
	address, secret := postgresURL(t)
	env := map[string]string{
		defaultEnvMachbase: "", "POSTGRES_URL": address.String(), "ROWS": "500", "VALUE": "1KB", "WARMUP": "100ms", "PAUSE": "0s",
	}
	r := k6(t, options{script: "postgres.js", env: with(env, map[string]string{
		"CLIENTS": "1,4", "ITERATIONS": "1500", "GATE": "opsPerSecond>1,p50<10s",
	})})
	require.Equal(t, exitOK, r.code, r.output)
	require.NotContains(t, r.output, secret)
	rep := r.report(t, "postgres")
	require.Len(t, rep.Steps, 4)
	for i := 0; i < len(rep.Steps); i += 2 {
		inserts, selects := rep.Steps[i], rep.Steps[i+1]
		require.Equal(t, []string{"insert", "select"}, []string{inserts.Op, selects.Op})
		require.Equal(t, 1500*inserts.Clients, inserts.Ops+selects.Ops)
		require.Greater(t, selects.Ops, 4*inserts.Ops, "nine of ten")
		require.Zero(t, inserts.Failed+selects.Failed)
	}

	duet := k6(t, options{script: "postgres.js", env: with(env, map[string]string{
		"CLIENTS": "2", "DURATION": "2s", "MIX": "select:1", "BASE_URL": address.String(),
	})})
	require.Len(t, duetReport(t, duet, "postgres-duet").Duets, 1)

	db, err := sql.Open("postgres", address.String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	var left int
	require.NoError(t, db.QueryRowContext(t.Context(), "select count(*) from pg_tables where tablename = 'xk6_sweep_rows'").Scan(&left))
	require.Zero(t, left)
}

func TestExamplePostgres(t *testing.T) {
	calm(t)
	address, secret := postgresURL(t)
	r := sqlExample(t, "postgres.js", map[string]string{"POSTGRES_URL": address.String()})
	requireSteps(t, r, fixedShare, "postgres", "select")
	require.NotContains(t, r.output, secret)

	db, err := sql.Open("postgres", address.String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	var left, connections int
	require.NoError(t, db.QueryRowContext(t.Context(), "select count(*) from pg_tables where tablename = 'xk6_sweep_example'").Scan(&left))
	require.Zero(t, left, "the table that it has made is gone")
	eventually(t, "connections stay open", func() bool {
		err := db.QueryRowContext(t.Context(), "select count(*) from pg_stat_activity where client_port is not null").Scan(&connections)

		return err == nil && connections == 1 // only this connection
	})
}

func TestSharedPoolOfPostgres(t *testing.T) {
	t.Parallel()
	address, _ := postgresURL(t)
	query := address.Query()
	query.Set("application_name", "xk6-sweep-pool")
	shared := *address
	shared.RawQuery = query.Encode()
	r := k6(t, options{script: "testdata/pool.js", env: map[string]string{"POSTGRES_URL": shared.String(), defaultEnvMachbase: ""}})
	require.Equal(t, exitOK, r.code, r.output)
	steps := r.report(t, "pool").Steps
	require.Len(t, steps, 2)
	require.Equal(t, 8*50, steps[1].Ops)
	require.Zero(t, steps[1].Failed, "%v", steps[1].Extra.Errors)
	waited := func(step int) float64 {
		return float64(steps[step].Extra.Counters["sqlWaitMicroseconds"]) / float64(steps[step].Ops)
	}
	require.Greater(t, waited(1), 5000.0, "of each query, six other clients' queries are in the way")
	require.Greater(t, waited(1), 10*waited(0), "one client has a connection at once")
	require.Greater(t, steps[1].LatencyMs.Mean*1000, waited(1), "the wait is part of the latency")
}

func TestProcessorTimeOfPostgres(t *testing.T) {
	address, _ := postgresURL(t)
	r := k6(t, options{script: "testdata/backends.js", env: map[string]string{
		"POSTGRES_URL": address.String(), "ADDRESS": "postgres://" + address.Host,
	}})
	require.Equal(t, exitOK, r.code, r.output)
	steps := r.report(t, "backends").Steps
	require.Len(t, steps, 2)
	for _, s := range steps {
		require.NotNil(t, s.CPUSeconds.Server)
		queries := float64(10 * s.Clients)
		require.Greater(t, *s.CPUSeconds.Server, 0.01*queries, "a query counts a million rows")
		require.Less(t, *s.CPUSeconds.Server, float64(runtime.NumCPU())*s.Seconds*1.1, "of this step, and no more than there is")
	}
}

func TestInterruptWhilePostgresIsBusy(t *testing.T) {
	t.Parallel()
	address, _ := postgresURL(t)
	var interrupted time.Time
	r := k6(t, options{
		script: "testdata/sleeping.js",
		env:    map[string]string{"POSTGRES_URL": address.String()},
		measuring: func(k6 *os.Process) {
			interrupted = time.Now()
			_ = k6.Signal(syscall.SIGINT)
		},
	})
	require.Equal(t, exitInterrupted, r.code, r.output)
	require.Less(t, r.ended.Sub(interrupted), time.Minute, "the queries last for five")
	rep := r.report(t, "sleeping")
	require.True(t, rep.Interrupted)
	require.Zero(t, rep.Steps[0].Failed, "what Ctrl-C cuts off has not failed")
}

func said(t *testing.T, driver, name, statements string) []string {
	t.Helper()
	r := k6(t, options{
		script: "testdata/sql.js",
		env:    map[string]string{defaultEnvMachbase: "", "DRIVER": driver, "NAME": name, "STATEMENTS": statements},
		args:   []string{"--quiet", "--log-format", "json"},
	})
	require.Equal(t, exitOK, r.code, r.output)
	var all []string
	for _, line := range r.lines("said: ") {
		var entry struct{ Msg string }
		require.NoError(t, json.Unmarshal([]byte(line), &entry))
		all = append(all, strings.TrimPrefix(entry.Msg, "said: "))
	}
	require.Len(t, all, 1+strings.Count(statements, ";"), r.output)

	return all
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	got := said(t, "sqlite3", ":memory:",
		`create table t (a integer, b text); insert into t values (1, 'x'), (2.5, null);`+
			`select * from t where a = 1; select a from t order by a; select c from t;`+
			`select json_extract(column1, '$.a') as a from (values ('{"a":1}'), ('{"a"'))`)
	require.Equal(t, []string{"[]", "[]"}, got[:2])
	require.JSONEq(t, `[{"a":1,"b":"x"}]`, got[2])
	require.Equal(t, `[{"a":1},{"a":2.5}]`, got[3])
	require.Contains(t, got[4], "no such column: c")
	require.Contains(t, got[5], "malformed JSON", "a result that breaks off is no result")
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	address, secret := postgresURL(t)
	got := said(t, "postgres", address.String(),
		`select 1 as a, 'x' as b, null as c, true as d, 2.5::float as e; select a from nowhere;`+
			`select 1/(1000 - i) as a from generate_series(1, 1000) i; select 1 as a`)
	require.JSONEq(t, `[{"a":1,"b":"x","c":null,"d":true,"e":2.5}]`, got[0])
	require.Contains(t, got[1], `relation "nowhere" does not exist (SQLSTATE 42P01)`)
	require.Contains(t, got[2], "division by zero (SQLSTATE 22012)", "a result that breaks off is no result")
	require.Equal(t, `[{"a":1}]`, got[3], "and the connection is good afterwards")

	wrong := *address
	wrong.User = url.UserPassword(address.User.Username(), "wrong"+secret)
	denied := said(t, "postgres", wrong.String(), "select 1")[0]
	require.Contains(t, denied, `password authentication failed for user "postgres"`)
	require.NotContains(t, denied, secret)
}

func TestUnreachablePostgres(t *testing.T) {
	t.Parallel()
	refused := said(t, "postgres", "postgres://me:geheim@127.0.0.1:1/db", "select 1")[0]
	require.Equal(t, "SqlError: failed to connect to `user=me database=db`: "+
		"127.0.0.1:1 (127.0.0.1): dial error: dial tcp 127.0.0.1:1: connect: connection refused", refused)
}

func openMachbase(t *testing.T) *sql.DB {
	t.Helper()
	connector, err := sqlmachbase.NewConnector(serverURL(t))
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })

	return db
}

func count(t *testing.T, db *sql.DB, from string) (n int) {
	t.Helper()
	require.NoError(t, db.QueryRowContext(t.Context(), "select count(*) from "+from).Scan(&n))

	return n
}

func TestExampleMachbaseSQL(t *testing.T) {
	calm(t)
	db := openMachbase(t)
	sessions := count(t, db, "v$session")
	r := k6(t, options{script: "../extensions/sql/examples/machbase.js"})
	requireSteps(t, r, fixedShare, "machbase", "select")
	require.Zero(t, count(t, db, "m$sys_tables where name = 'XK6_SWEEP_EXAMPLE'"), "the table that it has made is gone")
	eventually(t, "connections stay open", func() bool { return count(t, db, "v$session") <= sessions })
}

func TestMachbaseSQL(t *testing.T) {
	t.Parallel()
	got := said(t, "machbase", serverURL(t)+"?timeout=20s",
		`create volatile table xk6_sweep_sql (id integer primary key, at datetime, l long, f double, vc varchar(10), v4 ipv4);`+
			`insert into xk6_sweep_sql values (1, to_date('2026-01-02 03:04:05 006:007:008'), -5, 2.5, 'x', '127.0.0.1');`+
			`insert into xk6_sweep_sql (id) values (2); select * from xk6_sweep_sql where id = 1;`+
			`select at, l, f, vc, v4 from xk6_sweep_sql where id = 2; select 10/(2-id) as q from xk6_sweep_sql;`+
			`select a from nowhere; drop table xk6_sweep_sql`)
	require.Equal(t, []string{"[]", "[]", "[]"}, got[:3])
	require.JSONEq(t, `[{"ID":1,"AT":"2026-01-02T03:04:05.006Z","L":-5,"F":2.5,"VC":"x","V4":"127.0.0.1"}]`, got[3])
	require.JSONEq(t, `[{"at":null,"l":null,"f":null,"vc":null,"v4":null}]`, got[4])
	require.Equal(t, "SqlError: Cannot divide a value by zero. (machbase error 2061)", got[5], "a result that breaks off is no result")
	require.Equal(t, "SqlError: Table NOWHERE does not exist. (machbase error 2025)", got[6])
	require.Equal(t, "[]", got[7], "and the connection is good afterwards")
}

func TestMachbaseSQLThatFails(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(serverURL(t))
	require.NoError(t, err)
	address.User = url.UserPassword("sys", "geheim")
	denied := said(t, "machbase", address.String(), "select 1 from v$version")[0]
	require.Contains(t, denied, "(machbase error 2081)")
	require.NotContains(t, denied, "geheim")

	refused := said(t, "machbase", "machbase://me:geheim@127.0.0.1:1", "select 1 from v$version")[0]
	require.Equal(t, "SqlError: cannot connect to 127.0.0.1:1: connection refused; is a Machbase server running there?", refused)
}

func valuesOf(t *testing.T, driver, name, code string) (value any) {
	t.Helper()
	r := k6(t, options{
		script: "testdata/sql-values.js", env: map[string]string{defaultEnvMachbase: "", "DRIVER": driver, "NAME": name, "CODE": code},
		args: []string{"--quiet", "--log-format", "json"},
	})
	require.Equal(t, exitOK, r.code, r.output)
	lines := r.lines("said: ")
	require.Len(t, lines, 1, r.output)
	var entry struct{ Msg string }
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &entry))
	require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(entry.Msg, "said: ")), &value), r.output)

	return value
}

const failing = `const failing = (call) => { try { call(); return 'nothing was thrown' } catch (e) { return e.kind + ': ' + e.message } };`

func TestTypesOfPostgres(t *testing.T) {
	t.Parallel()
	address, _ := postgresURL(t)
	simple := *address
	query := simple.Query()
	query.Set("default_query_exec_mode", "simple_protocol")
	simple.RawQuery = query.Encode()
	for name, where := range map[string]string{"extended": address.String(), "simple": simple.String()} {
		got := valuesOf(t, "postgres", where, `
			const row = db.query("select true as b, 7::int2 as i2, 9007199254740991::int8 as i8, 9007199254740993::int8 as big, " +
				"1.10::numeric(5,2) as n, 0.1::float4 as f4, 0.1::float8 as f8, 'x'::text as t, '{\"a\": 1}'::json as j, '{\"a\": 1}'::jsonb as jb, " +
				"'<a/>'::xml as x, '\\x0102'::bytea as by, '2026-01-02 03:04:05.678+00'::timestamptz as tz, '2026-01-02 03:04:05'::timestamp as ts, " +
				"'2026-01-02'::date as d, '03:04:05'::time as ti, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid as u, null::int as nu")[0];
			return Object.keys(row).map((name) => name + ' ' + typed(row[name]));`)
		require.Equal(t, []any{
			"b boolean true", "i2 number 7", "i8 number 9007199254740991", "big string 9007199254740993",
			"n string 1.10", "f4 number 0.1", "f8 number 0.1", "t string x", `j string {"a": 1}`, `jb string {"a": 1}`,
			"x string <a/>", "by ArrayBuffer 1 2", "tz Date 2026-01-02T03:04:05.678Z", "ts Date 2026-01-02T03:04:05.000Z",
			"d Date 2026-01-02T00:00:00.000Z", "ti string 03:04:05", "u string a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "nu null",
		}, untimed(got.([]any)), name)
	}

	got := valuesOf(t, "postgres", address.String(), failing+`
		db.exec('create temp table v (i int, l bigint, n numeric, f float8, t text, by bytea, at timestamptz, j jsonb)');
		db.exec('insert into v values ($1, $2, $3, $4, $5, $6, $7, $8)', 1, 9007199254740993n, 1.25, 0.1, 'x', new Uint8Array([1, 2]).buffer,
			new Date(1767323045678), '{"a":1}');
		const row = db.query('select * from v')[0];
		return [...Object.keys(row).map((name) => typed(row[name])), failing(() => db.exec('insert into v (i) values ($1)', 1.5)),
			failing(() => db.exec('insert into v (t) values ($1)', new Int16Array(1)))];`).([]any)
	require.Equal(t, []any{
		"number 1", "string 9007199254740993", "string 1.25", "number 0.1", "string x", "ArrayBuffer 1 2", "Date 2026-01-02T03:04:05.678Z", `string {"a": 1}`,
	}, got[:8])
	require.Contains(t, got[8], `invalid input syntax for type integer: "1.5"`, "a fraction is not cut off")
	require.Contains(t, got[9], "usage: exec: value 1 is a []int16, which cannot be stored: use ")
}

func untimed(values []any) []any {
	for i, value := range values {
		values[i] = strings.TrimSuffix(value.(string), ".000000")
	}

	return values
}

func TestTypesOfSQLite(t *testing.T) {
	t.Parallel()
	got := valuesOf(t, "sqlite3", ":memory:", failing+`
		db.exec('create table v (i integer, r real, t text, b blob, at datetime)');
		db.exec('insert into v values (?, ?, ?, ?, ?)', 9007199254740993n, 0.1, 'x', new Uint8Array([1, 2]).buffer, new Date(1767323045678));
		const row = db.query('select i, r, t, b, null as n, at, date(at) as day from v')[0];
		return [...Object.keys(row).map((name) => name + ' ' + typed(row[name])),
			failing(() => db.exec('insert into v (t) values (?)', 2n ** 70n)), failing(() => db.exec('insert into v (t) values (?)', {}))];`)
	require.Equal(t, []any{
		"i string 9007199254740993", "r number 0.1", "t string x", "b ArrayBuffer 1 2", "n null", "at Date 2026-01-02T03:04:05.678Z",
		"day string 2026-01-02", "usage: exec: value 1 is a BigInt of more than 64 bits: give it as a string",
		"usage: exec: value 1 is an object: use JSON.stringify",
	}, got)
}

func TestColumnsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	address, _ := postgresURL(t)
	for driver, name := range map[string]string{"postgres": address.String(), "sqlite3": ":memory:"} {
		got := valuesOf(t, driver, name, failing+`
			const orders = new Set();
			for (let i = 0; i < 200; i++) { orders.add(JSON.stringify(db.query('select 1 as z, 2 as y, 3 as x, 4 as w'))); }
			return [[...orders], failing(() => db.query('select 1 as id, 2 as id'))];`)
		require.Equal(t, []any{
			[]any{`[{"z":1,"y":2,"x":3,"w":4}]`},
			`usage: query: two columns are named "id": give them different names, such as t.id as t_id`,
		}, got)
	}
}

func TestPostgresPreparesAnew(t *testing.T) {
	t.Parallel()
	address, _ := postgresURL(t)
	got := valuesOf(t, "postgres", address.String(), `
		db.exec('create temp table p (a int)');
		db.exec('insert into p values ($1)', 1);
		const all = () => JSON.stringify(db.query('select * from p'));
		const before = [all(), all()];
		db.exec('alter table p add column b text');
		const altered = all();
		db.exec('deallocate all');
		db.exec('insert into p values ($1)', 2);
		return [...before, altered, all()];`)
	require.Equal(t, []any{`[{"a":1}]`, `[{"a":1}]`, `[{"a":1,"b":null}]`, `[{"a":1,"b":null},{"a":2,"b":null}]`}, got)
}

func TestTransactions(t *testing.T) {
	t.Parallel()
	address, _ := postgresURL(t)
	for driver, name := range map[string]string{"postgres": address.String(), "sqlite3": ":memory:"} {
		got := valuesOf(t, driver, name, failing+`
			db.exec('create temp table tx (a int)');
			const insert = (end) => { db.exec('begin'); db.exec('insert into tx values (1)'); db.exec(end); return db.query('select * from tx').length; };
			const sizes = [insert('rollback'), insert('commit')];
			db.exec('begin');
			const failed = failing(() => db.query('select nothing'));
			return [...sizes, failed !== 'nothing was thrown', failing(() => db.query('select 1 as a'))];`).([]any)
		require.Equal(t, []any{0.0, 1.0, true}, got[:3], driver)
		if driver == "postgres" {
			require.Contains(t, got[3], "current transaction is aborted")
		}
	}
}

// Values and statements that a driver or server would change, truncate or never answer.
func TestUnusualSQLInput(t *testing.T) {
	t.Parallel()
	address, _ := postgresURL(t)
	const code = failing + `
		return [failing(() => db.query('select 1 as a\0 and more')), failing(() => db.query('select ' + one + ' as a', new Date(NaN))),
			JSON.stringify(Object.entries(db.query('select 1 as "__proto__", 2 as b')[0]))];`
	for driver, name := range map[string]string{"postgres": address.String(), "sqlite3": ":memory:"} {
		one := map[string]string{"postgres": "$1::timestamptz", "sqlite3": "?"}[driver]
		require.Equal(t, []any{
			"usage: query: the SQL has a NUL character, which would end it",
			"usage: query: value 1 cannot be read: it is an invalid Date",
			`[["__proto__",1],["b",2]]`,
		}, valuesOf(t, driver, name, "const one = '"+one+"';"+code), driver)
	}

	got := valuesOf(t, "postgres", address.String(), failing+`
		return [db.query('select $1::int8 as a, $2::numeric as b, $3::float8 as c', 2 ** 53 + 2, 1e20, 1e300)[0],
			failing(() => db.query('select $1::text as a', 'a\0b')), db.query("select timestamptz '294276-12-31 00:00:00Z' as a")[0],
			failing(() => db.exec('copy pg_class from stdin')), failing(() => db.query(' COPY (select 1) TO STDOUT'))];`)
	require.Equal(t, []any{
		map[string]any{"a": "9007199254740994", "b": "100000000000000000000", "c": 1e300},
		"usage: query: value 1 has a NUL character, which PostgreSQL does not allow in texts",
		map[string]any{"a": "294276-12-31T00:00:00Z"},
		"usage: COPY FROM STDIN and COPY TO STDOUT do not work here: insert rows with insert, or copy from a file on the server",
		"usage: COPY FROM STDIN and COPY TO STDOUT do not work here: insert rows with insert, or copy from a file on the server",
	}, got)
}

func TestSeveralStatementsOfPostgres(t *testing.T) {
	t.Parallel()
	address, _ := postgresURL(t)
	simple := *address
	query := simple.Query()
	query.Set("default_query_exec_mode", "simple_protocol")
	simple.RawQuery = query.Encode()
	const code = failing + `
		return [failing(() => db.query("set statement_timeout = '1s'; select 1 as a")), JSON.stringify(db.query('select 1 as a')),
			failing(() => db.query("select 2 as a; select $1::int as a", 3))];`
	const several = "usage: PostgreSQL accepts one statement per call: make a call for each, " +
		"or open the database with default_query_exec_mode=simple_protocol, which accepts several without values"
	require.Equal(t, []any{several, `[{"a":1}]`, several}, valuesOf(t, "postgres", address.String(), code))
	require.Equal(t, []any{"nothing was thrown", `[{"a":1}]`, several}, valuesOf(t, "postgres", simple.String(), code))
	require.Equal(t, []any{map[string]any{"a": 1.0}},
		valuesOf(t, "postgres", simple.String(), `return db.query("set statement_timeout = '1s'; select 1 as a")`))
}

func TestClientsOfOneSQLiteFileWait(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "one.db")
	r := k6(t, options{script: "testdata/sqlite-file.js", env: map[string]string{defaultEnvMachbase: "", "FILE": file}})
	require.Equal(t, exitOK, r.code, r.output)
	step := r.report(t, "sqlite-file").Steps[0]
	require.EqualValues(t, 8*50, step.Ops)
	require.Zero(t, step.Failed)
}

func TestTypesOfMachbase(t *testing.T) {
	t.Parallel()
	got := valuesOf(t, "machbase", serverURL(t)+"?timeout=20s", failing+`
		db.exec('create volatile table xk6_sweep_types (id integer primary key, l long, f float, d double, t varchar(20), at datetime)');
		try {
			db.exec('insert into xk6_sweep_types values (?, ?, ?, ?, ?, ?)', 1, 9007199254740993n, 0.1, 0.1, 'x', new Date(1767323045678));
			const row = db.query('select * from xk6_sweep_types')[0];
			return [...Object.keys(row).map((name) => name + ' ' + typed(row[name])),
				failing(() => db.exec('insert into xk6_sweep_types (id, l) values (2, ?)', 1.5)),
				JSON.stringify(db.query('select id from xk6_sweep_types where id > ?', 0.5))];
		} finally {
			db.exec('drop table xk6_sweep_types');
		}`)
	require.Equal(t, []any{
		"ID number 1", "L string 9007199254740993", "F number 0.1", "D number 0.1", "T string x", "AT Date 2026-01-02T03:04:05.678Z",
		"usage: parameter 1: 1.5 is not an integer, but the parameter has type long", `[{"id":1}]`,
	}, got)
}
