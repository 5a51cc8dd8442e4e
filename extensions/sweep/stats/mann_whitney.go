package stats

// MannWhitneyCounts returns, for each U, the number of orders of m and n different values with that
// U: the coefficients of the Gaussian binomial of m + n over m.
func MannWhitneyCounts(m, n int) []float64 {
	if m > n {
		m, n = n, m
	}
	counts := make([]float64, m*n+1)
	counts[0] = 1
	for i := 1; i <= m; i++ {
		for u := len(counts) - 1; u >= n+i; u-- { // multiply by 1 - q^(n+i)
			counts[u] -= counts[u-n-i]
		}
		for u := i; u < len(counts); u++ { // divide by 1 - q^i
			counts[u] += counts[u-i]
		}
	}

	return counts
}
