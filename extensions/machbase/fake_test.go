package machbase

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// fakeDriver is a driver without a server.
type fakeDriver struct {
	open    func(*Config) error
	query   func(conn *fakeConn, sql string, args []any, read func(Rows) error) error
	exec    func(conn *fakeConn, sql string, args []any) (int64, error)
	append  func(conn *fakeConn, row []any) error
	columns func(conn *fakeConn, columns []any) error
	options func(cmi.AppendOptions)
	receipt func(conn *fakeConn, rows int64) (cmi.Receipt, error)
	prepare func(conn *fakeConn, sql string) error
	close   func(conn *fakeConn) error

	mu    sync.Mutex
	conns []*fakeConn
}

func (d *fakeDriver) Name() string { return "fake" }

func (d *fakeDriver) Open(_ context.Context, cfg *Config, _ DialFunc) (Conn, error) {
	if d.open != nil {
		if err := d.open(cfg); err != nil {
			return nil, err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	conn := &fakeConn{driver: d, number: len(d.conns) + 1}
	d.conns = append(d.conns, conn)

	return conn, nil
}

func (d *fakeDriver) connections() []*fakeConn {
	d.mu.Lock()
	defer d.mu.Unlock()

	return append([]*fakeConn(nil), d.conns...)
}

type fakeConn struct {
	driver         *fakeDriver
	number         int
	closed         atomic.Bool
	broken         atomic.Bool
	interrupted    <-chan struct{}
	prepared       atomic.Int64
	freed          atomic.Int64
	received, sent atomic.Uint64
}

func (c *fakeConn) Query(ctx context.Context, sql string, args []any, read func(Rows) error) error {
	c.interrupted = ctx.Done()
	c.received.Add(100)
	c.sent.Add(10)
	if c.driver.query != nil {
		return c.driver.query(c, sql, args, read)
	}

	return read(&fakeRows{})
}

func (c *fakeConn) Exec(ctx context.Context, sql string, args []any) (int64, error) {
	c.interrupted = ctx.Done()
	if c.driver.exec != nil {
		return c.driver.exec(c, sql, args)
	}

	return 0, nil
}

func (c *fakeConn) Prepare(ctx context.Context, sql string) (Statement, error) {
	c.interrupted = ctx.Done()
	c.prepared.Add(1)
	if c.driver.prepare != nil {
		if err := c.driver.prepare(c, sql); err != nil {
			return nil, err
		}
	}

	return &fakeStatement{c, sql}, nil
}

func (c *fakeConn) Append(_ context.Context, _ string, options cmi.AppendOptions) (Appender, error) {
	if c.driver.options != nil {
		c.driver.options(options)
	}

	return &fakeAppender{conn: c}, nil
}

func (c *fakeConn) Traffic() (received, sent uint64) { return c.received.Load(), c.sent.Load() }

func (c *fakeConn) Broken() bool { return c.broken.Load() }

func (c *fakeConn) Close(ctx context.Context) error {
	c.interrupted = ctx.Done()
	c.closed.Store(true)
	if c.driver.close != nil {
		return c.driver.close(c)
	}

	return nil
}

type fakeStatement struct {
	conn *fakeConn
	sql  string
}

func (s *fakeStatement) Query(ctx context.Context, args []any, read func(Rows) error) error {
	return s.conn.Query(ctx, s.sql, args, read)
}
func (s *fakeStatement) Exec(ctx context.Context, args []any) (int64, error) {
	return s.conn.Exec(ctx, s.sql, args)
}
func (s *fakeStatement) Close(context.Context) error { s.conn.freed.Add(1); return nil }

type fakeAppender struct {
	conn *fakeConn
	rows int64
}

func (a *fakeAppender) Append(ctx context.Context, row ...any) error {
	a.conn.interrupted = ctx.Done()
	if a.conn.driver.append != nil {
		if err := a.conn.driver.append(a.conn, row); err != nil {
			return err
		}
	}
	a.rows++

	return nil
}

func (a *fakeAppender) AppendColumns(ctx context.Context, columns ...any) (int, error) {
	a.conn.interrupted = ctx.Done()
	if a.conn.driver.columns != nil {
		if err := a.conn.driver.columns(a.conn, columns); err != nil {
			return 0, err
		}
	}
	rows := reflect.ValueOf(columns[0]).Len()
	a.rows += int64(rows)

	return rows, nil
}

func (a *fakeAppender) Flush(context.Context) error                    { return nil }
func (a *fakeAppender) Close(ctx context.Context) (cmi.Receipt, error) { return a.Sync(ctx) }

func (a *fakeAppender) Sync(context.Context) (cmi.Receipt, error) {
	if a.conn.driver.receipt != nil {
		return a.conn.driver.receipt(a.conn, a.rows)
	}

	return cmi.Receipt{Accepted: a.rows}, nil
}

type fakeRows struct {
	columns []Column
	rows    [][]any
	err     error
	at      int
}

func (r *fakeRows) Columns() []Column { return r.columns }

func (r *fakeRows) Index(name string) int {
	for i, c := range r.columns {
		if c.Name == name {
			return i
		}
	}

	return -1
}

func (r *fakeRows) Next() bool {
	r.at++

	return r.at <= len(r.rows)
}

func (r *fakeRows) Equal(column int, want any) bool { return Equal(r.Values()[column], want) }
func (r *fakeRows) Values() []any                   { return r.rows[r.at-1] }
func (r *fakeRows) Err() error                      { return r.err }

func answer(columns []Column, rows ...[]any) *fakeDriver {
	return &fakeDriver{query: func(_ *fakeConn, _ string, _ []any, read func(Rows) error) error {
		return read(&fakeRows{columns: columns, rows: rows})
	}}
}

var errBroken = errors.New("read tcp: connection reset by peer")
