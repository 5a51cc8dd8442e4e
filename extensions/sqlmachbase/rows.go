package sqlmachbase

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

type rows struct {
	native *cmi.Rows
	cancel context.CancelFunc
}

func (r *rows) Columns() []string {
	columns := r.native.Columns()
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}

	return names
}

// ColumnTypeDatabaseTypeName returns the type's name in Machbase's SQL, in upper case, without a
// length.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	return strings.ToUpper(r.native.Columns()[i].Type.String())
}

// Next moves to the next row. As database/sql expects, bytes are valid until the next row.
func (r *rows) Next(into []driver.Value) error {
	if !r.native.Next() {
		if err := r.native.Err(); err != nil {
			return withContextError(err)
		}

		return io.EOF
	}
	for i := range into {
		into[i] = r.value(i)
	}

	return nil
}

func (r *rows) value(i int) driver.Value {
	if r.native.IsNull(i) {
		return nil
	}
	switch r.native.Columns()[i].Type { //nolint:exhaustive // the others have a type of database/sql
	case cmi.Short, cmi.Ushort, cmi.Integer, cmi.Uinteger:
		return r.native.Int64(i)
	case cmi.Float:
		return r.native.Float64(i)
	case cmi.IPv4, cmi.IPv6:
		return fmt.Sprint(r.native.Value(i))
	case cmi.Binary, cmi.Blob:
		return r.native.Bytes(i)
	default:
		return r.native.Value(i)
	}
}

// Close ends the answer.
func (r *rows) Close() error {
	defer r.cancel()

	return withContextError(r.native.Close())
}
