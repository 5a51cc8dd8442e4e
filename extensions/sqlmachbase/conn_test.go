//go:build servers

package sqlmachbase_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/sqlmachbase"
)

const sysUser = "select name from m$sys_users where name = ?"

func requireUsable(t *testing.T, db *sql.DB) {
	t.Helper()
	require.Equal(t, [][]any{{"SYS"}}, query(t, db, sysUser, "SYS"))
}

func requireKind(t *testing.T, kind string, err error) {
	t.Helper()
	var e *cmi.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, kind, e.Kind, e.Error())
	require.Equal(t, e.Error(), err.Error())
	requireOneLine(t, err)
}

func TestPing(t *testing.T) {
	requireNothingLeft(t)
	db := open(t, "")
	require.NoError(t, db.PingContext(withTimeout(t)))
	require.Equal(t, 1, db.Stats().OpenConnections)
}

func TestExecTellsHowManyRows(t *testing.T) {
	table := makeTable(t, "id integer")
	db := open(t, "")
	for i := range 3 {
		require.EqualValues(t, 1, exec(t, db, "insert into "+table+" values (?)", i))
	}
	require.EqualValues(t, 3, exec(t, db, "delete from "+table))
	require.EqualValues(t, 0, exec(t, db, "delete from "+table))

	result, err := db.ExecContext(withTimeout(t), "insert into "+table+" values (1)")
	require.NoError(t, err)
	_, err = result.LastInsertId()
	require.ErrorContains(t, err, "LastInsertId is not supported")
}

func TestPreparedExec(t *testing.T) {
	table := makeTable(t, "id integer")
	db := open(t, "")
	statement, err := db.PrepareContext(withTimeout(t), "insert into "+table+" values (?)")
	require.NoError(t, err)
	for i := range 3 {
		result, err := statement.ExecContext(withTimeout(t), i)
		require.NoError(t, err)
		changed, err := result.RowsAffected()
		require.NoError(t, err)
		require.EqualValues(t, 1, changed)
	}
	_, err = statement.ExecContext(withTimeout(t), 1, 2)
	require.ErrorContains(t, err, "expected 1 arguments, got 2")
	require.NoError(t, statement.Close())
	require.Equal(t, [][]any{{int64(3)}}, query(t, db, "select count(*) from "+table))

	_, err = db.PrepareContext(withTimeout(t), "insert into nowhere values (?)")
	requireKind(t, cmi.KindNotFound, err)
	requireUsable(t, db)
}

func TestMethodsWithoutContexts(t *testing.T) {
	conn, err := sqlmachbase.Driver{}.Open(serverURL(t, "").String())
	require.NoError(t, err)
	_, err = conn.Begin() //nolint:staticcheck // under test
	require.ErrorContains(t, err, "there are no transactions in Machbase")
	statement, err := conn.Prepare(sysUser)
	require.NoError(t, err)
	require.Equal(t, 1, statement.NumInput())
	_, err = statement.Exec(nil) //nolint:staticcheck // under test
	require.EqualError(t, err, "use ExecContext and QueryContext")
	_, err = statement.Query(nil) //nolint:staticcheck // under test
	require.EqualError(t, err, "use ExecContext and QueryContext")
	require.NoError(t, statement.Close())
	require.NoError(t, conn.Close())
}

func TestNoTransactions(t *testing.T) {
	db := open(t, "")
	_, err := db.BeginTx(withTimeout(t), nil)
	require.EqualError(t, err, "there are no transactions in Machbase: each statement takes effect by itself")
	requireUsable(t, db)
	require.Equal(t, 1, db.Stats().OpenConnections)
}

func TestErrorsOfTheServer(t *testing.T) {
	db := open(t, "")
	for text, kind := range map[string]string{
		"select 1 frm m$sys_users":                    cmi.KindSyntax,
		"select 1 from nowhere":                       cmi.KindNotFound,
		"select nothing from m$sys_users":             cmi.KindNotFound,
		"select 1/(user_id-user_id) from m$sys_users": cmi.KindServer,
	} {
		t.Run(text, func(t *testing.T) {
			rows, err := db.QueryContext(withTimeout(t), text)
			if err == nil {
				require.False(t, rows.Next())
				err = rows.Err()
				require.NoError(t, rows.Close())
			}
			requireKind(t, kind, err)
			_, err = db.ExecContext(withTimeout(t), text)
			requireKind(t, kind, err)
			requireUsable(t, db)
		})
	}
	require.Equal(t, 1, db.Stats().OpenConnections, "an error of the server is no reason to give up the connection")
}

func TestRowsThatAreNotReadToTheEnd(t *testing.T) {
	table := makeTable(t, "id integer")
	db := open(t, "fetchRows=1")
	for i := range 10 {
		exec(t, db, "insert into "+table+" values (?)", i)
	}
	for range 3 {
		rows, err := db.QueryContext(withTimeout(t), "select id from "+table)
		require.NoError(t, err)
		require.True(t, rows.Next())
		require.NoError(t, rows.Close())
	}
	require.Equal(t, [][]any{{int64(10)}}, query(t, db, "select count(*) from "+table))
	require.Equal(t, 1, db.Stats().OpenConnections)
}

