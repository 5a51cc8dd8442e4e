package stats_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// sliceOf makes a slice of a second with operations of one class.
func sliceOf(operations, class byte, bounds stats.Classes) stats.Slice {
	s := stats.Slice{Seconds: 1, Operations: float64(operations), Counts: make([]float64, len(bounds)-1)}
	s.Sum = s.Operations * (bounds[class] + bounds[class+1]) / 2
	s.Counts[class] = s.Operations

	return s
}

// All results are finite numbers. Four bytes make a pair.
func FuzzRatiosAreNumbers(f *testing.F) {
	bounds := classes()
	f.Add(bytes.Repeat([]byte{10, 30, 20, 40}, 50))                                                 // all equal
	f.Add(slices.Concat(bytes.Repeat([]byte{10, 30, 20, 40}, 8), make([]byte, 200)))                // both end early
	f.Add(slices.Concat(bytes.Repeat([]byte{9, 9, 9, 9}, 8), bytes.Repeat([]byte{9, 9, 0, 0}, 40))) // one ends early
	f.Add(bytes.Repeat([]byte{1, 0, 255, 255, 255, 200, 1, 1}, 40))
	f.Fuzz(func(t *testing.T, run []byte) {
		var pairs []stats.SlicePair
		for ; len(run) >= 4 && len(pairs) < 100; run = run[4:] {
			pairs = append(pairs, stats.SlicePair{Base: sliceOf(run[0], run[1], bounds), Change: sliceOf(run[2], run[3], bounds)})
		}
		turns, err := stats.OfSlices(slices.Values(pairs), bounds, 0.95, 0.5, 0.99)
		if err != nil {
			return
		}
		for name, r := range map[string]stats.Ratio{
			"rate": turns.Rate, "mean": turns.Mean, "p50": turns.Quantile(0.5), "p99": turns.Quantile(0.99),
		} {
			for _, v := range []float64{r.Base, r.Change, r.Ratio, r.Low, r.High, r.Visible(), r.Precision(), r.P(1)} {
				require.False(t, math.IsNaN(v) || v < 0, "%s: %+v", name, r)
			}
			require.True(t, r.Low <= r.Ratio && r.Ratio <= r.High, "%s: %+v", name, r)
			for _, v := range []float64{r.Base, r.Change, r.Ratio, r.Low} {
				require.False(t, math.IsInf(v, 0), "%s: %+v", name, r)
			}
		}
	})
}
