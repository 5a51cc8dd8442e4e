package sqlmachbase

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// conn is a connection, for one goroutine at a time.
type conn struct {
	native  *cmi.Conn
	socket  net.Conn
	timeout time.Duration
}

var errTransactions = errors.New("there are no transactions in Machbase: each statement takes effect by itself")

func (*conn) Begin() (driver.Tx, error) { return nil, errTransactions }

func (*conn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	return nil, errTransactions
}

func (c *conn) Close() error { return c.native.Close() }

// IsValid reports whether the connection may return to the pool.
func (c *conn) IsValid() bool { return !c.native.Broken() }

// ResetSession checks before the next use whether the server has closed the connection.
func (c *conn) ResetSession(context.Context) error {
	if c.native.Broken() || !isIdle(c.socket) {
		return driver.ErrBadConn
	}

	return nil
}

// Ping runs a minimal query.
func (c *conn) Ping(ctx context.Context) error {
	_, err := c.ExecContext(ctx, "select 1 from v$version", nil)

	return err
}

func (c *conn) CheckNamedValue(arg *driver.NamedValue) error { return checkArgument(arg) }

func (c *conn) QueryContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Rows, error) {
	return c.query(ctx, func(ctx context.Context) (*cmi.Rows, error) {
		return c.native.Query(ctx, sql, values(args)...)
	})
}

func (c *conn) ExecContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Result, error) {
	return c.exec(ctx, func(ctx context.Context) (int64, error) {
		return c.native.Exec(ctx, sql, values(args)...)
	})
}

func (c *conn) Prepare(sql string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), sql)
}

func (c *conn) PrepareContext(ctx context.Context, sql string) (driver.Stmt, error) {
	s := &stmt{conn: c}
	err := c.call(ctx, func(ctx context.Context) (err error) {
		s.native, err = c.native.Prepare(ctx, sql)

		return err
	})
	if err != nil {
		return nil, err
	}

	return s, nil
}

func (c *conn) call(ctx context.Context, do func(context.Context) error) error {
	if c.native.Broken() {
		return driver.ErrBadConn // nothing was sent: database/sql takes another connection
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()

	return withContextError(do(ctx))
}

func (c *conn) exec(ctx context.Context, do func(context.Context) (int64, error)) (driver.Result, error) {
	var changed int64
	err := c.call(ctx, func(ctx context.Context) (err error) {
		changed, err = do(ctx)

		return err
	})
	if err != nil {
		return nil, err
	}

	return driver.RowsAffected(changed), nil
}

// query is like call, but its timeout includes the rows.
func (c *conn) query(ctx context.Context, do func(context.Context) (*cmi.Rows, error)) (driver.Rows, error) {
	if c.native.Broken() {
		return nil, driver.ErrBadConn
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	found, err := do(ctx)
	if err != nil {
		cancel()

		return nil, withContextError(err)
	}

	return &rows{native: found, cancel: cancel}, nil
}

type stmt struct {
	conn   *conn
	native *cmi.Stmt
}

// errOld is the error of methods without contexts, which database/sql does not call.
var errOld = errors.New("use ExecContext and QueryContext")

func (*stmt) Exec([]driver.Value) (driver.Result, error) { return nil, errOld }

func (*stmt) Query([]driver.Value) (driver.Rows, error) { return nil, errOld }

func (s *stmt) Close() error { return s.native.Close() }

// NumInput returns the number of question marks.
func (s *stmt) NumInput() int { return len(s.native.Parameters()) }

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.query(ctx, func(ctx context.Context) (*cmi.Rows, error) {
		return s.native.Query(ctx, values(args)...)
	})
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.exec(ctx, func(ctx context.Context) (int64, error) {
		return s.native.Exec(ctx, values(args)...)
	})
}

func withContextError(err error) error {
	var e *cmi.Error
	if !errors.As(err, &e) || e.Code != 0 { // an error with a code comes from the server
		return err
	}
	switch e.Kind {
	case cmi.KindTimeout:
		return ended{e, context.DeadlineExceeded}
	case cmi.KindCancelled:
		return ended{e, context.Canceled}
	default:
		return err
	}
}

type ended struct {
	error

	context error
}

func (e ended) Unwrap() []error { return []error{e.error, e.context} }
