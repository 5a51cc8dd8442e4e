package sql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

var errBroken = errors.New("broken")

type fake struct {
	rows    []driver.Value
	query   error
	end     error
	closing error
	invalid bool

	queries, opened, closed int
}

func (f *fake) Prepare(string) (driver.Stmt, error)                         { return nil, errBroken }
func (f *fake) PrepareContext(context.Context, string) (driver.Stmt, error) { return nil, errBroken }
func (f *fake) Begin() (driver.Tx, error)                                   { return nil, errBroken }
func (f *fake) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	return nil, errBroken
}
func (f *fake) Ping(context.Context) error         { return nil }
func (f *fake) ResetSession(context.Context) error { return nil }
func (f *fake) IsValid() bool                      { return !f.invalid }

func (f *fake) Close() error {
	f.closed++

	return nil
}

func (f *fake) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(7), nil
}

func (f *fake) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	f.queries++
	if f.query != nil {
		return nil, f.query
	}

	return &fakeRows{fake: f}, nil
}

type fakeRows struct {
	*fake
	next   int
	reused [1]byte
}

func (r *fakeRows) Columns() []string { return []string{"a"} }

func (r *fakeRows) Close() error { return r.closing }

func (r *fakeRows) Next(dest []driver.Value) error {
	if r.next == len(r.rows) {
		return r.end
	}
	dest[0] = r.rows[r.next]
	if raw, ok := dest[0].([]byte); ok {
		copy(r.reused[:], raw)
		dest[0] = r.reused[:]
	}
	r.next++

	return nil
}

type fakeConnector struct{ conn driver.Conn }

func (c fakeConnector) Driver() driver.Driver { return nil }

func (c fakeConnector) Connect(context.Context) (driver.Conn, error) {
	if f, ok := c.conn.(*fake); ok {
		f.opened++
	}

	return c.conn, nil
}

func open(t *testing.T, conn driver.Conn) *sql.DB {
	t.Helper()

	return openWith(t, wholeDriver{open: func(name string) (driver.Connector, error) {
		require.Equal(t, "name", name)

		return fakeConnector{conn}, nil
	}})
}

func openWith(t *testing.T, wrapped wholeDriver) *sql.DB {
	t.Helper()
	connector, err := wrapped.OpenConnector("name")
	require.NoError(t, err)
	require.IsType(t, wrapped, connector.Driver())
	db := sql.OpenDB(connector)
	t.Cleanup(func() { require.NoError(t, db.Close()) })

	return db
}

func like(db *sql.DB) (values []any, err error) {
	rows, err := db.QueryContext(context.Background(), "query", "argument")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	values = []any{}
	for rows.Next() {
		var value any
		if err := rows.Scan(&value); err != nil {
			return nil, err
		}
		values = append(values, value)
	}

	return values, nil
}

