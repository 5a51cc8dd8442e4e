package history

import (
	"math"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// wander is how means of neighbouring runs differ, as multiples of what they would if runs were
// independent of each other: a machine whose neighbours come and go has fast hours and slow ones,
// which no number of runs takes away.
type wander struct {
	// own is the variance of a run; zero where it is not known.
	own float64
	// scales are the multiples of the variance for means of 1, 2, 4, 8 and so on runs; the first is
	// 1.
	scales []float64
	// slope is by how much the logarithm of the multiple grows with that of the number, beyond them.
	slope float64
}

// perScale is how many means of a size a series has at least to tell how they differ.
const perScale = 8

// wanderOf compares the means of neighbouring blocks of 1, 2, 4 and so on values, of at most so
// many sizes, by the median of their distances: the few between which there is a change matter
// little.
//
// It is the robust variance of Haar wavelets by scale (P. Abry and D. Veitch, Wavelet analysis of
// long-range dependent traffic, IEEE Transactions on Information Theory 44, 1998; C. Park and
// J. Park, Robust estimation of the Hurst parameter and selection of an onset scaling, Statistica
// Sinica 19, 2009).
func wanderOf(values []float64, most int) wander {
	w := wander{own: blockVariance(values, 1), scales: []float64{1}}
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

// blockVariance is the variance of means of so many neighbouring values.
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

// variance is that of a mean of n runs.
func (w *wander) variance(n int) float64 {
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

// chance is how likely the means of m and k neighbouring runs are as far apart where nothing has
// changed.
func (w *wander) chance(distance float64, m, k int) float64 {
	if w.own == 0 {
		return 0 // it is not known, or all runs are as their neighbours
	}

	return math.Erfc(distance / math.Sqrt(2*(w.variance(m)+w.variance(k))))
}
