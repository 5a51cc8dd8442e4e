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
	switch t := r.native.Columns()[i].Type; {
	case isInteger(t):
		return r.native.Int64(i)
	case t == cmi.Ulong:
		return r.native.Uint64(i)
	case isFloat(t):
		return r.native.Float64(i)
	case t == cmi.Datetime:
		return r.native.Time(i)
	case t.IsText():
		return string(r.native.Bytes(i))
	case isAddress(t):
		return fmt.Sprint(r.native.Value(i))
	default:
		return r.native.Bytes(i)
	}
}

// Close ends the answer.
func (r *rows) Close() error {
	defer r.cancel()

	return withContextError(r.native.Close())
}

func isInteger(t cmi.Type) bool {
	return t == cmi.Short || t == cmi.Ushort || t == cmi.Integer || t == cmi.Uinteger || t == cmi.Long
}

func isFloat(t cmi.Type) bool { return t == cmi.Float || t == cmi.Double }

func isAddress(t cmi.Type) bool { return t == cmi.IPv4 || t == cmi.IPv6 }
