// Package wholerows wraps a database/sql driver so that a query is answered with all of its rows or
// with an error.
//
// The script gets all rows of a query together, so the wrapped driver reads them before the query
// returns: no connection is held while JavaScript objects are made of them.
package wholerows

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/deadline"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// Driver is a database/sql driver made from a function that returns its connector for a data source
// name.
type Driver func(name string) (driver.Connector, error)

// OpenConnector returns the connector for a data source name. The error is that of the function.
func (d Driver) OpenConnector(name string) (driver.Connector, error) {
	c, err := d(name)
	if err != nil {
		return nil, err
	}

	return connector{Connector: c, driver: d}, nil
}

// Open connects. database/sql does not call it, as there is OpenConnector.
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

// Connect fails when the connection lacks what drivers have had since contexts came to
// database/sql. The panic of a driver is an error: database/sql may connect on a goroutine of its
// own.
func (c connector) Connect(ctx context.Context) (_ driver.Conn, err error) {
	defer crash.Catch(&err)
	ctx = ending(ctx)
	if until, has := ctx.Deadline(); has && !time.Now().Before(until) {
		return nil, context.DeadlineExceeded // where it is too late already, the server is not at fault
	}
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	capable, ok := opened.(inner)
	if !ok {
		_ = opened.Close()

		return nil, fmt.Errorf("the driver's connection, a %T, knows no contexts", opened)
	}

	made := &conn{inner: capable}
	if interruptible, is := opened.(Interrupter); is {
		made.calls = deadline.New(func(c Interrupter, _ deadline.Outcome) { c.Interrupt() })
		made.interruptible = interruptible
	}
	if session := k6glue.SessionIn(ctx); session != nil && !c.keeps() {
		session.AtEnd(made.end)
	}

	return made, nil
}

// keeps tells whether connections outlive the client's step: see Local.
func (c connector) keeps() bool {
	_, is := c.Connector.(local)

	return is
}

// Local is a driver without a server, whose connections may be all that holds the data. They are
// not closed at the end of a client's step.
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

// inner is what a wrapped connection has to have: database/sql finds it by the types of these
// interfaces.
type inner interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
}

// Interrupter is a connection whose calls end by Interrupt, and not by their contexts: to watch the
// context of each would cost more.
type Interrupter interface {
	// Interrupt makes the call under way fail at once. Any goroutine may call it. The connection is
	// not used again.
	Interrupt()
}

// conn is a connection that a script opens with the first query that needs it. It is closed with
// the database, which an interrupted script does not do: under client-sweep it is closed at the
// end of the client's step, as those of other modules.
type conn struct {
	inner

	// ended tells that the connection is not to be used again.
	ended  atomic.Bool
	closed sync.Once

	// calls interrupts calls of interruptible; nil where the driver heeds contexts by itself.
	calls         *deadline.Watch[Interrupter]
	interruptible Interrupter
	// seen is the context that interruptible sees, which ends by Interrupt alone.
	seen Call
}

// end closes the connection at the end of a step. The pool learns of it when it would use it again.
func (c *conn) end() {
	c.ended.Store(true)
	_ = c.Close() // nobody is there to be told
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

// catch makes *err the error of a driver's panic, after which nobody knows what state the
// connection is in. Without it database/sql would take the connection for one that is in use. It is
// for defer.
func (c *conn) catch(err *error) {
	if value := recover(); value != nil {
		*err = crash.Caught(value)
		c.ended.Store(true)
	}
}

// begin begins a call and returns the context that the driver sees.
func (c *conn) begin(ctx context.Context) context.Context {
	ctx = ending(ctx)
	if c.calls == nil {
		return ctx
	}
	c.calls.Begin(ctx, c.interruptible, time.Time{}, 0)
	c.seen = Call{Context: ctx, wrapped: true}

	return &c.seen
}

// over ends a call. A connection that was interrupted is not used again, also where that came after
// the last byte of the answer.
func (c *conn) over() {
	if c.calls != nil && c.calls.End() != deadline.Undisturbed {
		c.ended.Store(true)
	}
}

// ResetSession is called before the connection is used again.
func (c *conn) ResetSession(ctx context.Context) (err error) {
	defer c.catch(&err)
	if c.ended.Load() {
		return driver.ErrBadConn
	}

	return c.inner.ResetSession(ending(ctx))
}

// ExecContext returns once the statement is done.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (_ driver.Result, err error) {
	defer c.catch(&err)
	defer c.over()

	return c.inner.ExecContext(c.begin(ctx), query, args)
}

// ErrLost is the error of a query whose connection broke in the middle of its rows.
var ErrLost = errors.New("the connection was lost before the last row")

// QueryContext returns once the last row is there.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (_ driver.Rows, err error) {
	defer c.catch(&err)
	defer c.over()
	found, err := c.inner.QueryContext(c.begin(ctx), query, args)
	if err != nil {
		return nil, err
	}
	whole, err := read(found)
	if errors.Is(err, driver.ErrBadConn) {
		// database/sql would run the query again, which has had its effect already.
		return nil, ErrLost
	}
	if err != nil {
		return nil, err
	}

	return whole, nil
}

// CheckNamedValue leaves the arguments to the driver where it wants them, and to database/sql where
// it does not.
func (c *conn) CheckNamedValue(value *driver.NamedValue) (err error) {
	defer c.catch(&err)
	if checker, ok := c.inner.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(value)
	}

	return driver.ErrSkip
}

// IsValid tells whether the connection may go back to the pool.
func (c *conn) IsValid() bool {
	validator, ok := c.inner.(driver.Validator)

	return !c.ended.Load() && (!ok || validator.IsValid())
}
