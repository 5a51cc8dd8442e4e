package e2e

import (
	"database/sql"
	"encoding/json"
	"net/url"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sql/postgres"
	"github.com/xk6-sweep/xk6-sweep/extensions/sqlmachbase"
)

// Where go.k6.io/k6 is not replaced, everything builds and k6/x/sql is not there.
func TestBothBuildsHaveSQL(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"k6-race", "k6-xk6"} {
		all := strings.Join(extensions(t, name), "\n")
		for _, module := range []string{"k6/x/sql", "k6/x/sql/driver/sqlite3", "k6/x/sql/driver/postgres", "k6/x/sql/driver/machbase"} {
			require.Contains(t, all, ", "+module+" [js]", name)
		}
	}
}

// sqlExample runs an example of k6/x/sql.
func sqlExample(t *testing.T, name string, env map[string]string) *run {
	t.Helper()
	env[defaultEnvMachbase] = ""

	return k6(t, options{script: "../extensions/sql/examples/" + name, env: env})
}

func TestExampleSQLite(t *testing.T) {
	t.Parallel()
	requireExampleSteps(t, sqlExample(t, "sqlite.js", map[string]string{}), "sqlite", "select")
}

// postgresURL is the PostgreSQL that `scripts/servers.sh with postgres` has started, and its
// password.
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

func TestExamplePostgres(t *testing.T) {
	address, secret := postgresURL(t)
	r := sqlExample(t, "postgres.js", map[string]string{"POSTGRES_URL": address.String()})
	requireExampleSteps(t, r, "postgres", "select")
	require.NotContains(t, r.output, secret)

	connector, err := postgres.Connector(address.String())
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { _ = db.Close() })
	var left, connections int
	require.NoError(t, db.QueryRowContext(t.Context(), "select count(*) from pg_tables where tablename like 'xk6_sweep%'").Scan(&left))
	require.Zero(t, left, "the table that it has made is gone")
	eventually(t, "connections stay open", func() bool {
		err := db.QueryRowContext(t.Context(), "select count(*) from pg_stat_activity where client_port is not null").Scan(&connections)

		return err == nil && connections == 1 // this one
	})
}

// The processor time of a server that forks is that of all its processes: the one that listens does
// nothing for a query.
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

// said runs statements, separated by semicolons, and returns what was said to each: its rows as
// JSON, or its error.
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

func TestPostgresThatIsNotThere(t *testing.T) {
	t.Parallel()
	refused := said(t, "postgres", "postgres://me:geheim@127.0.0.1:1/db", "select 1")[0]
	require.Equal(t, "SqlError: failed to connect to `user=me database=db`: "+
		"127.0.0.1:1 (127.0.0.1): dial error: dial tcp 127.0.0.1:1: connect: connection refused", refused)
}

// openMachbase opens the Machbase of the tests, without k6.
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
	db := openMachbase(t)
	sessions := count(t, db, "v$session")
	r := k6(t, options{script: "../extensions/sql/examples/machbase.js"})
	requireExampleSteps(t, r, "machbase", "select")
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
	require.JSONEq(t, `[{"ID":1,"AT":"2026-01-02T03:04:05.006007008Z","L":-5,"F":2.5,"VC":"x","V4":"127.0.0.1"}]`, got[3])
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
