package cmi

import (
	"slices"
	"sync/atomic"
)

// layout describes where the values of an answer's rows are. Connections whose answers have equal
// columns share a read-only copy: with hundreds of clients in turn, separate copies would be cache
// misses.
type layout struct {
	columns []Column
	spans   []span // the position of each column
	texts   []int  // the columns whose values have a length
	tail    int    // bytes after the last of them
}

// span is the position of a column: a distance from the end of the last value before it that has a
// length.
type span struct {
	texts  int // number of such values before it
	offset int
}

// mostLayouts limits the shared layouts. Connections keep further ones for themselves.
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
