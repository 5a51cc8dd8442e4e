package stats_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

func TestCountsAreThoseOfAllOrders(t *testing.T) {
	require.Equal(t, []float64{1, 1, 2, 3, 3, 3, 3, 2, 1, 1}, stats.MannWhitneyCounts(3, 3))
	require.Equal(t, []float64{1, 1, 2, 2, 2, 1, 1}, stats.MannWhitneyCounts(2, 3))
	require.Equal(t, stats.MannWhitneyCounts(2, 3), stats.MannWhitneyCounts(3, 2))
	all := 0.0
	for _, c := range stats.MannWhitneyCounts(8, 9) {
		all += c
	}
	require.InDelta(t, 24_310, all, 0, "17 over 8")
}
