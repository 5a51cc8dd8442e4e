package measure

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// The layout is that of an HDR histogram with 3 significant digits, in nanoseconds: values below
// 2048 ns have a counter each, every following power of two is cut into 1024 counters. A value is
// thus known to 1/1024 (0.098 %).
// Source: http://hdrhistogram.org, "HdrHistogram: A High Dynamic Range Histogram".
const (
	halfBits = 10
	half     = 1 << halfBits
	octaves  = 33
	counters = octaves * half
	pageSize = 16
)

// Highest is the longest duration that a histogram tells apart. Longer ones are counted as this
// long; the maximum and the mean stay exact.
const Highest = time.Hour

// octavePages are those of a power of two; most clients see latencies of a few octaves only.
type octavePages [half / pageSize]atomic.Pointer[page]

// page is the unit of growth, one line of a processor's cache: a client that did a hundred
// operations has few of those of an octave, so that its histogram stays small although it could
// hold 1 ns to 1 h. What a counter has no room for is in the histogram's list of overflows.
type page [pageSize]atomic.Uint32

// overflow is what a counter of a page has no room for.
type overflow struct {
	counter int
	count   atomic.Uint64
	next    *overflow
}

// histogram counts durations. One goroutine writes, any number may read at the same time: the
// writer needs no lock and, once a page exists, allocates nothing.
type histogram struct {
	count, sum, min, max atomic.Int64
	octaves              [octaves]atomic.Pointer[octavePages]
	// overflows are of counters that are full, after 4.3 thousand million durations each.
	overflows atomic.Pointer[overflow]
}

// record counts one duration.
func (h *histogram) record(d time.Duration) {
	v := max(int64(d), 0)

	n := h.count.Load()
	if n == 0 || v < h.min.Load() {
		h.min.Store(v)
	}
	if v > h.max.Load() {
		h.max.Store(v)
	}
	h.sum.Store(h.sum.Load() + v)

	i := index(v)
	if c := h.counter(i); c.Load() != math.MaxUint32 {
		c.Store(c.Load() + 1)
	} else {
		h.overflow(i)
	}

	// Last, so that a reader never sees a count that is not in the pages yet.
	h.count.Store(n + 1)
}

// counter is counter i, for the writer.
func (h *histogram) counter(i int) *atomic.Uint32 {
	o := h.octaves[i/half].Load()
	if o == nil {
		o = new(octavePages)
		h.octaves[i/half].Store(o)
	}
	p := o[i%half/pageSize].Load()
	if p == nil {
		p = new(page)
		o[i%half/pageSize].Store(p)
	}

	return &p[i%pageSize]
}

// pages calls do with each page there is, and the number of its first counter.
func (h *histogram) pages(do func(first int, p *page)) {
	for i := range h.octaves {
		o := h.octaves[i].Load()
		if o == nil {
			continue
		}
		for j := range o {
			if p := o[j].Load(); p != nil {
				do(i*half+j*pageSize, p)
			}
		}
	}
}

// overflow counts a duration of counter i, which is full.
func (h *histogram) overflow(i int) {
	first := h.overflows.Load()
	for o := first; o != nil; o = o.next {
		if o.counter == i {
			o.count.Store(o.count.Load() + 1)

			return
		}
	}
	o := &overflow{counter: i, next: first}
	o.count.Store(1)
	h.overflows.Store(o)
}

// index is the place of the counter for v nanoseconds.
func index(v int64) int {
	v = min(v, int64(Highest))
	e := max(bits.Len64(uint64(v))-halfBits-1, 0)

	return e<<halfBits + int(v>>e)
}

// valueRange is the lowest and the highest number of nanoseconds that counter i counts.
func valueRange(i int) (lowest, highest int64) {
	e := max(i>>halfBits-1, 0)
	lowest = int64(i-e<<halfBits) << e

	return lowest, lowest + 1<<e - 1
}
