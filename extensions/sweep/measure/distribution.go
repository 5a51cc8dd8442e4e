package measure

import (
	"math"
	"time"
)

// Distribution is a reading of one or more histograms: plain numbers that no client writes to any
// more. The zero value is an empty one, ready to use. It is not safe for use by several goroutines
// at once.
type Distribution struct {
	Count    int64
	Sum      time.Duration
	Min, Max time.Duration // exact; zero when Count is zero

	// counts are as long as the highest octave needs that was counted: all of them take 264 KB.
	counts []uint64
}

// counter returns the counter at i.
func (d *Distribution) counter(i int) *uint64 {
	if i >= len(d.counts) {
		longer := make([]uint64, (i/half+1)*half)
		copy(longer, d.counts)
		d.counts = longer
	}

	return &d.counts[i]
}

// add merges what h holds now.
func (d *Distribution) add(h *histogram) {
	if d.addFigures(&h.figures) > 0 {
		d.addBuckets(&h.buckets)
	}
}

// addFigures merges what is exact of durations whose buckets come after it, and returns their
// number. A client that goes on recording meanwhile may be seen up to its last operation but one.
func (d *Distribution) addFigures(f *figures) int64 {
	n := f.number.Load()
	if n == 0 {
		return 0
	}
	if shortest := time.Duration(f.min.Load()); d.counts == nil || shortest < d.Min {
		d.Min = shortest
	}
	longest := f.max.Load()
	d.counter(index(longest))
	d.Max = max(d.Max, time.Duration(longest))
	d.Sum += time.Duration(f.sum.Load())

	return n
}

// addBuckets merges the buckets of durations whose figures were there before.
func (d *Distribution) addBuckets(b *buckets) {
	b.pages(func(first int, p *page) {
		for i := range p {
			if n := p[i].Load(); n != 0 {
				*d.counter(first + i) += n
				d.Count += int64(n)
			}
		}
	})
}

// Record adds one value.
func (d *Distribution) Record(v time.Duration) {
	v = max(v, 0)
	if d.Count == 0 || v < d.Min {
		d.Min = v
	}
	d.Max = max(d.Max, v)
	d.Sum += v
	d.Count++
	*d.counter(index(int64(v)))++
}

// Merge adds another reading's operations to this one's.
func (d *Distribution) Merge(other *Distribution) {
	if other.Count == 0 {
		return
	}
	d.counter(len(other.counts) - 1)
	if d.Count == 0 || other.Min < d.Min {
		d.Min = other.Min
	}
	d.Max = max(d.Max, other.Max)
	d.Sum += other.Sum
	d.Count += other.Count
	for i, c := range other.counts {
		d.counts[i] += c
	}
}

// Since returns what was recorded between an earlier reading of the same histograms and this one.
// Its Min and Max are as fine as the counters are, not exact.
func (d *Distribution) Since(earlier *Distribution) *Distribution {
	diff := &Distribution{Count: d.Count - earlier.Count, Sum: d.Sum - earlier.Sum}
	if diff.Count == 0 {
		return diff
	}
	first := true
	for i, c := range d.counts {
		if i < len(earlier.counts) {
			c -= earlier.counts[i]
		}
		if c == 0 {
			continue
		}
		*diff.counter(i) = c
		lowest, highest := valueRange(i)
		if first {
			diff.Min, first = time.Duration(lowest), false
		}
		diff.Max = min(time.Duration(highest), d.Max)
	}

	return diff
}

// Mean is the average duration, exact; zero when nothing was recorded.
func (d *Distribution) Mean() time.Duration {
	if d.Count == 0 {
		return 0
	}

	return time.Duration(math.Round(float64(d.Sum) / float64(d.Count)))
}

// Above is how many operations took longer than a duration, as far as the counters tell: not those
// that are counted with it.
func (d *Distribution) Above(limit time.Duration) int64 {
	var n uint64
	if from := index(int64(max(limit, 0))) + 1; from < len(d.counts) {
		for _, c := range d.counts[from:] {
			n += c
		}
	}

	return int64(n)
}

// SumFrom is the sum of the durations from one on, as far as the counters tell.
func (d *Distribution) SumFrom(least time.Duration) (sum time.Duration) {
	from := index(int64(max(least, 0)))
	if from >= len(d.counts) {
		return 0
	}
	for i, c := range d.counts[from:] {
		lowest, _ := valueRange(from + i)
		sum += time.Duration(int64(c) * lowest)
	}

	return sum
}

// Quantile is the smallest duration that at least the part q (0 to 1) of all operations did not
// exceed, at most 0.098 % above the exact one; zero when nothing was recorded.
func (d *Distribution) Quantile(q float64) time.Duration {
	if d.Count == 0 {
		return 0
	}

	wanted := uint64(max(math.Ceil(q*float64(d.Count)), 1))
	var seen uint64
	for i, c := range d.counts {
		if seen += c; c != 0 && seen >= wanted {
			_, highest := valueRange(i)

			return min(max(time.Duration(highest), d.Min), d.Max)
		}
	}

	return d.Max
}
