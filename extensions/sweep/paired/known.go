package paired

import (
	"math"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Known is an estimate that was made before, of which the ratio, the upper end of its interval, and
// the number of pairs or blocks are known: it is judged as the one that was made.
func Known(ratio, high, confidence float64, n int) Estimate {
	e := Estimate{Confidence: confidence, N: n, mean: math.Log(ratio)}
	half := math.Log(high) - e.mean
	e.deviation = half / stats.StudentQuantile((1-confidence)/2, e.freedom()) * math.Sqrt(float64(n))

	return e.within(half)
}
