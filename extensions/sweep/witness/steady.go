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
	// driftErrors is how many standard errors such a change is.
	driftErrors = 4.5
	// leastInBlock is how many operations a block has to have, on average.
	leastInBlock = 10
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
// after it, and 2 exp(-6 K^2 / (n^3 + n^2)) its chance. It sees a drift as well, and hardly a
// change in the first or the last quarter of the step.
//
// The test asks for blocks that know nothing of each other. Those of a rate that wanders, such as
// when the scheduler now and then puts a server's thread beside k6's, do. So errors tells how many
// standard errors the change is: that of a step or of a straight line, whichever explains more, by
// what remains; of n blocks whose remains correlate by r with the next one's, n (1 - r) / (1 + r)
// tell something (F. Serinaldi, C. G. Kilsby, The importance of prewhitening in change point
// analysis under persistence, Stochastic Environmental Research and Risk Assessment 30, 2016). With
// r = 0.7, 29 % of steady steps have a chance of less than 0.02, and 8 % have 4.5 errors as well.
//
// Medians let a burst, a pause of the collector or a checkpoint pass: these come and go.
func Drift(counts []float64) (part, chance, errors float64, known bool) {
	rates := blocks(counts)
	if rates == nil {
		return 0, 1, 0, false
	}
	n := len(rates)
	third := n / 3
	part = change(rates[:third], rates[n-third:])
	most, at := -1, 1
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

	return part, min(1, 2*math.Exp(-6*k*k/(size*size*size+size*size))), standardErrors(rates), true
}

// standardErrors is how many of them the change is: the likeliest step or a straight line.
// Pettitt's own change point is often one block beside it, where it explains little.
func standardErrors(rates []float64) float64 {
	all, rest := around(mean(rates), 0, rates), line(rates)
	for at := 1; at < len(rates); at++ {
		step := slices.Concat(around(mean(rates[:at]), 0, rates[:at]), around(mean(rates[at:]), 0, rates[at:]))
		if products(step, 0) < products(rest, 0) {
			rest = step
		}
	}
	left := max(products(rest, 0), mean(rates)) // counts tremble a little, even if these do not
	r := max(0, products(rest, 1)/left)
	explained := max(0, products(all, 0)-products(rest, 0))

	return math.Sqrt(float64(len(rates)-2) * explained / left * (1 - r) / (1 + r))
}

// line is what remains of some values without the straight line through them.
func line(values []float64) []float64 {
	middle := float64(len(values)-1) / 2
	slope, squares := 0.0, 0.0
	for i, value := range values {
		x := float64(i) - middle
		slope += x * value
		squares += x * x
	}
	slope /= squares

	return around(mean(values)-slope*middle, slope, values)
}

// around is by how much some values lie above a line that rises by slope from each to the next.
func around(base, slope float64, values []float64) []float64 {
	above := make([]float64, len(values))
	for i, value := range values {
		above[i] = value - base - slope*float64(i)
	}

	return above
}

// products is the sum of the products of each value and the one that comes so many later.
func products(values []float64, later int) (sum float64) {
	for i := range len(values) - later {
		sum += values[i] * values[i+later]
	}

	return sum
}

func mean(values []float64) (mean float64) {
	for _, value := range values {
		mean += value / float64(len(values))
	}

	return mean
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
