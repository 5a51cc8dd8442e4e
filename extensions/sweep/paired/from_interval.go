package paired

import (
	"math"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// FromInterval returns an earlier estimate from its ratio, the upper end of its interval, and its
// number of pairs or blocks.
func FromInterval(ratio, high, confidence float64, n int) Estimate {
	e := Estimate{Confidence: confidence, N: n, mean: math.Log(ratio)}
	half := math.Log(high) - e.mean
	e.deviation = half / stats.StudentQuantile((1-confidence)/2, e.freedom()) * math.Sqrt(float64(n))

	return e.within(half)
}
