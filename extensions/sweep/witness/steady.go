package witness

import (
	"math"
	"slices"
)

const (
	// driftBlocks is into how many blocks of time a step is divided, and leastBlocks how many slots
	// it has to have for that.
	driftBlocks = 24
	// driftPart is by how much of itself a rate changes that is not steady, and driftChance how
	// unlikely that is by chance.
	driftPart   = 0.2
	driftChance = 0.02
	// leastInBlock is how many operations a block has to have, on average.
	leastInBlock = 10
	// leastExpected is how many operations would have ended in a standstill.
	leastExpected = 5
)

// Drift tells by how much the rate of a step changed for good, as a part of the higher level, and
// how likely that is by chance. counts are the operations that ended in each slot of the step; of
// few slots or operations nothing can be told.
//
// The step is divided into 24 blocks. The change is the greater one of two: that between the
// medians of the first and of the last third, and that between the medians of what lies before and
// after the likeliest change point. The chance is that of Pettitt's test, which asks nothing of the
// distribution (A. N. Pettitt, A Non-Parametric Approach to the Change-Point Problem, Applied
// Statistics 28, 1979): K is the greatest sum of signs between the blocks before a point and those
// after it, and 2 exp(-6 K^2 / (n^3 + n^2)) its chance. It sees a drift as well, and no
// change in the first or the last quarter of the step.
//
// Medians let a burst, a pause of the collector or a checkpoint pass: these come and go.
func Drift(counts []float64) (part, chance float64, known bool) {
	rates := blocks(counts)
	if rates == nil {
		return 0, 1, false
	}
	n := len(rates)
	third := n / 3
	part = change(rates[:third], rates[n-third:])
	most, at := -1, 0
	for point := 1; point < n; point++ {
		sum := 0
		for _, before := range rates[:point] {
			for _, after := range rates[point:] {
				switch {
				case after > before:
					sum++
				case after < before:
					sum--
				}
			}
		}
		if sum = max(sum, -sum); sum > most {
			most, at = sum, point
		}
	}
	part = max(part, change(rates[:at], rates[at:]))
	k, size := float64(most), float64(n)

	return part, min(1, 2*math.Exp(-6*k*k/(size*size*size+size*size))), true
}

// blocks are the counts of as many blocks of equal length; nil where there is too little.
func blocks(counts []float64) []float64 {
	if len(counts) < driftBlocks {
		return nil
	}
	rates := make([]float64, driftBlocks)
	all := 0.0
	width := float64(len(counts)) / driftBlocks
	for i, n := range counts {
		all += n
		// A slot that lies in two blocks is divided between them.
		for from, end := float64(i), float64(i+1); from < end; {
			block := min(int(from/width+1e-9), driftBlocks-1)
			until := end
			if block < driftBlocks-1 {
				until = min(end, float64(block+1)*width)
			}
			rates[block] += n * (until - from)
			from = until
		}
	}
	if all < leastInBlock*driftBlocks {
		return nil
	}

	return rates
}

// change is by how much the median of some values differs from that of others, as a part of the
// higher one.
func change(a, b []float64) float64 {
	x, y := median(a), median(b)
	if most := max(x, y); most > 0 {
		return math.Abs(x-y) / most
	}

	return 0
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}

	return (sorted[middle-1] + sorted[middle]) / 2
}

// Standstill is for how many slots no operation ended, and the longest such time: of all times in
// which at least five operations would have ended.
func Standstill(counts []float64) (all, longest int) {
	var still []int // the times in which nothing ended
	operations, working := 0.0, 0
	for i, n := range counts {
		operations += n
		switch {
		case n > 0:
			working++
		case i > 0 && counts[i-1] == 0:
			still[len(still)-1]++
		default:
			still = append(still, 1)
		}
	}
	for _, slots := range still {
		if operations/float64(max(working, 1))*float64(slots) >= leastExpected {
			all += slots
			longest = max(longest, slots)
		}
	}

	return all, longest
}
