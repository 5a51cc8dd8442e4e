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
	halfBits  = 10
	half      = 1 << halfBits
	pageSize  = 128
	pageCount = (counters + pageSize - 1) / pageSize
	counters  = 32*half + half
)

// Highest is the longest duration that a histogram tells apart. Longer ones are counted as this
// long; the maximum and the mean stay exact.
const Highest = time.Hour

// page is the unit of growth: most clients see latencies of a few octaves only, so that a client's
// histogram stays small (512 bytes a page) although it could hold 1 ns to 1 h. What a counter has
// no room for is in the histogram's list of overflows.
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
	pages                [pageCount]atomic.Pointer[page]
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
	p := h.pages[i/pageSize].Load()
	if p == nil {
		p = new(page)
		h.pages[i/pageSize].Store(p)
	}
	if c := &p[i%pageSize]; c.Load() != math.MaxUint32 {
		c.Store(c.Load() + 1)
	} else {
		h.overflow(i)
	}

	// Last, so that a reader never sees a count that is not in the pages yet.
	h.count.Store(n + 1)
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
