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
