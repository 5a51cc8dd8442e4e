package emulator

import (
	"math/bits"
	"time"
)

// histogram counts durations in buckets that are at most 1/128 of their value wide.
type histogram struct {
	counts []uint64
	total  uint64
	sum    time.Duration
	max    time.Duration
}

// precision is the number of bits of a value, in microseconds, that tell one bucket from the next.
const precision = 8

func (h *histogram) add(d time.Duration) {
	index := bucket(uint64(d.Microseconds()))
	for len(h.counts) <= index {
		h.counts = append(h.counts, 0)
	}
	h.counts[index]++
	h.total++
	h.sum += d
	h.max = max(h.max, d)
}

// quantile returns the middle of the bucket that holds it, in milliseconds; 0 of an empty
// histogram.
func (h *histogram) quantile(q float64) float64 {
	wanted, seen := uint64(q*float64(h.total)), uint64(0)
	for index, count := range h.counts {
		if seen += count; seen > wanted {
			low, high := lower(index), lower(index+1)
			return min(float64(low+high)/2000, milliseconds(h.max))
		}
	}
	return milliseconds(h.max)
}

func (h *histogram) mean() float64 {
	if h.total == 0 {
		return 0
	}
	return milliseconds(h.sum) / float64(h.total)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// bucket: values below 2^precision have one each; above, each power of two is split into
// 2^(precision-1).
func bucket(v uint64) int {
	shift := max(bits.Len64(v)-precision, 0)
	return shift<<(precision-1) + int(v>>shift)
}

// lower is the least value of a bucket.
func lower(index int) uint64 {
	shift := max(index>>(precision-1)-1, 0)
	return uint64(index-shift<<(precision-1)) << shift
}
