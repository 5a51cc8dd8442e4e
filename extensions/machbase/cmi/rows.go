package cmi

import (
	"context"
	"encoding/binary"
	"strings"
	"time"
)

// Rows is the answer to a query, read from front to back. A connection has one answer at a time,
// and no other call until it is closed; what Bytes returns is valid until Next or Close. After
// Close it must not be used any more: the next answer may take its place.
type Rows struct {
	row row

	conn      *Conn
	ctx       context.Context //nolint:containedctx // rows are fetched as they are read, within the query's context
	statement *Stmt
	units     []byte // of the answer at hand, that were not read yet
	more      bool   // the server has rows that were not fetched yet
	fetched   bool   // some of them were
	freeing   bool   // the server was told to free the statement, and what it says of that was not read yet
	open      bool
	changed   int64
	err       error
}

// Columns describes the columns of the answer. It stays valid.
func (r *Rows) Columns() []Column { return r.row.columns }

// Index is the place of the column with this name, upper or lower case, or -1.
func (r *Rows) Index(name string) int {
	for i := range r.row.columns {
		if strings.EqualFold(r.row.columns[i].Name, name) {
			return i
		}
	}

	return -1
}

// Next goes to the next row, and fetches more when it needs to. False after the last row, and after
// an error, which Err tells apart.
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

// step reads one unit, and tells whether it is a row.
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

// Err is what ended the rows early, or nil.
func (r *Rows) Err() error { return r.err }

// Close ends the answer. When rows were not read, the server frees the statement, and a statement
// that is to be used again is prepared anew then. It returns what Err does, or what went wrong with
// that.
func (r *Rows) Close() error {
	if !r.open {
		return r.err
	}
	for len(r.units) > 0 && r.err == nil { // whether these are the last ones stands behind them
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
	err := r.err // another call may begin right after this one has left
	r.conn.leave()

	return err
}

// IsNull tells whether the value is null.
func (r *Rows) IsNull(i int) bool { return len(r.row.raw(i)) == 0 }

// Bytes are those of a text or binary value, not a copy; none of a null.
func (r *Rows) Bytes(i int) []byte { return r.row.raw(i) }

// Int64 is a value of a short, ushort, integer, uinteger or long column, or the nanoseconds of a
// datetime; 0 of a null, and of other types.
func (r *Rows) Int64(i int) int64 {
	if r.IsNull(i) {
		return 0
	}
	switch r.row.columns[i].Type { //nolint:exhaustive // the others are in the default
	case Short, Ushort, Integer, Uinteger, Long, Datetime:
		return r.row.int64(i)
	default:
		return 0
	}
}

// Uint64 is a value of a ulong column; 0 of a null, and of other types.
func (r *Rows) Uint64(i int) uint64 {
	if r.IsNull(i) || r.row.columns[i].Type != Ulong {
		return 0
	}

	return binary.BigEndian.Uint64(r.row.raw(i))
}

// Float64 is a value of a float or double column; 0 of a null, and of other types.
func (r *Rows) Float64(i int) float64 {
	b := r.row.raw(i)
	if len(b) == 0 || r.row.columns[i].Type != Float && r.row.columns[i].Type != Double {
		return 0
	}

	return float(b)
}

// Time is a value of a datetime column, in UTC; the zero time of a null, and of other types.
func (r *Rows) Time(i int) time.Time {
	b := r.row.raw(i)
	if len(b) == 0 || r.row.columns[i].Type != Datetime {
		return time.Time{}
	}

	return datetime(b)
}

// Value is a value that stays valid: nil, int16, uint16, int32, uint32, int64, uint64, float32,
// float64, time.Time in UTC, netip.Addr, string (of varchar, char, text, clob and json) or []byte
// (of binary and blob).
func (r *Rows) Value(i int) any { return r.row.value(i) }
