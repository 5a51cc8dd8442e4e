package cmi

import (
	"bytes"
	"encoding/binary"
	"math"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"
)

// row decodes only lengths in advance, because many callers read few values.
type row struct {
	*layout

	data []byte
	ends []int // the start of the row, and the end of each value with a length
}

func (r *row) begin(l *layout) { r.layout, r.ends = l, r.ends[:0] }

// When a table is created again with other columns, the server executes prepared statements
// without an error, and only the length may show it.
func (r *row) set(data []byte) error {
	ends := r.ends[:0]
	ends = append(ends, 0)
	at := 0
	for _, i := range r.texts {
		at += r.spans[i].offset
		if len(data)-at < 4 {
			return r.misfit(data)
		}
		length := binary.BigEndian.Uint32(data[at:])
		at += 4
		if uint64(length) > uint64(len(data)-at) {
			return r.misfit(data)
		}
		at += int(length)
		ends = append(ends, at)
	}
	if len(data)-at != r.tail {
		return r.misfit(data)
	}
	r.data, r.ends = data, ends

	return nil
}

func (r *row) misfit(data []byte) error {
	r.ends = r.ends[:0]

	return protocolError("a row of %d bytes does not fit its columns: was the table created again after the statement was prepared?",
		len(data))
}

func (c *Column) isNull(b []byte) bool {
	switch c.width {
	case 8:
		return binary.BigEndian.Uint64(b) == c.null
	case 4:
		return binary.BigEndian.Uint32(b) == uint32(c.null)
	case 2:
		return binary.BigEndian.Uint16(b) == uint16(c.null)
	case 0:
		return true
	default:
		return b[0] == 0
	}
}

func (r *row) raw(i int) []byte {
	if len(r.ends) == 0 || i >= len(r.spans) {
		return nil
	}
	s, c := r.spans[i], &r.columns[i]
	from := r.ends[s.texts] + s.offset
	if c.width == variable {
		return r.data[from+4 : r.ends[s.texts+1]]
	}
	b := r.data[from : from+c.width]
	if c.isNull(b) {
		return nil
	}

	return b
}

func (r *row) int64(i int) int64 {
	b := r.raw(i)
	switch r.columns[i].Type { //nolint:exhaustive // the default handles the others
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

func float(b []byte) float64 {
	if len(b) == 4 {
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
	}

	return math.Float64frombits(binary.BigEndian.Uint64(b))
}

func datetime(b []byte) time.Time { return time.Unix(0, int64(binary.BigEndian.Uint64(b))).UTC() }

func (r *row) value(i int) any {
	b := r.raw(i)
	if len(b) == 0 {
		return nil
	}
	switch r.columns[i].Type { //nolint:exhaustive // the default handles the others
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
		return float(b)
	case Datetime:
		return datetime(b)
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

// Connections whose answers have equal columns share a read-only copy: with hundreds of
// clients in turn, separate copies would be cache misses.
type layout struct {
	columns []Column
	spans   []span
	texts   []int
	tail    int
}

// span is a distance from the end of the last value with a length.
type span struct {
	texts  int
	offset int
}

const mostLayouts = 64

var layouts atomic.Pointer[[]*layout] //nolint:gochecknoglobals // shared by the process

func layoutOf(columns []Column) *layout {
	for {
		known := layouts.Load()
		var all []*layout
		if known != nil {
			all = *known
		}
		for _, l := range all {
			if slices.Equal(l.columns, columns) {
				return l
			}
		}
		l := newLayout(columns)
		more := append(slices.Clip(all), l)
		if len(all) >= mostLayouts || layouts.CompareAndSwap(known, &more) {
			return l
		}
	}
}

func newLayout(columns []Column) *layout {
	l := &layout{columns: columns}
	for i := range columns {
		l.spans = append(l.spans, span{len(l.texts), l.tail})
		if columns[i].width == variable {
			l.texts = append(l.texts, i)
			l.tail = 0
		} else {
			l.tail += columns[i].width
		}
	}

	return l
}
