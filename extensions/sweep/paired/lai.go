package paired

import (
	"math"

	moremath "github.com/aclements/go-moremath/stats"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// laiFirst is the number of values from which on Lai's confidence sequence holds.
const laiFirst = Fewest

// laiBound is the t at which the sequence is wrong with a probability of alpha: the a of the
// theorem, which solves alpha = 2 (1 - F(a) + a f(a)) with F and f of laiFirst - 1 degrees of
// freedom.
func laiBound(alpha float64) float64 {
	// The right side rises before it falls; it falls from the square root of the degrees of freedom
	// on, well before it is as small as any alpha that is of use.
	return stats.Root(func(a float64) float64 {
		if a < 1 {
			return 1
		}

		return laiAlpha(a) - alpha
	})
}

func laiAlpha(a float64) float64 {
	t := moremath.TDist{V: laiFirst - 1}

	return stats.StudentBeyond(a, laiFirst-1) + 2*a*t.PDF(a)
}

// laiRadius is how far from the mean of n values the interval ends, in standard deviations of these
// values.
func laiRadius(a float64, n int) float64 {
	const first = laiFirst
	ratio := float64(n) / first * math.Pow(1+a*a/(first-1), first)

	return math.Sqrt(math.Pow(ratio, 1/float64(n)) - 1)
}

// laiP is the alpha of the sequence that ends at this distance from the mean of n values, in
// standard deviations of these values.
func laiP(distance float64, n int) float64 {
	const first = laiFirst
	// Logarithms, as the power of n leaves the range of numbers.
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
