package measure

import (
	"math"
	"slices"
	"time"
)

// Distribution is a snapshot of one or more histograms. The zero value is empty and ready to use.
// It is not safe for concurrent use.
type Distribution struct {
	Count    int64
	Sum      time.Duration
	Min, Max time.Duration // exact; 0 if Count is 0

	// counts has counters up to the highest octave used; all of them take 264 KB.
	counts []uint64
}

func (d *Distribution) counter(i int) *uint64 {
	if i >= len(d.counts) {
		longer := make([]uint64, (i/half+1)*half)
		copy(longer, d.counts)
		d.counts = longer
	}

	return &d.counts[i]
}

func (d *Distribution) add(h *histogram) {
	if d.addFigures(&h.figures) > 0 {
		d.addBuckets(&h.buckets)
	}
}

// addFigures merges the exact figures and returns their number. It precedes addBuckets, so a
// concurrent recording may miss its last operation.
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

// Record adds one duration.
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

// Merge adds another distribution.
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

// Since returns what was recorded after an earlier snapshot. Min and Max have the counters'
// resolution.
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

// Mean returns the exact average; 0 without durations.
func (d *Distribution) Mean() time.Duration {
	if d.Count == 0 {
		return 0
	}

	return time.Duration(math.Round(float64(d.Sum) / float64(d.Count)))
}

// Above returns the number of durations in counters above the counter of limit.
func (d *Distribution) Above(limit time.Duration) int64 {
	var n uint64
	if from := index(int64(max(limit, 0))) + 1; from < len(d.counts) {
		for _, c := range d.counts[from:] {
			n += c
		}
	}

	return int64(n)
}

// SumFrom returns the approximate sum of the durations from least on.
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

// Quantile returns the smallest duration that at least a share q (0 to 1) does not exceed, up to
// 0.098 % too high; 0 without durations.
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

// QuantileWithout returns the least that the quantile q can be after subtracting excess from the
// durations, in the way that lowers the quantile most: from the longest of its share q.
func (d *Distribution) QuantileWithout(q float64, excess time.Duration) time.Duration {
	left := uint64(max(math.Ceil(q*float64(d.Count)), 1)) // operations to lower
	shorter := make([]uint64, 0, len(d.counts))           // their counters
	for _, c := range d.counts {
		c = min(c, left)
		shorter = append(shorter, c)
		left -= c
	}
	var number, sum float64 // operations that are lowered to one level, and their sum
	for i, c := range slices.Backward(shorter) {
		lowest, _ := valueRange(i)
		if number > 0 && sum-number*float64(lowest) > float64(excess) {
			break
		}
		number, sum = number+float64(c), sum+float64(c)*float64(lowest)
	}
	if number == 0 {
		return 0
	}

	return time.Duration(max(sum-float64(excess), 0) / number)
}
