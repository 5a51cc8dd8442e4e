package machbase

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// nativeDriver is our own client.
type nativeDriver struct{}

func (nativeDriver) Name() string { return "native" }

func (nativeDriver) Open(ctx context.Context, cfg *Config, dial DialFunc) (Conn, error) {
	conn, err := cmi.Connect(ctx, cmi.Config{
		Addresses:      append([]string{cfg.Address()}, cfg.Alternatives...),
		User:           cfg.User,
		Password:       cfg.Password,
		QueryTimeout:   roundUp(cfg.QueryTimeout, time.Second),
		StatementCache: cmi.CacheMode(cfg.StatementCache),
		FetchRows:      cfg.FetchRows,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			return dial(ctx, network, address)
		},
	})
	if err != nil {
		return nil, nativeError(nil, err)
	}
	c := &nativeConn{Conn: conn}
	c.rows.conn = c

	return c, nil
}

func roundUp(d, to time.Duration) time.Duration { return (d + to - 1) / to * to }

// nativeConn has calls without a context: the session interrupts them.
type nativeConn struct {
	*cmi.Conn

	rows nativeRows
}

func (c *nativeConn) Query(sql string, args []any, read func(Rows) error) error {
	rows, err := c.Conn.Query(context.Background(), sql, args...)

	return c.read(rows, err, read)
}

// read lets read take the rows, and closes them.
func (c *nativeConn) read(rows *cmi.Rows, err error, read func(Rows) error) error {
	if err != nil {
		return nativeError(c.Conn, err)
	}
	c.rows.Rows = rows
	err = read(&c.rows)
	if closeErr := rows.Close(); err == nil {
		err = closeErr
	}

	err = nativeError(c.Conn, err)
	if e, own := err.(*Error); own && c.Broken() { //nolint:errorlint // our own are never wrapped
		e.outOfStep = true
	}

	return err
}

func (c *nativeConn) Exec(sql string, args []any) (int64, error) {
	changed, err := c.Conn.Exec(context.Background(), sql, args...)

	return changed, nativeError(c.Conn, err)
}

func (c *nativeConn) Prepare(sql string) (Statement, error) {
	statement, err := c.Conn.Prepare(context.Background(), sql)
	if err != nil {
		return nil, nativeError(c.Conn, err)
	}

	return &nativeStatement{c, statement}, nil
}

func (c *nativeConn) Append(table string, options cmi.AppendOptions) (Appender, error) {
	appender, err := c.Conn.Append(context.Background(), table, options)
	if err != nil {
		return nil, nativeError(c.Conn, err)
	}

	return &nativeAppender{c, appender}, nil
}

type nativeStatement struct {
	conn *nativeConn
	stmt *cmi.Stmt
}

func (s *nativeStatement) Query(args []any, read func(Rows) error) error {
	rows, err := s.stmt.Query(context.Background(), args...)

	return s.conn.read(rows, err, read)
}

func (s *nativeStatement) Exec(args []any) (int64, error) {
	changed, err := s.stmt.Exec(context.Background(), args...)

	return changed, nativeError(s.conn.Conn, err)
}

func (s *nativeStatement) Close() error { return s.stmt.Close() }

type nativeRows struct {
	*cmi.Rows

	conn *nativeConn
}

func (r *nativeRows) Columns() []Column {
	columns := make([]Column, len(r.Rows.Columns()))
	for i, c := range r.Rows.Columns() {
		columns[i] = Column{Name: c.Name, Type: c.Type.String()}
	}

	return columns
}

// Equal compares texts and numbers as they stand in the answer.
func (r *nativeRows) Equal(column int, want any) bool {
	if text, ok := want.(string); ok && r.Rows.Columns()[column].Type.IsText() {
		b := r.Bytes(column)

		return len(b) > 0 && string(b) == text // one without bytes is a null
	}

	return equal(r.Value(column), want)
}

func (r *nativeRows) Values() []any {
	values := make([]any, len(r.Rows.Columns()))
	for i := range values {
		values[i] = r.Value(i)
	}

	return values
}

func (r *nativeRows) Err() error { return nativeError(r.conn.Conn, r.Rows.Err()) }

type nativeAppender struct {
	conn     *nativeConn
	appender *cmi.Appender
}

func (a *nativeAppender) Append(row []any) error {
	return nativeError(a.conn.Conn, a.appender.Append(context.Background(), row...))
}

func (a *nativeAppender) AppendColumns(columns []any) (int, error) {
	rows, err := a.appender.AppendColumns(context.Background(), columns...)

	return rows, nativeError(a.conn.Conn, err)
}

func (a *nativeAppender) Flush() error {
	return nativeError(a.conn.Conn, a.appender.Flush(context.Background()))
}

func (a *nativeAppender) Sync() (cmi.Receipt, error) {
	receipt, err := a.appender.Sync(context.Background())

	return receipt, nativeError(a.conn.Conn, err)
}

func (a *nativeAppender) Close() (cmi.Receipt, error) {
	receipt, err := a.appender.Close(context.Background())

	return receipt, nativeError(a.conn.Conn, err)
}

// nativeError makes the module's error of the client's.
func nativeError(conn *cmi.Conn, err error) error {
	if err == nil {
		return nil
	}
	var e *cmi.Error
	if !errors.As(err, &e) {
		return err
	}

	return &Error{Code: e.Code, Kind: e.Kind, Message: e.Message, outOfStep: conn != nil && conn.Broken()}
}