func TestTwoAnswersAtOnceOnOneConnection(t *testing.T) {
	db := open(t, "")
	conn, err := db.Conn(withTimeout(t))
	require.NoError(t, err)
	defer conn.Close()
	first, err := conn.QueryContext(withTimeout(t), sysUser, "SYS")
	require.NoError(t, err)
	_, err = conn.QueryContext(withTimeout(t), sysUser, "SYS")
	requireKind(t, cmi.KindUsage, err)
	require.Equal(t, [][]any{{"SYS"}}, readAll(t, first))
	second, err := conn.QueryContext(withTimeout(t), sysUser, "SYS")
	require.NoError(t, err)
	require.Equal(t, [][]any{{"SYS"}}, readAll(t, second))
}

func TestPool(t *testing.T) {
	requireNothingLeft(t)
	const workers, each, connections = 12, 40, 4
	table := makeTable(t, "worker integer, i integer, name varchar(20)")
	p := newProxy(t)
	db := p.open(t, "statementCache=auto")
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	statement, err := db.PrepareContext(withTimeout(t), "insert into "+table+" values (?, ?, ?)")
	require.NoError(t, err)
	var running sync.WaitGroup
	for worker := range workers {
		running.Go(func() {
			for i := range each {
				name := fmt.Sprint(worker, "/", i)
				_, err := statement.ExecContext(withTimeout(t), worker, i, name)
				assert.NoError(t, err)
				var got string
				err = db.QueryRowContext(withTimeout(t), "select name from "+table+" where worker = ? and i = ?", worker, i).Scan(&got)
				assert.NoError(t, err)
				assert.Equal(t, name, got)
			}
		})
	}
	running.Wait()
	require.NoError(t, statement.Close())
	require.Equal(t, [][]any{{int64(workers * each)}}, query(t, db, "select count(*) from "+table))
	require.EqualValues(t, connections, p.accepted.Load())
	require.NoError(t, db.Close())
}

func TestEndedContext(t *testing.T) {
	db := open(t, "")
	requireUsable(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := db.QueryContext(ctx, sysUser, "SYS")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, db.Stats().OpenConnections, "nothing was sent: the connection is good")

	conn, err := sqlmachbase.Driver{}.Open(serverURL(t, "").String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.(driver.QueryerContext).QueryContext(ctx, sysUser, []driver.NamedValue{{Value: "SYS"}})
	require.EqualError(t, err, "the call was cancelled before it began")
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, conn.(driver.Validator).IsValid())
}

var calls = map[string]func(context.Context, *sql.DB) error{
	"query": func(ctx context.Context, db *sql.DB) error {
		rows, err := db.QueryContext(ctx, "select name from m$sys_users")
		if err == nil {
			err = rows.Close()
		}

		return err
	},
	"query with arguments": func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, sysUser, "SYS").Scan(new(string))
	},
	"exec": func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, "select name from m$sys_users")

		return err
	},
	"prepare": func(ctx context.Context, db *sql.DB) error {
		statement, err := db.PrepareContext(ctx, sysUser)
		if err == nil {
			err = statement.Close()
		}

		return err
	},
	"ping": func(ctx context.Context, db *sql.DB) error { return db.PingContext(ctx) },
}

func requireReplaced(t *testing.T, p *proxy, db *sql.DB) {
	t.Helper()
	p.stalled.Store(false)
	before := p.accepted.Load()
	requireUsable(t, db)
	require.Equal(t, before+1, p.accepted.Load())
	require.Equal(t, 1, db.Stats().OpenConnections)
}

func TestDeadline(t *testing.T) {
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			requireNothingLeft(t)
			p := newProxy(t)
			db := p.open(t, "")
			requireUsable(t, db)
			p.stalled.Store(true)
			ctx, cancel := context.WithTimeout(t.Context(), soon)
			defer cancel()
			err := call(ctx, db)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			requireReplaced(t, p, db)
		})
	}
}

func TestTimeoutOfTheName(t *testing.T) {
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			p := newProxy(t)
			db := p.open(t, "timeout=1s")
			requireUsable(t, db)
			p.stalled.Store(true)
			err := call(withTimeout(t), db)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			requireKind(t, cmi.KindTimeout, err)
			requireReplaced(t, p, db)
		})
	}
}

func TestCancelledCall(t *testing.T) {
	p := newProxy(t)
	db := p.open(t, "")
	requireUsable(t, db)
	waitUntilSent := p.stallNext(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := db.ExecContext(ctx, "select name from m$sys_users")
		done <- err
	}()
	waitUntilSent()
	cancel()
	select {
	case err := <-done:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(patience):
		require.Fail(t, "the call does not return")
	}
	requireReplaced(t, p, db)
}

