package cmi

import (
	"slices"
	"sync/atomic"
)

// layout says where the values of an answer's rows stand. It never changes, so that connections
// whose answers have the same columns share it: of hundreds of clients in turn, each would else
// find its own outside of the processor's caches.
type layout struct {
	columns []Column
	spans   []span // where each column's values stand
	texts   []int  // the columns whose values bring their length
	tail    int    // bytes behind the last of those
}

// span is where the values of a column stand: so many bytes behind the end of the last value before
// that brings its length.
type span struct {
	texts  int // of those before
	offset int
}

// mostLayouts bounds how many are shared. A connection has those that come later to itself.
const mostLayouts = 64

// layouts are those that are shared.
var layouts atomic.Pointer[[]*layout] //nolint:gochecknoglobals // a process needs each of them once

// layoutOf is the layout of rows with these columns, which must not change any more.
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