func TestQueryGivesAllRowsOrAnError(t *testing.T) {
	for name, c := range map[string]struct {
		fake *fake
		want []any
		err  string
	}{
		"no rows":                {fake: &fake{end: io.EOF}, want: []any{}},
		"rows":                   {fake: &fake{rows: []driver.Value{int64(1), nil, "x"}, end: io.EOF}, want: []any{int64(1), nil, "x"}},
		"bytes in one buffer":    {fake: &fake{rows: []driver.Value{[]byte("a"), []byte("b")}, end: io.EOF}, want: []any{[]byte("a"), []byte("b")}},
		"a query that fails":     {fake: &fake{query: errBroken}, err: "broken"},
		"broken at the start":    {fake: &fake{end: errBroken}, err: "broken"},
		"broken after two rows":  {fake: &fake{rows: []driver.Value{int64(1), int64(2)}, end: errBroken}, err: "broken"},
		"cut off after two rows": {fake: &fake{rows: []driver.Value{int64(1), int64(2)}, end: io.ErrUnexpectedEOF}, err: "unexpected EOF"},
		"an end amid the rows":   {fake: &fake{rows: []driver.Value{int64(1)}, end: fmt.Errorf("read: %w", io.EOF)}, err: "read: EOF"},
		"broken at the end":      {fake: &fake{rows: []driver.Value{int64(1)}, end: io.EOF, closing: errBroken}, err: "broken"},
		"a connection lost":      {fake: &fake{rows: []driver.Value{int64(1)}, end: driver.ErrBadConn}, err: "lost before the last row"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := like(open(t, c.fake))
			require.Equal(t, 1, c.fake.queries, "a query that has had its effect is not run again")
			if c.err != "" {
				require.ErrorContains(t, err, c.err)

				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// database/sql may replace a connection that is known to be bad before the query is sent.
func TestQueryOnADeadConnectionIsRunOnAnother(t *testing.T) {
	f := &fake{query: driver.ErrBadConn}
	_, err := like(open(t, f))
	require.ErrorIs(t, err, driver.ErrBadConn)
	require.Greater(t, f.queries, 1)
	require.Equal(t, f.opened, f.closed)
}

func TestInvalidConnectionDoesNotGoBackToThePool(t *testing.T) {
	f := &fake{end: io.EOF, invalid: true}
	db := open(t, f)
	for range 3 {
		_, err := like(db)
		require.NoError(t, err)
	}
	require.Equal(t, 3, f.opened)
	require.Equal(t, 3, f.closed)

	f = &fake{end: io.EOF}
	db = open(t, f)
	for range 3 {
		_, err := like(db)
		require.NoError(t, err)
	}
	require.Equal(t, 1, f.opened)
}

func TestExecIsTheDrivers(t *testing.T) {
	result, err := open(t, &fake{}).ExecContext(t.Context(), "exec")
	require.NoError(t, err)
	affected, err := result.RowsAffected()
	require.NoError(t, err)
	require.Equal(t, int64(7), affected)
}

type choosy struct {
	fake
	seen []driver.Value
}

func (c *choosy) CheckNamedValue(value *driver.NamedValue) error {
	c.seen = append(c.seen, value.Value)

	return nil
}

func TestArgumentsAreTheDriversToCheck(t *testing.T) {
	c := &choosy{fake: fake{end: io.EOF}}
	_, err := open(t, c).QueryContext(t.Context(), "query", []string{"database/sql alone", "takes no slices"})
	require.NoError(t, err)
	require.Equal(t, []driver.Value{[]string{"database/sql alone", "takes no slices"}}, c.seen)

	_, err = open(t, &fake{}).QueryContext(t.Context(), "query", []string{"a"})
	require.ErrorContains(t, err, "unsupported type []string")
}

type old struct{ closed bool }

func (o *old) Prepare(string) (driver.Stmt, error) { return nil, errBroken }
func (o *old) Begin() (driver.Tx, error)           { return nil, errBroken }

func (o *old) Close() error {
	o.closed = true

	return nil
}

func TestConnectionThatKnowsNoContexts(t *testing.T) {
	o := &old{}
	_, err := like(open(t, o))
	require.EqualError(t, err, "the driver's connection, a *sql.old, does not support contexts")
	require.True(t, o.closed)
}

func TestNameThatTheDriverRejects(t *testing.T) {
	d := wholeDriver{open: func(string) (driver.Connector, error) { return nil, errBroken }}
	_, err := d.OpenConnector("name")
	require.ErrorIs(t, err, errBroken)
	_, err = d.Open("name")
	require.ErrorIs(t, err, errBroken)
}

func TestOpenConnects(t *testing.T) {
	f := &fake{}
	conn, err := wholeDriver{open: func(string) (driver.Connector, error) { return fakeConnector{f}, nil }}.Open("name")
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.Equal(t, 1, f.closed)
}

func TestConnectionsCloseWithTheStep(t *testing.T) {
	for name, keeps := range map[string]bool{"of a server": false, "local": true} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			db := openWith(t, wholeDriver{open: func(string) (driver.Connector, error) { return fakeConnector{f}, nil }, local: keeps})
			for step := 1; step <= 3; step++ {
				session := &k6x.Session{}
				ctx := k6x.WithSession(t.Context(), session)
				for range 2 {
					_, err := db.ExecContext(ctx, "x")
					require.NoError(t, err)
				}
				opened, closed := step, step
				if keeps {
					opened, closed = 1, 0
				}
				require.Equal(t, opened, f.opened)
				session.End()
				require.Equal(t, closed, f.closed)
			}
		})
	}
}

type panicking struct{ fakeConnector }

func (panicking) Connect(context.Context) (driver.Conn, error) { panic("a fault") }

// database/sql connects in its own goroutine when all connections are in use.
func TestPanicOfADriver(t *testing.T) {
	db := openWith(t, wholeDriver{open: func(string) (driver.Connector, error) { return panicking{}, nil }})
	require.ErrorContains(t, db.Ping(), "a fault in k6's extensions or in a library")
}

type stalling struct {
	*fake

	sees    chan context.Context
	stopped chan struct{}
}

func newStalling() *stalling {
	return &stalling{fake: &fake{}, sees: make(chan context.Context, 1), stopped: make(chan struct{})}
}

func (s *stalling) QueryContext(ctx context.Context, _ string, _ []driver.NamedValue) (driver.Rows, error) {
	s.sees <- ctx
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.stopped:
		return nil, ctx.Err()
	}
}

