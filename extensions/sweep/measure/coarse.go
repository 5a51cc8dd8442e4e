package measure

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// The layout of a coarse histogram, in nanoseconds: every power of two from 1024 ns up is cut into
// 32 counters, and what is below that into 32 as well. A value of 1 us or more is thus known to
// 1/32 (3.1 %).
const (
	coarseBits     = 5
	coarseHalf     = 1 << coarseBits
	coarseUnit     = 5 // below 1024 ns a counter is 2^5 ns wide
	coarseCounters = 33 * coarseHalf
	coarsePageSize = coarseHalf
	coarsePages    = coarseCounters / coarsePageSize
)

// coarsePage is the unit of growth: an octave.
type coarsePage [coarsePageSize]atomic.Uint64

// Coarse is a histogram of durations that any number of goroutines may write to and read from at
// the same time. It is coarse and small, so that there can be hundreds of them. Recording takes no
// lock and, once a page exists, allocates nothing. The zero value is ready to use; it must not be
// copied.
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

// counter is counter i; its page is there from now on.
func (c *Coarse) counter(i int) *atomic.Uint64 {
	return &grown(&c.pages[i/coarsePageSize])[i%coarsePageSize]
}

// each calls fn for all counters that are not zero, in the order of their durations.
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

// Count is how many durations were recorded.
func (c *Coarse) Count() int64 {
	var count uint64
	c.each(func(_ int, n uint64) { count += n })

	return int64(count)
}

// Sum is the sum of all durations, exact.
func (c *Coarse) Sum() time.Duration { return time.Duration(c.sum.Load()) }

// Mean is the average duration, exact once nobody writes any more; zero when nothing was recorded.
func (c *Coarse) Mean() time.Duration {
	n := c.Count()
	if n == 0 {
		return 0
	}

	return time.Duration(math.Round(float64(c.Sum()) / float64(n)))
}

// Quantile is the smallest duration that at least the part q (0 to 1) of all durations did not
// exceed, at most 3.1 % above the exact one; zero when nothing was recorded.
func (c *Coarse) Quantile(q float64) time.Duration { return coarseQuantile(c.each, c.Count(), q) }

// coarseQuantile reads a quantile from the counters that each goes through.
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

// Merge adds another histogram's durations to this one's.
func (c *Coarse) Merge(other *Coarse) {
	c.sum.Add(other.sum.Load())
	other.each(func(i int, n uint64) { c.counter(i).Add(n) })
}

// Distribution is a reading as fine as the counters are, with an exact mean. Encode writes it as
// every HdrHistogram library reads it.
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

// AddDistribution adds all that a distribution counts, such as one that Decode has read.
func (c *Coarse) AddDistribution(d *Distribution) {
	for i, n := range d.counts {
		if n != 0 {
			lowest, highest := valueRange(i)
			c.counter(coarseIndex((lowest + highest) / 2)).Add(n)
		}
	}
	c.sum.Add(int64(d.Sum))
}

// coarseIndex is the place of the counter for v nanoseconds.
func coarseIndex(v int64) int {
	v = min(v, int64(Highest)) >> coarseUnit
	e := max(bits.Len64(uint64(v))-coarseBits-1, 0)

	return e<<coarseBits + int(v>>e)
}

// coarseLowest is the shortest duration that counter i counts.
func coarseLowest(i int) time.Duration {
	e := max(i>>coarseBits-1, 0)

	return time.Duration(int64(i-e<<coarseBits) << (e + coarseUnit))
}

// coarseHighest is the longest duration that counter i counts.
func coarseHighest(i int) time.Duration { return coarseLowest(i+1) - 1 }
