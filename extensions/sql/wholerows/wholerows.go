// Package wholerows wraps a database/sql driver so that a query returns all its rows or an error.
//
// A script gets all rows of a query together. So the wrapped driver reads them before the query
// returns, and the connection is free while the JavaScript objects are made.
package wholerows

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// Driver is a database/sql driver: a function that returns the connector for a data source name.
type Driver func(name string) (driver.Connector, error)

// OpenConnector calls the function.
func (d Driver) OpenConnector(name string) (driver.Connector, error) {
	c, err := d(name)
	if err != nil {
		return nil, err
	}

	return connector{Connector: c, driver: d}, nil
}

// Open connects. database/sql calls OpenConnector in its place.
func (d Driver) Open(name string) (driver.Conn, error) {
	c, err := d.OpenConnector(name)
	if err != nil {
		return nil, err
	}

	return c.Connect(context.Background())
}

type connector struct {
	driver.Connector
	driver Driver
}

func (c connector) Driver() driver.Driver { return c.driver }

// Connect returns an error if the connection lacks the methods with contexts. It also turns a
// driver's panic into an error, since database/sql may connect in its own goroutine.
func (c connector) Connect(ctx context.Context) (_ driver.Conn, err error) {
	defer crash.Catch(&err)
	call, _ := ctx.(*Call)
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

	made := &conn{inner: capable}
	if interruptible, is := opened.(Interrupter); is {
		made.calls = clock.NewWatch(func(c Interrupter, _ clock.Outcome) { c.Interrupt() })
		made.interruptible = interruptible
	}
	if session := k6x.SessionIn(ctx); session != nil && !c.keeps() && (call == nil || !call.Shared) {
		session.AtEnd(made.end)
	}

	return made, nil
}

func (c connector) keeps() bool {
	_, is := c.Connector.(local)

	return is
}

// Local marks a driver without a server. Its connections may be the only place of the data, so they
// stay open at the end of a client's step.
func Local(d Driver) Driver {
	return func(name string) (driver.Connector, error) {
		c, err := d(name)
		if err != nil {
			return nil, err
		}

		return local{c}, nil
	}
}

type local struct{ driver.Connector }

type inner interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
}

// Interrupter is a connection whose calls Interrupt can end. That costs less than watching the
// context of each call.
type Interrupter interface {
	// Interrupt makes the current call fail immediately. Any goroutine may call it. The connection
	// is not used afterwards.
	Interrupt()
}

// conn is a connection that a query of a script has opened. It closes with the database. An
// interrupted script never closes its database, so under client-sweep the end of the client's step
// closes the connection too.
type conn struct {
	inner

	ended  atomic.Bool
	closed sync.Once

	// calls interrupts calls of interruptible; nil if the driver watches contexts.
	calls         *clock.Watch[Interrupter]
	interruptible Interrupter
	// Only Interrupt ends such a call.
	seen Call
}

// The pool finds out when it uses the connection again.
func (c *conn) end() {
	c.ended.Store(true)
	_ = c.Close()
}

// Close closes the connection once.
func (c *conn) Close() (err error) {
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
func (c *conn) catch(err *error) {
	if value := recover(); value != nil {
		*err = crash.Caught(value)
		c.ended.Store(true)
	}
}

func (c *conn) begin(ctx context.Context) context.Context {
	ctx = ending(ctx)
	if c.calls == nil {
		return ctx
	}
	c.calls.Begin(ctx, c.interruptible, time.Time{}, 0)
	c.seen = Call{Context: ctx, wrapped: true}

	return &c.seen
}

// over ends a call. An interrupted connection is not used again, even if the whole answer had
// arrived.
func (c *conn) over() {
	if c.calls != nil && c.calls.End() != clock.Undisturbed {
		c.ended.Store(true)
	}
}

// ResetSession checks the connection before it is used again.
func (c *conn) ResetSession(ctx context.Context) (err error) {
	defer c.catch(&err)
	if c.ended.Load() {
		return driver.ErrBadConn
	}

	return c.inner.ResetSession(ending(ctx))
}

// ExecContext returns when the statement is done.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (_ driver.Result, err error) {
	defer c.catch(&err)
	defer c.over()

	return c.inner.ExecContext(c.begin(ctx), query, args)
}

// ErrLost is the error of a query whose connection broke in the middle of its rows.
var ErrLost = errors.New("the connection was lost before the last row")

// QueryContext returns when the last row has been read.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (_ driver.Rows, err error) {
	defer c.catch(&err)
	defer c.over()
	found, err := c.inner.QueryContext(c.begin(ctx), query, args)
	if err != nil {
		return nil, err
	}
	whole, err := read(found)
	if errors.Is(err, driver.ErrBadConn) {
		// after driver.ErrBadConn, database/sql would run the query a second time
		return nil, ErrLost
	}
	if err != nil {
		return nil, err
	}

	return whole, nil
}

// CheckNamedValue passes an argument to the driver if it checks arguments, else leaves it to
// database/sql.
func (c *conn) CheckNamedValue(value *driver.NamedValue) (err error) {
	defer c.catch(&err)
	if checker, ok := c.inner.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(value)
	}

	return driver.ErrSkip
}

// IsValid reports whether the connection may return to the pool.
func (c *conn) IsValid() bool {
	validator, ok := c.inner.(driver.Validator)

	return !c.ended.Load() && (!ok || validator.IsValid())
}
