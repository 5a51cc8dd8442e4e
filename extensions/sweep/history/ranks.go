package history

import (
	"cmp"
	"math"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// fewRanks (of the smaller part) and fewTogether (of both) limit the exact test; beyond them the
// normal approximation is good enough.
const (
	fewRanks    = 8
	fewTogether = 120
)

// ranks returns the two-sided p-value of the Mann-Whitney U test.
func ranks(a, b []float64) float64 {
	m, n := len(a), len(b)
	u, ties := statistic(a, b)
	away := math.Abs(u - float64(m*n)/2)
	if min(m, n) <= fewRanks && m+n <= fewTogether && ties == 0 {
		return counted(m, n, float64(m*n)/2-away)
	}
	total := float64(m + n)
	variance := float64(m*n) / 12 * (total + 1 - ties/(total*(total-1)))
	if variance <= 0 {
		return 1
	}

	return math.Erfc(max(away-0.5, 0) / math.Sqrt(2*variance))
}

// statistic returns U, and the sum of t^3 - t over groups of t equal values.
func statistic(a, b []float64) (u, ties float64) {
	type value struct {
		of    float64
		first bool
	}
	all := make([]value, 0, len(a)+len(b))
	for _, v := range a {
		all = append(all, value{v, true})
	}
	for _, v := range b {
		all = append(all, value{v, false})
	}
	slices.SortFunc(all, func(x, y value) int { return cmp.Compare(x.of, y.of) })
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].of == all[i].of {
			j++
		}
		rank, t := float64(i+1+j)/2, float64(j-i)
		ties += t*t*t - t
		for ; i < j; i++ {
			if all[i].first {
				u += rank
			}
		}
	}

	return u - float64(len(a)*(len(a)+1))/2, ties
}

// counted returns the exact two-sided p-value of U for m and n values.
func counted(m, n int, u float64) float64 {
	var below, all float64
	for s, c := range stats.MannWhitneyCounts(m, n) {
		all += c
		if float64(s) <= u {
			below += c
		}
	}

	return min(1, 2*below/all)
}
