package sql

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// wholeDriver wraps a database/sql driver so that a query returns all its rows or an error. A
// script gets all rows of a query together. So the wrapped driver reads them before the query
// returns, and the connection is free while the JavaScript objects are made.
type wholeDriver struct {
	open func(name string) (driver.Connector, error)
	// local means that there is no server. Connections may be the only place of the data, so they
	// stay open at the end of a client's step.
	local bool
}

// OpenConnector opens the wrapped driver's connector.
func (d wholeDriver) OpenConnector(name string) (driver.Connector, error) {
	c, err := d.open(name)
	if err != nil {
		return nil, err
	}

	return wholeConnector{Connector: c, driver: d}, nil
}

// Open connects. database/sql calls OpenConnector in its place.
func (d wholeDriver) Open(name string) (driver.Conn, error) {
	c, err := d.OpenConnector(name)
	if err != nil {
		return nil, err
	}

	return c.Connect(context.Background())
}

type wholeConnector struct {
	driver.Connector
	driver wholeDriver
}

func (c wholeConnector) Driver() driver.Driver { return c.driver }

// Connect returns an error if the connection lacks the methods with contexts. It also turns a
// driver's panic into an error, since database/sql may connect in its own goroutine.
func (c wholeConnector) Connect(ctx context.Context) (_ driver.Conn, err error) {
	defer crash.Catch(&err)
	call, _ := ctx.(*dbCall)
	if call != nil {
		begin := clock.Now()
		defer func() { call.Connecting += clock.Since(begin) }()
	}
	ctx = ending(ctx)
	if until, has := ctx.Deadline(); has && !time.Now().Before(until) {
		return nil, context.DeadlineExceeded
	}
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	capable, ok := opened.(inner)
	if !ok {
		_ = opened.Close()

		return nil, fmt.Errorf("the driver's connection, a %T, does not support contexts", opened)
	}

	made := &wholeConn{inner: capable}
	if interruptible, is := opened.(interrupter); is {
		made.calls = clock.NewWatch(func(c interrupter, _ clock.Outcome) { c.Interrupt() })
		made.interruptible = interruptible
	}
	if session := k6x.SessionIn(ctx); session != nil && !c.driver.local && (call == nil || !call.Shared) {
		session.AtEnd(made.end)
	}

	return made, nil
}

type inner interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
}

// interrupter is a connection whose calls Interrupt can end. That costs less than watching the
// context of each call.
type interrupter interface {
	// Interrupt makes the current call fail immediately. Any goroutine may call it. The connection
	// is not used afterwards.
	Interrupt()
}

// wholeConn is a connection that a query of a script has opened. It closes with the database. An
// interrupted script never closes its database, so under client-sweep the end of the client's step
// closes the connection too.
type wholeConn struct {
	inner

	ended  atomic.Bool
	closed sync.Once

	// calls interrupts calls of interruptible; nil if the driver watches contexts.
	calls         *clock.Watch[interrupter]
	interruptible interrupter
	// Only Interrupt ends such a call.
	seen dbCall
}

// The pool finds out when it uses the connection again.
func (c *wholeConn) end() {
	c.ended.Store(true)
	_ = c.Close()
}

// Close closes the connection once.
func (c *wholeConn) Close() (err error) {
	c.closed.Do(func() {
		if c.calls != nil {
			c.calls.Stop()
		}
		err = c.inner.Close()
	})

	return err
}

// catch turns a driver's panic into an error and marks the connection as unusable. Otherwise
// database/sql would consider it in use forever. Use it with defer.
func (c *wholeConn) catch(err *error) {
	if value := recover(); value != nil {
		*err = crash.Caught(value)
		c.ended.Store(true)
	}
}

func (c *wholeConn) begin(ctx context.Context) context.Context {
	ctx = ending(ctx)
	if c.calls == nil {
		return ctx
	}
	c.calls.Begin(ctx, c.interruptible, time.Time{}, 0)
	c.seen = dbCall{Context: ctx, wrapped: true}

	return &c.seen
}

// over ends a call. An interrupted connection is not used again, even if the whole answer had
// arrived.
func (c *wholeConn) over() {
	if c.calls != nil && c.calls.End() != clock.Undisturbed {
		c.ended.Store(true)
	}
}

