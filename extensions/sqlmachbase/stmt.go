package sqlmachbase

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

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
