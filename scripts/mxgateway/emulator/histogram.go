package emulator

import (
	"math/bits"
	"time"
)

// histogram counts durations in buckets with a width of at most 1/128 of their value.
type histogram struct {
	counts []uint64
	total  uint64
	sum    time.Duration
	max    time.Duration
}

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

// bucket returns the index of a value: one bucket for each value below 2^precision, then
// 2^(precision-1) buckets for each power of two.
func bucket(v uint64) int {
	shift := max(bits.Len64(v)-precision, 0)
	return shift<<(precision-1) + int(v>>shift)
}

func lower(index int) uint64 {
	shift := max(index>>(precision-1)-1, 0)
	return uint64(index-shift<<(precision-1)) << shift
}