// ResetSession checks the connection before it is used again.
func (c *wholeConn) ResetSession(ctx context.Context) (err error) {
	defer c.catch(&err)
	if c.ended.Load() {
		return driver.ErrBadConn
	}

	return c.inner.ResetSession(ending(ctx))
}

// ExecContext returns when the statement is done.
func (c *wholeConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (_ driver.Result, err error) {
	defer c.catch(&err)
	defer c.over()

	return c.inner.ExecContext(c.begin(ctx), query, args)
}

// errLost is the error of a query whose connection broke in the middle of its rows.
var errLost = errors.New("the connection was lost before the last row")

// QueryContext returns when the last row has been read.
func (c *wholeConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (_ driver.Rows, err error) {
	defer c.catch(&err)
	defer c.over()
	found, err := c.inner.QueryContext(c.begin(ctx), query, args)
	if err != nil {
		return nil, err
	}
	whole, err := readWhole(found)
	if errors.Is(err, driver.ErrBadConn) {
		// after driver.ErrBadConn, database/sql would run the query a second time
		return nil, errLost
	}
	if err != nil {
		return nil, err
	}

	return whole, nil
}

// CheckNamedValue passes an argument to the driver if it checks arguments, else leaves it to
// database/sql.
func (c *wholeConn) CheckNamedValue(value *driver.NamedValue) (err error) {
	defer c.catch(&err)
	if checker, ok := c.inner.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(value)
	}

	return driver.ErrSkip
}

// IsValid reports whether the connection may return to the pool.
func (c *wholeConn) IsValid() bool {
	validator, ok := c.inner.(driver.Validator)

	return !c.ended.Load() && (!ok || validator.IsValid())
}

type wholeRows struct {
	columns []string
	types   []string // the database's names of the column types; "" if the driver has none
	values  [][]driver.Value
}

func readWhole(from driver.Rows) (*wholeRows, error) {
	whole := &wholeRows{columns: from.Columns()}
	whole.types = make([]string, len(whole.columns))
	if typed, is := from.(driver.RowsColumnTypeDatabaseTypeName); is {
		for i := range whole.types {
			whole.types[i] = typed.ColumnTypeDatabaseTypeName(i)
		}
	}
	err := whole.readAll(from)
	if closing := from.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}

	return whole, nil
}

func (r *wholeRows) readAll(from driver.Rows) error {
	row := make([]driver.Value, len(r.columns))
	for {
		err := from.Next(row)
		if err == io.EOF { //nolint:errorlint // as in database/sql: a wrapped io.EOF is a lost connection
			return nil
		}
		if err != nil {
			return err
		}
		r.values = append(r.values, cloneRow(row))
	}
}

func cloneRow(row []driver.Value) []driver.Value {
	kept := make([]driver.Value, len(row))
	for i, value := range row {
		if raw, ok := value.([]byte); ok {
			value = bytes.Clone(raw)
		}
		kept[i] = value
	}

	return kept
}

func (r *wholeRows) Columns() []string { return r.columns }

// ColumnTypeDatabaseTypeName implements driver.RowsColumnTypeDatabaseTypeName.
func (r *wholeRows) ColumnTypeDatabaseTypeName(index int) string { return r.types[index] }

func (r *wholeRows) Close() error { return nil }

func (r *wholeRows) Next(dest []driver.Value) error {
	if len(r.values) == 0 {
		return io.EOF
	}
	copy(dest, r.values[0])
	r.values = r.values[1:]

	return nil
}

// dbCall is the context of a database/sql call. database/sql starts a goroutine for each query
// whose context can end. To avoid that, a call hides its Done channel once a wholeConn has seen it,
// which ends its calls with the inner Context.
type dbCall struct {
	context.Context

	// Shared means that clients of several VUs use the connections: they stay open after the step
	// of the client that opened them.
	Shared bool
	// Connecting is how long the call waited for connections that it opened.
	Connecting time.Duration
	wrapped    bool
}

// Done implements context.Context.
func (c *dbCall) Done() <-chan struct{} {
	if c.wrapped {
		return nil
	}

	return c.Context.Done()
}

func ending(ctx context.Context) context.Context {
	if call, is := ctx.(*dbCall); is {
		call.wrapped = true

		return call.Context
	}

	return ctx
}
