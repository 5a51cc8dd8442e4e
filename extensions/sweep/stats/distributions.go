package stats

import (
	"math"

	moremath "github.com/aclements/go-moremath/stats"
)

// StudentBeyond returns the probability that Student's t distribution is above t or below -t.
func StudentBeyond(t, freedom float64) float64 {
	if math.IsInf(t, 0) {
		return 0
	}

	return min(1, 2*(1-moremath.TDist{V: freedom}.CDF(math.Abs(t))))
}

// StudentQuantile returns the t that Student's distribution exceeds with the probability upper,
// below one half.
func StudentQuantile(upper, freedom float64) float64 {
	return Root(func(t float64) float64 { return StudentBeyond(t, freedom)/2 - upper })
}

// Root returns the zero of a falling function of a positive number.
func Root(falling func(float64) float64) float64 {
	low, high := 0.0, 1.0
	for falling(high) > 0 && high < math.MaxFloat64/4 {
		low, high = high, 2*high
	}
	for range 200 {
		middle := low + (high-low)/2
		if middle == low || middle == high {
			break
		}
		if falling(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}

	return high
}

// leastBlocks is the least number of blocks, if there are enough values.
const leastBlocks = 10

// BlockLength returns the block length for a circular block bootstrap of the mean, by Politis and
// White (Econometric Reviews 23, 2004), as corrected by Patton, Politis and White (Econometric
// Reviews 28, 2009). It is 1 for independent values.
func BlockLength(values []float64) int {
	n := float64(len(values))
	least := math.Max(5, math.Ceil(math.Sqrt(math.Log10(n))))
	most := int(math.Ceil(math.Sqrt(n)) + least)
	r := autocovariances(values, min(most, len(values)-1))
	if r[0] == 0 {
		return 1
	}

	// The lag after which the next few correlations are insignificant.
	bound := 2 * math.Sqrt(math.Log10(n)/n)
	lag, small := 0, 0
	for k := 1; k < len(r) && small < int(least); k++ {
		if math.Abs(r[k]/r[0]) < bound {
			small++
		} else {
			lag, small = k, 0
		}
	}

	flat := min(2*lag, len(r)-1)
	var sum, weighted float64
	for k := -flat; k <= flat; k++ {
		at := max(k, -k)
		w := 1.0 // flat top, then linear down to zero
		if flat > 0 {
			w = math.Min(1, 2*(1-float64(at)/float64(flat)))
		}
		sum += w * r[at]
		weighted += w * float64(at) * r[at]
	}
	if sum <= 0 || weighted == 0 {
		return 1
	}
	length := math.Cbrt(2 * weighted * weighted / (4.0 / 3 * sum * sum) * n)

	return int(max(min(math.Round(length), 3*math.Sqrt(n), n/leastBlocks), 1))
}

func autocovariances(values []float64, most int) []float64 {
	n := float64(len(values))
	mean := 0.0
	for _, v := range values {
		mean += v / n
	}
	r := make([]float64, most+1)
	for k := range r {
		for i := range len(values) - k {
			r[k] += (values[i] - mean) * (values[i+k] - mean) / n
		}
	}

	return r
}
