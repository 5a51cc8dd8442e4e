package measure

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// Layout in nanoseconds: each power of two from 1024 ns has 32 counters, and the range below has
// 32. So the resolution from 1 us on is 1/32 (3.1 %).
const (
	coarseBits     = 5
	coarseHalf     = 1 << coarseBits
	coarseUnit     = 5 // below 1024 ns, a counter covers 2^5 ns
	coarseCounters = 33 * coarseHalf
	coarsePageSize = coarseHalf
	coarsePages    = coarseCounters / coarsePageSize
)

// coarsePage is the unit of allocation: one octave.
type coarsePage [coarsePageSize]atomic.Uint64

// Coarse is a small histogram of durations for concurrent use. Recording is lock-free and allocates
// only new pages. The zero value is ready to use; do not copy it.
type Coarse struct {
	sum   atomic.Int64
	pages [coarsePages]atomic.Pointer[coarsePage]
}

// Record counts one duration.
func (c *Coarse) Record(d time.Duration) {
	v := max(int64(d), 0)
	c.sum.Add(v)
	c.counter(coarseIndex(v)).Add(1)
}

func (c *Coarse) counter(i int) *atomic.Uint64 {
	return &grown(&c.pages[i/coarsePageSize])[i%coarsePageSize]
}

// each calls fn for all non-zero counters in ascending order.
func (c *Coarse) each(fn func(i int, n uint64)) {
	for at := range c.pages {
		p := c.pages[at].Load()
		if p == nil {
			continue
		}
		for j := range p {
			if n := p[j].Load(); n != 0 {
				fn(at*coarsePageSize+j, n)
			}
		}
	}
}

// Count returns the number of durations.
func (c *Coarse) Count() int64 {
	var count uint64
	c.each(func(_ int, n uint64) { count += n })

	return int64(count)
}

// Sum returns the exact sum.
func (c *Coarse) Sum() time.Duration { return time.Duration(c.sum.Load()) }

// Mean returns the exact average, or 0 without durations. Read it when no goroutine writes.
func (c *Coarse) Mean() time.Duration {
	n := c.Count()
	if n == 0 {
		return 0
	}

	return time.Duration(math.Round(float64(c.Sum()) / float64(n)))
}

// Quantile returns the smallest duration that at least a share q (0 to 1) does not exceed, up to
// 3.1 % too high; 0 without durations.
func (c *Coarse) Quantile(q float64) time.Duration { return coarseQuantile(c.each, c.Count(), q) }

func coarseQuantile(each func(func(i int, n uint64)), count int64, q float64) time.Duration {
	wanted := uint64(max(math.Ceil(q*float64(count)), 1))
	var seen uint64
	var found time.Duration
	each(func(i int, n uint64) {
		if seen < wanted {
			found = coarseHighest(i)
		}
		seen += n
	})

	return found
}

// Merge adds another histogram.
func (c *Coarse) Merge(other *Coarse) {
	c.sum.Add(other.sum.Load())
	other.each(func(i int, n uint64) { c.counter(i).Add(n) })
}

// Distribution converts the histogram. The mean stays exact.
func (c *Coarse) Distribution() *Distribution {
	d := &Distribution{}
	c.each(func(i int, n uint64) {
		highest := coarseHighest(i)
		if d.Count == 0 {
			d.Min = coarseLowest(i)
		}
		*d.counter(index(int64(highest))) += n
		d.Count += int64(n)
		d.Max = highest
	})
	if d.Count > 0 {
		d.Sum = c.Sum()
	}

	return d
}

// AddDistribution adds a distribution, for example a decoded one.
func (c *Coarse) AddDistribution(d *Distribution) {
	for i, n := range d.counts {
		if n != 0 {
			lowest, highest := valueRange(i)
			c.counter(coarseIndex((lowest + highest) / 2)).Add(n)
		}
	}
	c.sum.Add(int64(d.Sum))
}

func coarseIndex(v int64) int {
	v = min(v, int64(Highest)) >> coarseUnit
	e := max(bits.Len64(uint64(v))-coarseBits-1, 0)

	return e<<coarseBits + int(v>>e)
}

func coarseLowest(i int) time.Duration {
	e := max(i>>coarseBits-1, 0)

	return time.Duration(int64(i-e<<coarseBits) << (e + coarseUnit))
}

func coarseHighest(i int) time.Duration { return coarseLowest(i+1) - 1 }
