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

// page is the unit of growth: of most octaves, durations are in a part.
type page [pageSize]atomic.Uint64

// octavePages are those of a power of two; most steps see latencies of a few octaves only.
type octavePages [half / pageSize]atomic.Pointer[page]

// buckets count durations by how long they were. Any number of goroutines may write and read at the
// same time, without a lock. Once a page has what they need, nothing is allocated.
type buckets struct {
	octaves [octaves]atomic.Pointer[octavePages]
}

// count counts a duration in nanoseconds, which is not negative.
func (b *buckets) count(v int64) {
	i := index(v)
	octave := b.octaves[i/half].Load()
	if octave == nil {
		octave = grow(&b.octaves[i/half])
	}
	at := octave[i%half/pageSize].Load()
	if at == nil {
		at = grow(&octave[i%half/pageSize])
	}
	at[i%pageSize].Add(1)
}

// grown is what is there by now. What makes it is apart, for count, which each operation calls: it
// looks by itself, as Go does not inline grown.
func grown[T any](at *atomic.Pointer[T]) *T {
	if p := at.Load(); p != nil {
		return p
	}

	return grow(at)
}

func grow[T any](at *atomic.Pointer[T]) *T {
	at.CompareAndSwap(nil, new(T))

	return at.Load()
}

// pages calls do with each page there is, and the number of its first counter.
func (b *buckets) pages(do func(first int, p *page)) {
	for i := range b.octaves {
		o := b.octaves[i].Load()
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

// figures are the exact figures of durations in nanoseconds. One goroutine writes them, any number
// may read them at the same time.
type figures struct {
	number, sum, min, max atomic.Int64
}

// note adds a duration, which is not negative. It comes after the buckets have it, so that a reader
// never sees a number that is not in them yet.
func (f *figures) note(v int64) {
	number := f.number.Load()
	if number == 0 || v < f.min.Load() {
		f.min.Store(v)
	}
	if v > f.max.Load() {
		f.max.Store(v)
	}
	f.sum.Store(f.sum.Load() + v)
	f.number.Store(number + 1)
}

// record counts one duration, and adds it to its exact figures.
func (b *buckets) record(d time.Duration, exact *figures) {
	v := max(int64(d), 0)
	b.count(v)
	exact.note(v)
}

// histogram has buckets and exact figures of one writer.
type histogram struct {
	figures
	buckets
}

// record counts one duration.
func (h *histogram) record(d time.Duration) { h.buckets.record(d, &h.figures) }

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
