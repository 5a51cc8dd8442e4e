package history

import (
	"math"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// drift describes how much more the means of neighbouring runs vary than the means of independent
// runs. A shared machine has fast and slow periods, which more runs do not average out.
type drift struct {
	// own is the variance of a run; zero if unknown.
	own float64
	// scales are the factors of the variance for means of 1, 2, 4, 8 and so on runs; the first is 1.
	scales []float64
	// slope extrapolates beyond scales, in logarithms.
	slope float64
}

// perScale is the minimum number of means from which a scale is estimated.
const perScale = 8

// driftOf compares the means of neighbouring blocks of 1, 2, 4 and so on values. It takes the
// median of their distances, because few changes hardly affect a median.
//
// It is the robust variance of Haar wavelets by scale (P. Abry and D. Veitch, IEEE Transactions on
// Information Theory 44, 1998; C. Park and J. Park, Statistica Sinica 19, 2009).
func driftOf(values []float64, most int) drift {
	w := drift{own: blockVariance(values, 1), scales: []float64{1}}
	if w.own == 0 {
		return w
	}
	for i := 1; i < most && len(values) >= perScale<<i; i++ {
		size := 1 << i
		multiple := float64(size) * blockVariance(values, size) / w.own
		w.scales = append(w.scales, max(multiple, w.scales[i-1]))
	}
	if last := len(w.scales) - 1; last > 1 {
		w.slope = min(math.Log2(w.scales[last]/w.scales[last-2])/2, 1)
	}

	return w
}

// blockVariance returns the variance of means of size neighbouring values.
func blockVariance(values []float64, size int) float64 {
	sums := make([]float64, len(values)+1)
	for i, v := range values {
		sums[i+1] = sums[i] + v
	}
	away := make([]float64, 0, len(values))
	for i := 0; i+2*size <= len(values); i++ {
		away = append(away, math.Abs(sums[i+2*size]-2*sums[i+size]+sums[i])/float64(size))
	}
	if len(away) == 0 {
		return 0
	}
	const normal = 1.4826
	deviation := normal * report.Median(away)

	return deviation * deviation / 2
}

func (w *drift) variance(n int) float64 {
	if w.own == 0 {
		return 0
	}
	last := len(w.scales) - 1
	scale := math.Log2(float64(n))
	below := min(int(scale), last)
	times := w.scales[below]
	if below == last {
		times *= math.Exp2(w.slope * (scale - float64(last)))
	} else {
		times += (scale - float64(below)) * (w.scales[below+1] - times)
	}

	return w.own * times / float64(n)
}

// chance returns the p-value of a distance between the means of m and k neighbouring runs.
func (w *drift) chance(distance float64, m, k int) float64 {
	if w.own == 0 {
		return 0 // unknown, or neighbours are equal
	}

	return math.Erfc(distance / math.Sqrt(2*(w.variance(m)+w.variance(k))))
}
