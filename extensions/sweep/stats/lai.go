package stats

import (
	"math"

	moremath "github.com/aclements/go-moremath/stats"
)

// laiFirst is the number of values from which on the sequence holds.
const laiFirst = FewestPairs

// laiBound returns the a of the theorem, which solves alpha = 2 (1 - F(a) + a f(a)) with F and f of
// laiFirst - 1 degrees of freedom.
func laiBound(alpha float64) float64 {
	// The right side falls from the square root of the degrees of freedom on, at a value above any
	// useful alpha.
	return Root(func(a float64) float64 {
		if a < 1 {
			return 1
		}

		return laiAlpha(a) - alpha
	})
}

func laiAlpha(a float64) float64 {
	t := moremath.TDist{V: laiFirst - 1}

	return StudentBeyond(a, laiFirst-1) + 2*a*t.PDF(a)
}

// laiRadius returns the half width of the interval of n values, in their standard deviations.
func laiRadius(a float64, n int) float64 {
	const first = laiFirst
	ratio := float64(n) / first * math.Pow(1+a*a/(first-1), first)

	return math.Sqrt(math.Pow(ratio, 1/float64(n)) - 1)
}

// laiP returns the alpha of the sequence whose interval has this half width.
func laiP(distance float64, n int) float64 {
	const first = laiFirst
	// Logarithms avoid an overflow of the power of n.
	logOfRatio := float64(n) * math.Log1p(distance*distance)
	logOfBase := (logOfRatio - math.Log(float64(n)/first)) / first
	if logOfBase <= 0 {
		return 1
	}
	a := math.Sqrt((first - 1) * math.Expm1(logOfBase))
	if math.IsInf(a, 0) {
		return 0
	}
	if a < 1 {
		return 1
	}

	return min(1, laiAlpha(a))
}
