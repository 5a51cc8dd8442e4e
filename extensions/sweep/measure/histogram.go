package measure

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Layout of an HDR histogram with 3 significant digits in nanoseconds: one counter per value below
// 2048 ns, and 1024 counters per power of two above. So the resolution is 1/1024 (0.098 %). Source:
// http://hdrhistogram.org, "HdrHistogram: A High Dynamic Range Histogram".
const (
	halfBits = 10
	half     = 1 << halfBits
	octaves  = 33
	counters = octaves * half
	pageSize = 16
)

// Highest is the longest duration that a histogram distinguishes. Longer ones count as Highest;
// maximum and mean stay exact.
const Highest = time.Hour

// page is the unit of allocation; most octaves are only partly used.
type page [pageSize]atomic.Uint64

type octavePages [half / pageSize]atomic.Pointer[page]

// buckets count durations, lock-free and for concurrent use. They allocate only new pages.
type buckets struct {
	octaves [octaves]atomic.Pointer[octavePages]
}

// count counts a non-negative duration in nanoseconds.
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

// grown returns *at, and allocates it if needed. count checks for nil first, because Go does not
// inline grown.
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

// pages calls do with each page and the index of its first counter.
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

// figures are exact sums of durations in nanoseconds, written by one goroutine and read by any.
type figures struct {
	number, sum, min, max atomic.Int64
}

// note adds a non-negative duration. Call it after counting it in the buckets, so that readers
// never see more durations than counts.
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

func (h *histogram) record(d time.Duration) { h.buckets.record(d, &h.figures) }

func index(v int64) int {
	v = min(v, int64(Highest))
	e := max(bits.Len64(uint64(v))-halfBits-1, 0)

	return e<<halfBits + int(v>>e)
}

// valueRange returns the lowest and highest value of counter i in nanoseconds.
func valueRange(i int) (lowest, highest int64) {
	e := max(i>>halfBits-1, 0)
	lowest = int64(i-e<<halfBits) << e

	return lowest, lowest + 1<<e - 1
}
