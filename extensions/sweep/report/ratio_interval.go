package report

import (
	"math"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// RatioInterval is between which values the ratio of two medians is with a confidence of at least
// 1 - alpha, new to old. It is false with fewer than MinRepeats(alpha) on a side, and for values
// that are not above zero.
//
// It is the interval of Hodges and Lehmann that belongs to the Mann-Whitney U test (Hollander,
// Wolfe and Chicken, Nonparametric Statistical Methods, 3rd edition 2014, section 6.3), of the
// logarithms. Without ties it is without 1 exactly where the test calls the difference significant.
func RatioInterval(before, after []float64, alpha float64) (low, high float64, known bool) {
	if min(len(before), len(after)) < MinRepeats(alpha) {
		return 0, 0, false
	}
	ratios := make([]float64, 0, len(before)*len(after))
	for _, a := range after {
		for _, b := range before {
			if !(a > 0 && b > 0) {
				return 0, 0, false
			}
			ratios = append(ratios, a/b)
		}
	}
	slices.Sort(ratios)
	cut := uQuantile(len(before), len(after), alpha/2)

	return ratios[cut], ratios[len(ratios)-1-cut], true
}

// uQuantile is the highest u of which P(U <= u) is at most p when nothing has changed, and 0 where
// there is none.
func uQuantile(m, n int, p float64) int {
	counts := uCounts(m, n)
	total := 0.0
	for _, c := range counts {
		total += c
	}
	below := 0.0
	for u, c := range counts {
		if below+c > p*total {
			return max(u-1, 0)
		}
		below += c
	}

	return len(counts) - 1 // p is 1
}

// mostExact is the most repeats of a side for which U is counted; beyond, it is as good as normal.
const mostExact = 50

// uCounts are in how many of all orders of m and n values U is 0, 1, 2 and so on.
func uCounts(m, n int) []float64 {
	if max(m, n) > mostExact {
		return uNormal(m, n)
	}

	return stats.MannWhitneyCounts(m, n)
}

// uNormal are the same as parts, after the normal distribution.
func uNormal(m, n int) []float64 {
	counts := make([]float64, m*n+1)
	mean, deviation := float64(m*n)/2, math.Sqrt(float64(m*n)*float64(m+n+1)/12)
	for u := range counts {
		z := (float64(u) - mean) / deviation
		counts[u] = math.Exp(-z * z / 2)
	}

	return counts
}

// MinRepeats is how many repeats each side needs for a difference to be significant at alpha: 4 for
// 0.05, 5 for 0.01.
func MinRepeats(alpha float64) int {
	n := FewestRepeats
	alpha = max(alpha, math.SmallestNonzeroFloat64)
	for leastP(n) >= alpha {
		n++
	}

	return n
}

// leastP is the p of two sides of n repeats each when all of one are above all of the other: of the
// C(2n, n) ways to order them, two are that extreme.
func leastP(n int) float64 {
	ways := 1.0
	for i := 1; i <= n; i++ {
		ways *= float64(n+i) / float64(i)
	}

	return 2 / ways
}
