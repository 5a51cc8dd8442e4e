package cmi

import (
	"slices"
	"sync/atomic"
)

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
