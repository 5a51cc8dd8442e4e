package cmi

import (
	"bytes"
	"encoding/binary"
	"math"
	"net/netip"
	"time"
)

// row is a row as it came, with the place of each value.
type row struct {
	columns []Column
	data    []byte
	places  []place
}

// place is where a value stands in a row. A null has no length.
type place struct{ from, to int }

// set splits a row into its values. The server runs a prepared statement on a table that was made anew since without saying that its
// columns are others: the length of the rows is all there is to see it by.
func (r *row) set(data []byte) error {
	r.data = data
	r.places = r.places[:0]
	at := 0
	for i := range r.columns {
		width := r.columns[i].width
		if width == variable {
			if len(data)-at < 4 {
				return garbage("a row ends before column %q", r.columns[i].Name)
			}
			length := binary.BigEndian.Uint32(data[at:])
			at += 4
			if uint64(length) > uint64(len(data)-at) {
				return garbage("column %q says that it has %d bytes, and there are %d", r.columns[i].Name, length, len(data)-at)
			}
			width = int(length)
		}
		if len(data)-at < width {
			return garbage("a row ends in the middle of column %q", r.columns[i].Name)
		}
		from := at
		at += width
		if isNull(r.columns[i].Type, data[from:at]) {
			from = at
		}
		r.places = append(r.places, place{from, at})
	}
	if at < len(data) {
		return garbage("a row has %d bytes more than its columns; was the table made anew since the statement was prepared?", len(data)-at)
	}

	return nil
}

// Nulls, as they stand in a row. A text, a binary value and an expression that is always null have no bytes.
const (
	nullShort    = 0x8000
	nullUshort   = 0xffff
	nullInteger  = 0x80000000
	nullUinteger = 0xffffffff
	nullLong     = 0x8000000000000000
	nullUlong    = 0xffffffffffffffff
	nullFloat    = 0x7f7fffff         // the largest
	nullDouble   = 0x7fefffffffffffff // the largest
	nullDatetime = 0xffffffffffffffff
)

func isNull(t Type, b []byte) bool {
	switch t { //nolint:exhaustive // the others are in the default
	case Short:
		return binary.BigEndian.Uint16(b) == nullShort
	case Ushort:
		return binary.BigEndian.Uint16(b) == nullUshort
	case Integer:
		return binary.BigEndian.Uint32(b) == nullInteger
	case Uinteger:
		return binary.BigEndian.Uint32(b) == nullUinteger
	case Long:
		return binary.BigEndian.Uint64(b) == nullLong
	case Ulong:
		return binary.BigEndian.Uint64(b) == nullUlong
	case Float:
		return binary.BigEndian.Uint32(b) == nullFloat
	case Double:
		return binary.BigEndian.Uint64(b) == nullDouble
	case Datetime:
		return binary.BigEndian.Uint64(b) == nullDatetime
	case IPv4, IPv6:
		return b[0] == 0
	default:
		return len(b) == 0
	}
}

// raw are the bytes of a value; none of a null, and none before the first row.
func (r *row) raw(i int) []byte {
	if i >= len(r.places) {
		return nil
	}

	return r.data[r.places[i].from:r.places[i].to]
}

// int64 is a value of an integer type but ulong, or a datetime's nanoseconds.
func (r *row) int64(i int) int64 {
	b := r.raw(i)
	switch r.columns[i].Type { //nolint:exhaustive // the others are in the default
	case Short:
		return int64(int16(binary.BigEndian.Uint16(b)))
	case Ushort:
		return int64(binary.BigEndian.Uint16(b))
	case Integer:
		return int64(int32(binary.BigEndian.Uint32(b)))
	case Uinteger:
		return int64(binary.BigEndian.Uint32(b))
	default:
		return int64(binary.BigEndian.Uint64(b))
	}
}

func (r *row) float64(i int) float64 {
	b := r.raw(i)
	if len(b) == 4 {
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
	}

	return math.Float64frombits(binary.BigEndian.Uint64(b))
}

// value is a value that stays valid.
func (r *row) value(i int) any {
	b := r.raw(i)
	if len(b) == 0 {
		return nil
	}
	switch r.columns[i].Type { //nolint:exhaustive // the others are in the default
	case Short:
		return int16(r.int64(i))
	case Ushort:
		return uint16(r.int64(i))
	case Integer:
		return int32(r.int64(i))
	case Uinteger:
		return uint32(r.int64(i))
	case Long:
		return r.int64(i)
	case Ulong:
		return binary.BigEndian.Uint64(b)
	case Float:
		return math.Float32frombits(binary.BigEndian.Uint32(b))
	case Double:
		return r.float64(i)
	case Datetime:
		return time.Unix(0, r.int64(i)).UTC()
	case IPv4:
		return netip.AddrFrom4([4]byte(b[1:]))
	case IPv6:
		return netip.AddrFrom16([16]byte(b[1:]))
	case Varchar, Char, Text, Clob, JSON:
		return string(b)
	default:
		return bytes.Clone(b)
	}
}