func amidRows(ctx context.Context, t *testing.T, options string) (*proxy, *sql.DB, *sql.Rows) {
	t.Helper()
	table := makeTable(t, "id integer")
	p := newProxy(t)
	db := p.open(t, "fetchRows=1&"+options)
	for i := range 10 {
		exec(t, db, "insert into "+table+" values (?)", i)
	}
	rows, err := db.QueryContext(ctx, "select id from "+table)
	require.NoError(t, err)
	require.True(t, rows.Next())

	return p, db, rows
}

func TestRowsThatBreakOff(t *testing.T) {
	p, db, rows := amidRows(withTimeout(t), t, "")
	p.cut()
	for rows.Next() {
	}
	requireKind(t, cmi.KindConnection, rows.Err())
	_ = rows.Close()
	requireReplaced(t, p, db)
}

func TestRowsThatStall(t *testing.T) {
	p, db, rows := amidRows(withTimeout(t), t, "timeout=2s")
	p.stalled.Store(true)
	for rows.Next() {
	}
	require.ErrorIs(t, rows.Err(), context.DeadlineExceeded)
	requireKind(t, cmi.KindTimeout, rows.Err())
	_ = rows.Close()
	requireReplaced(t, p, db)
}

func TestRowsThatAreCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, db, rows := amidRows(ctx, t, "")
	p.stalled.Store(true)
	cancel()
	for rows.Next() {
	}
	require.ErrorIs(t, rows.Err(), context.Canceled)
	_ = rows.Close()
	requireReplaced(t, p, db)
}

// A call that was sent may have had its effect, so it fails, and is not repeated.
func TestConnectionThatBreaksDuringACall(t *testing.T) {
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			p := newProxy(t)
			db := p.open(t, "")
			requireUsable(t, db)
			waitUntilSent := p.stallNext(t)
			done := make(chan error, 1)
			go func() { done <- call(withTimeout(t), db) }()
			waitUntilSent()
			p.cut()
			err := <-done
			requireKind(t, cmi.KindConnection, err)
			require.NotErrorIs(t, err, driver.ErrBadConn)
			require.EqualValues(t, 1, p.accepted.Load())
			requireReplaced(t, p, db)
		})
	}
}

func TestCallsOfABrokenConnection(t *testing.T) {
	conn, err := sqlmachbase.Driver{}.Open(serverURL(t, "").String())
	require.NoError(t, err)
	statement, err := conn.Prepare(sysUser)
	require.NoError(t, err)
	require.NoError(t, conn.(driver.SessionResetter).ResetSession(t.Context()))
	require.NoError(t, conn.Close())

	require.False(t, conn.(driver.Validator).IsValid())
	require.ErrorIs(t, conn.(driver.SessionResetter).ResetSession(t.Context()), driver.ErrBadConn)
	require.ErrorIs(t, conn.(driver.Pinger).Ping(t.Context()), driver.ErrBadConn)
	_, err = conn.(driver.QueryerContext).QueryContext(t.Context(), sysUser, nil)
	require.ErrorIs(t, err, driver.ErrBadConn)
	_, err = conn.Prepare(sysUser)
	require.ErrorIs(t, err, driver.ErrBadConn)
	_, err = statement.(driver.StmtExecContext).ExecContext(t.Context(), nil)
	require.ErrorIs(t, err, driver.ErrBadConn)
	require.NoError(t, statement.Close())
}

func TestServersThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		peer func(net.Conn)
		want string
	}{
		"closes at once": {func(net.Conn) {}, "connection"},
		"answers as something else": {func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
			untilClosed(conn)
		}, "it is not a Machbase server"},
		"is silent":            {untilClosed, "no answer in time"},
		"greets and is silent": {func(conn net.Conn) { _, _ = io.WriteString(conn, "CMI_READY"); untilClosed(conn) }, "no answer in time"},
		"greets and talks nonsense": {func(conn net.Conn) {
			_, _ = io.WriteString(conn, "CMI_READY"+string(make([]byte, 64))+"\xff")
			untilClosed(conn)
		}, "is invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			requireNothingLeft(t)
			err := openURL(t, listen(t, c.peer)+"?connectTimeout=1s").PingContext(withTimeout(t))
			require.ErrorContains(t, err, c.want)
			requireOneLine(t, err)
			require.NotErrorIs(t, err, driver.ErrBadConn)
		})
	}
}

func TestWrongPassword(t *testing.T) {
	u := serverURL(t, "")
	err := openURL(t, "machbase://sys:"+secret+"@"+u.Host).PingContext(withTimeout(t))
	requireKind(t, cmi.KindAuth, err)
}

func TestQueryTimeoutOfTheServer(t *testing.T) {
	requireUsable(t, open(t, "queryTimeout=500ms"))
}
