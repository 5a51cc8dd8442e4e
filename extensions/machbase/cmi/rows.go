package cmi

import (
	"context"
	"strings"
	"time"
)

// Rows is the answer to a query, read once from the first to the last row. Until it is closed, the
// connection cannot run other calls. Results of Bytes are valid until Next or Close. Do not use
// Rows after Close: the next answer may reuse it.
type Rows struct {
	row row

	conn      *Conn
	ctx       context.Context //nolint:containedctx // later fetches use the query's context
	statement *Stmt
	units     []byte
	more      bool
	fetched   bool
	freeing   bool // the free request was sent, and its answer was not read yet
	open      bool
	changed   int64
	err       error
}

// Columns describes the columns of the answer. It stays valid.
func (r *Rows) Columns() []Column { return r.row.columns }

// Index returns the position of the column with this name, in upper or lower case, or -1.
func (r *Rows) Index(name string) int {
	for i := range r.row.columns {
		if strings.EqualFold(r.row.columns[i].Name, name) {
			return i
		}
	}

	return -1
}

// Next moves to the next row, and fetches more rows if needed. It returns false after the last row
// or an error; see Err.
func (r *Rows) Next() bool {
	for r.open && r.err == nil {
		if len(r.units) == 0 {
			if !r.more {
				return false
			}
			r.fetched = true
			r.units, r.err = r.conn.fetch(r.ctx, r.statement)

			continue
		}
		data, isRow, err := r.step()
		if isRow && err == nil {
			err = r.row.set(data)
		}
		if err != nil {
			r.err = r.conn.failure(r.ctx, err)

			return false
		}
		if isRow {
			return true
		}
	}

	return false
}

func (r *Rows) step() (row []byte, isRow bool, err error) {
	if row, rest, isRow := nextRow(r.units); isRow {
		r.units = rest

		return row, true, nil
	}
	u, rest, err := nextUnit(r.units)
	if err != nil {
		return nil, false, err
	}
	r.units = rest
	switch u.id {
	case unitRow:
		return u.data, true, nil
	case unitResult:
		last, err := result(u.number, rest)
		if last {
			r.more = false
		}

		return nil, false, err
	default:
		return nil, false, nil
	}
}

// Err returns the error that ended the rows early, or nil.
func (r *Rows) Err() error { return r.err }

// Close ends the answer. If there are unread rows, the server frees the statement, and the next use
// prepares it again. It returns the error of Err, or of freeing the statement.
func (r *Rows) Close() error {
	if !r.open {
		return r.err
	}
	for len(r.units) > 0 && r.err == nil {
		_, _, err := r.step()
		if err != nil {
			r.err = r.conn.failure(r.ctx, err)
		}
	}
	r.open, r.units = false, nil

	if r.freeing {
		if err := r.conn.awaitFree(r.ctx, r.statement.id); r.err == nil {
			r.err = err
		}
	} else if r.err == nil && !r.fetched && !r.more && !r.statement.keep {
		r.conn.remember(r.statement)
	}
	r.statement.release(r.more || r.err != nil)
	if r.err == nil {
		r.err = r.conn.sendFrees(r.ctx)
	}
	err := r.err
	r.conn.leave()

	return err
}

// IsNull reports whether the value is null.
func (r *Rows) IsNull(i int) bool { return len(r.row.raw(i)) == 0 }

// Bytes returns a text or binary value without a copy; none for null.
func (r *Rows) Bytes(i int) []byte { return r.row.raw(i) }

// Int64 returns a value of a short, ushort, integer, uinteger or long column, or the nanoseconds of
// a datetime; 0 for null and other types.
func (r *Rows) Int64(i int) int64 {
	if r.IsNull(i) {
		return 0
	}
	switch r.row.columns[i].Type { //nolint:exhaustive // the default handles the others
	case Short, Ushort, Integer, Uinteger, Long, Datetime:
		return r.row.int64(i)
	default:
		return 0
	}
}

// Float64 returns a value of a float or double column; 0 for null and other types.
func (r *Rows) Float64(i int) float64 {
	b := r.row.raw(i)
	if len(b) == 0 || r.row.columns[i].Type != Float && r.row.columns[i].Type != Double {
		return 0
	}

	return float(b)
}

// Time returns a value of a datetime column, in UTC; the zero time for null and other types.
func (r *Rows) Time(i int) time.Time {
	b := r.row.raw(i)
	if len(b) == 0 || r.row.columns[i].Type != Datetime {
		return time.Time{}
	}

	return datetime(b)
}

// Value returns a value that stays valid: nil, int16, uint16, int32, uint32, int64, uint64,
// float32, float64, time.Time in UTC, netip.Addr, string (varchar, char, text, clob, json) or
// []byte (binary, blob).
func (r *Rows) Value(i int) any { return r.row.value(i) }
