package report

import (
	"math"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// RatioInterval returns an interval of the ratio of two medians, new to old, with a confidence of
// at least 1 - alpha. It is unknown with fewer than MinRepeats(alpha) on a side, and for values
// that are not above zero.
//
// It is the interval of Hodges and Lehmann for the Mann-Whitney U test (Hollander, Wolfe and
// Chicken, Nonparametric Statistical Methods, 3rd edition 2014, section 6.3), on the logarithms.
// Without ties, it excludes 1 exactly if the test is significant.
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

// uQuantile returns the highest u with P(U <= u) at most p under the null hypothesis, or 0.
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

// mostExact is the most repeats of a side for an exact U; beyond it, the normal approximation is
// good enough.
const mostExact = 50

// uCounts returns, for each U, the number of orders of m and n values with that U.
func uCounts(m, n int) []float64 {
	if max(m, n) > mostExact {
		return uNormal(m, n)
	}

	return stats.MannWhitneyCounts(m, n)
}

// uNormal returns the same by the normal approximation, as probabilities.
func uNormal(m, n int) []float64 {
	counts := make([]float64, m*n+1)
	mean, deviation := float64(m*n)/2, math.Sqrt(float64(m*n)*float64(m+n+1)/12)
	for u := range counts {
		z := (float64(u) - mean) / deviation
		counts[u] = math.Exp(-z * z / 2)
	}

	return counts
}

// MinRepeats returns how many repeats each side needs for significance at alpha: 4 for 0.05, 5 for
// 0.01.
func MinRepeats(alpha float64) int {
	n := FewestRepeats
	alpha = max(alpha, math.SmallestNonzeroFloat64)
	for leastP(n) >= alpha {
		n++
	}

	return n
}

// leastP returns the p-value for two sides of n repeats without overlap: 2 of C(2n, n) orders are
// that extreme.
func leastP(n int) float64 {
	ways := 1.0
	for i := 1; i <= n; i++ {
		ways *= float64(n+i) / float64(i)
	}

	return 2 / ways
}
