package drivers

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/machbase/neo-client/api"
	"github.com/machbase/neo-server/v8/api/machcli"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// machcliConn calls C in a separate goroutine, so that a call can be abandoned.
type machcliConn struct {
	db   *machcli.Database
	conn *machcli.Conn

	calls chan func() error
	done  chan error // result of the current call; buffered, since a call may be abandoned

	// broken means that the client would take the next answer for another one.
	broken bool

	leave sync.Once
	left  chan struct{}
}

func newMachcliConn(db *machcli.Database, conn *machcli.Conn) *machcliConn {
	c := &machcliConn{
		db: db, conn: conn, calls: make(chan func() error), done: make(chan error, 1), left: make(chan struct{}),
	}
	go c.work()

	return c
}

func (c *machcliConn) work() {
	for {
		select {
		case call := <-c.calls:
			c.done <- guard(call)
		case <-c.left:
			_ = guard(c.conn.Close)
			_ = guard(c.db.Close)

			return
		}
	}
}

// guard turns a panic into an error: in this goroutine it would end the process.
func guard(call func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("machcli failed: %v", cause)
		}
	}()

	return call()
}

// call abandons fn when the context ends. Then the results of fn must not be read.
func (c *machcliConn) call(ctx context.Context, fn func() error) error {
	select {
	case <-c.left:
		return errLeft
	default:
	}
	select {
	case c.calls <- fn:
	case <-ctx.Done():
		c.end()

		return errLeft
	}
	select {
	case err := <-c.done:
		return err
	case <-ctx.Done():
		c.end()

		return errLeft
	}
}

// Broken implements machbase.Conn.
func (c *machcliConn) Broken() bool { return c.broken }

func (c *machcliConn) end() { c.leave.Do(func() { close(c.left) }) }

func (c *machcliConn) Close(ctx context.Context) error {
	defer c.end()
	if err := c.call(ctx, c.conn.Close); err != nil && !errors.Is(err, errLeft) {
		return machcliError(err)
	}

	return nil
}

func (c *machcliConn) Traffic() (received, sent uint64) { return 0, 0 }

func (c *machcliConn) Query(ctx context.Context, sql string, args []any, read func(machbase.Rows) error) error {
	sql, err := statement(sql)
	if err != nil {
		return err
	}

	return c.answer(ctx, func() (api.Rows, error) {
		return c.conn.Query(context.WithoutCancel(ctx), sql, clientArgs(args)...)
	}, read)
}

// Exec uses Query: machcli's Exec loses errors of statements without parameters.
func (c *machcliConn) Exec(ctx context.Context, sql string, args []any) (affected int64, err error) {
	if sql, err = statement(sql); err != nil {
		return 0, err
	}
	var changed int64
	err = c.call(ctx, func() error {
		rows, err := c.conn.Query(context.WithoutCancel(ctx), sql, clientArgs(args)...)
		if err != nil {
			return err
		}
		changed = rows.RowsAffected()

		return rows.Close()
	})
	if err != nil {
		return 0, machcliError(err)
	}

	return changed, nil
}

// machcli fails on an empty text without an error.
func statement(sql string) (string, error) {
	if sql = clientSQL(sql); strings.TrimSpace(sql) == "" {
		return "", usage("there is no statement")
	}

	return sql, nil
}

func (c *machcliConn) Prepare(ctx context.Context, sql string) (machbase.Statement, error) {
	sql, err := statement(sql)
	if err != nil {
		return nil, err
	}
	var stmt api.Stmt
	if err := c.call(ctx, func() (err error) {
		stmt, err = c.conn.Prepare(context.WithoutCancel(ctx), sql)

		return err
	}); err != nil {
		return nil, machcliError(err)
	}

	return &machcliStatement{conn: c, stmt: stmt, insert: insert.MatchString(sql)}, nil
}

func (c *machcliConn) Append(ctx context.Context, table string, options cmi.AppendOptions) (machbase.Appender, error) {
	if options.Batch != (cmi.Batch{}) {
		return nil, usage("driver machcli does not support the batch options; driver native does")
	}
	a := &machcliAppender{conn: c, table: table}
	if err := a.open(ctx); err != nil {
		return nil, err
	}
	places, misplaced := columnPlaces(table, a.columns.Names(), options.Columns)
	if misplaced != nil {
		if _, err := a.Close(ctx); err != nil {
			return nil, err
		}

		return nil, machcliError(misplaced)
	}
	a.places = places

	return a, nil
}

type machcliStatement struct {
	conn     *machcliConn
	stmt     api.Stmt
	insert   bool
	inserted int64 // total so far
}

var insert = regexp.MustCompile(`(?i)^insert\b`)

func (p *machcliStatement) Query(ctx context.Context, args []any, read func(machbase.Rows) error) error {
	return p.conn.answer(ctx, func() (api.Rows, error) {
		return p.stmt.Query(context.WithoutCancel(ctx), clientArgs(args)...)
	}, read)
}

// Exec returns the rows of this call: the server does not reset the count of an INSERT.
func (p *machcliStatement) Exec(ctx context.Context, args []any) (int64, error) {
	var changed int64
	err := p.conn.call(ctx, func() error {
		result := p.stmt.Exec(context.WithoutCancel(ctx), clientArgs(args)...)
		changed = result.RowsAffected()

		return result.Err()
	})
	if err != nil {
		return 0, machcliError(err)
	}
	if p.insert {
		changed, p.inserted = changed-p.inserted, changed
	}

	return changed, nil
}

func (p *machcliStatement) Close(ctx context.Context) error {
	if err := p.conn.call(ctx, p.stmt.Close); err != nil {
		return machcliError(err)
	}

	return nil
}