type interrupting struct{ *stalling }

func (i interrupting) Interrupt() { close(i.stopped) }

func TestQueryEndsWithItsContext(t *testing.T) {
	for name, interrupts := range map[string]bool{"by its context": false, "by Interrupt": true} {
		t.Run(name, func(t *testing.T) {
			s := newStalling()
			var conn driver.Conn = s
			if interrupts {
				conn = interrupting{s}
			}
			db := open(t, conn)
			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error)
			go func() {
				rows, err := db.QueryContext(&dbCall{Context: ctx}, "query")
				if err == nil {
					_ = rows.Close()
				}
				failed <- err
			}()
			require.Equal(t, !interrupts, (<-s.sees).Done() != nil)
			cancel()
			require.ErrorIs(t, <-failed, context.Canceled)

			_, err := db.ExecContext(t.Context(), "exec")
			require.NoError(t, err)
			require.Equal(t, interrupts, s.closed == 1, "what was interrupted is not used again")
		})
	}
}

// A Call without a Done channel is only for connections of this package. Other drivers see the
// context's.
func TestDoneOfACall(t *testing.T) {
	type key struct{}
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	defer cancel()
	call := &dbCall{Context: ctx}
	require.Equal(t, ctx.Done(), call.Done())
	_, err := open(t, &fake{}).ExecContext(call, "exec")
	require.NoError(t, err)
	require.Nil(t, call.Done())
	cancel()
	require.Equal(t, context.Canceled, call.Err())
	require.Equal(t, "value", call.Value(key{}))
}

func TestNothingConnectsTooLate(t *testing.T) {
	f := &fake{}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	_, err := open(t, f).ExecContext(&dbCall{Context: ctx}, "exec")
	require.Equal(t, context.DeadlineExceeded, err)
	require.Zero(t, f.opened)
}

type faulty struct{ fake }

func (*faulty) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	panic("a fault")
}

func (*faulty) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	panic("a fault")
}

func TestPanicOfACall(t *testing.T) {
	f := &faulty{}
	db := open(t, f)
	db.SetMaxOpenConns(1)
	const calls = 4
	for range calls / 2 {
		_, err := like(db)
		require.ErrorContains(t, err, "a fault in k6's extensions or in a library")
		_, err = db.ExecContext(t.Context(), "exec")
		require.ErrorContains(t, err, "a fault in k6's extensions or in a library")
	}
	require.Equal(t, calls, f.closed, "a connection of unknown state is not used again")
}
