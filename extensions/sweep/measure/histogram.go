package measure

import (
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

// page is the unit of growth: a client that did a hundred operations has few of those of an octave,
// so that its histogram stays small although it could hold 1 ns to 1 h. Most counters of a client
// among hundreds stay below a dozen: each has a byte, and what it has no room for is in many.
type page struct {
	few  [pageSize / fewOfWord]atomic.Uint32
	many atomic.Pointer[[pageSize]atomic.Uint64]
}

// A word has four counters, of up to mostOfFew.
const fewOfWord, fewBits, mostOfFew = 4, 8, 1<<fewBits - 1

// count adds one to counter i.
func (p *page) count(i int) {
	word, shift := &p.few[i/fewOfWord], i%fewOfWord*fewBits
	if few := word.Load(); few>>shift&mostOfFew < mostOfFew {
		word.Store(few + 1<<shift)

		return
	}
	many := p.many.Load()
	if many == nil {
		many = new([pageSize]atomic.Uint64)
		p.many.Store(many)
	}
	many[i].Store(many[i].Load() + 1)
}

// addTo adds the counters to counts, and returns what they come to together.
func (p *page) addTo(counts *[pageSize]uint64) (all uint64) {
	for i := range p.few {
		few := p.few[i].Load()
		if few == 0 {
			continue
		}
		for j := range fewOfWord {
			n := uint64(few >> (j * fewBits) & mostOfFew)
			counts[i*fewOfWord+j] += n
			all += n
		}
	}
	if many := p.many.Load(); many != nil {
		for i := range many {
			n := many[i].Load()
			counts[i] += n
			all += n
		}
	}

	return all
}

// histogram counts durations. One goroutine writes, any number may read at the same time: the
// writer needs no lock and, once a page has what it needs, allocates nothing.
type histogram struct {
	count, sum, min, max atomic.Int64
	octaves              [octaves]atomic.Pointer[octavePages]
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
	h.page(i).count(i % pageSize)

	// Last, so that a reader never sees a count that is not in the pages yet.
	h.count.Store(n + 1)
}

// page is the one of counter i, for the writer.
func (h *histogram) page(i int) *page {
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

	return p
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
