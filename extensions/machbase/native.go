package machbase

import (
	"context"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

type nativeDriver struct{}

func (nativeDriver) Name() string { return cmi.DefaultDriver }

func (nativeDriver) Open(ctx context.Context, cfg *Config, dial DialFunc) (Conn, error) {
	conn, err := cfg.Connect(ctx, dial)
	if err != nil {
		return nil, err
	}

	return &nativeConn{Conn: conn}, nil
}

type nativeConn struct {
	*cmi.Conn

	rows nativeRows
}

func (c *nativeConn) Query(ctx context.Context, sql string, args []any, read func(Rows) error) error {
	rows, err := c.Conn.Query(ctx, sql, args...)

	return c.read(rows, err, read)
}

func (c *nativeConn) read(rows *cmi.Rows, err error, read func(Rows) error) error {
	if err != nil {
		return err
	}
	c.rows.Rows = rows
	err = read(&c.rows)
	if closeErr := rows.Close(); err == nil {
		err = closeErr
	}

	return err
}

func (c *nativeConn) Exec(ctx context.Context, sql string, args []any) (int64, error) {
	return c.Conn.Exec(ctx, sql, args...)
}

func (c *nativeConn) Prepare(ctx context.Context, sql string) (Statement, error) {
	statement, err := c.Conn.Prepare(ctx, sql)
	if err != nil {
		return nil, err
	}

	return &nativeStatement{c, statement}, nil
}

func (c *nativeConn) Append(ctx context.Context, table string, options cmi.AppendOptions) (Appender, error) {
	appender, err := c.Conn.Append(ctx, table, options)
	if err != nil {
		return nil, err
	}

	return appender, nil
}

func (c *nativeConn) Close(context.Context) error { return c.Conn.Close() }

type nativeStatement struct {
	conn *nativeConn
	stmt *cmi.Stmt
}

func (s *nativeStatement) Query(ctx context.Context, args []any, read func(Rows) error) error {
	rows, err := s.stmt.Query(ctx, args...)

	return s.conn.read(rows, err, read)
}

func (s *nativeStatement) Exec(ctx context.Context, args []any) (int64, error) {
	return s.stmt.Exec(ctx, args...)
}

func (s *nativeStatement) Close(context.Context) error { return s.stmt.Close() }

type nativeRows struct{ *cmi.Rows }

func (r *nativeRows) Columns() []Column {
	columns := make([]Column, len(r.Rows.Columns()))
	for i, c := range r.Rows.Columns() {
		columns[i] = Column{Name: c.Name, Type: c.Type.String()}
	}

	return columns
}

func (r *nativeRows) Equal(column int, want any) bool {
	if text, ok := want.(string); ok && r.Rows.Columns()[column].Type.IsText() {
		b := r.Bytes(column)

		return len(b) > 0 && string(b) == text // no bytes mean null
	}

	return Equal(r.Value(column), want)
}

func (r *nativeRows) Values() []any {
	values := make([]any, len(r.Rows.Columns()))
	for i := range values {
		values[i] = r.Value(i)
	}

	return values
}
