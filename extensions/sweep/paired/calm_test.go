package paired_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/paired"
)

// disturbed are pairs of slices beside somebody who stays for some 10 of them: meanwhile both
// variants have 0.6 of their speed, and change takes so many times as long as base there.
func disturbed(random *rand.Rand, n int, slower, slowerThen float64) []paired.SlicePair {
	pairs := make([]paired.SlicePair, n)
	slice := func(rate, noise float64) paired.Slice {
		operations := rate * math.Exp(noise*random.NormFloat64())

		return paired.Slice{Seconds: 1, Operations: operations, Sum: 1, Counts: []float64{operations}}
	}
	here := false
	for i := range pairs {
		if random.Float64() < 0.1 {
			here = !here
		}
		rate, noise, slower := 100.0, 0.03, slower
		if here {
			rate, noise, slower = 60, 0.2, slowerThen
		}
		pairs[i] = paired.SlicePair{Base: slice(rate, noise), Change: slice(rate/slower, noise)}
	}

	return pairs
}

// Where half of the time is disturbed, the interval is not much wider than the other half alone
// would make it, and has the truth as often.
func TestCalmTimesCountMore(t *testing.T) {
	const runs, n = 200, 400
	random := rand.New(rand.NewPCG(11, 12))
	covered, half := 0, 0.0
	for range runs {
		turns, err := paired.OfSlices(slices.Values(disturbed(random, n, 1.02, 1.02)), paired.Classes{0, 2}, 0.95)
		require.NoError(t, err)
		if turns.Rate.Low <= 1/1.02 && 1/1.02 <= turns.Rate.High {
			covered++
		}
		half += math.Log(turns.Rate.High/turns.Rate.Ratio) / runs
	}
	require.InDelta(t, 0.95, float64(covered)/runs, 0.03)
	alone, all := 0.03*math.Sqrt2, math.Hypot(0.03, 0.2) // deviations of the ratios
	require.Less(t, half, 2*1.96*alone/math.Sqrt(n/2))
	require.Less(t, half, 0.6*1.96*all/math.Sqrt(n), "all alike")
}

// A change that is slower at disturbed times alone is as slow as all of its time shows.
func TestWeightsHideNothing(t *testing.T) {
	const runs = 100
	random := rand.New(rand.NewPCG(13, 14))
	bounds, seen := paired.Classes{0, 2}, 0
	for range runs {
		turns, err := paired.OfSlices(slices.Values(disturbed(random, 400, 1, 1.2)), bounds, 0.95)
		require.NoError(t, err)
		require.InEpsilon(t, turns.Rate.Change/turns.Rate.Base, turns.Rate.Ratio, 1e-9)
		if turns.Rate.High < 1 {
			seen++
		}
	}
	require.GreaterOrEqual(t, seen, 95)
}

// Pairs that are all alike count the same, and so do few of them.
func TestPairsThatCountTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	for _, n := range []int{20, 39} {
		turns, err := paired.OfSlices(slices.Values(disturbed(random, n, 1.1, 1.1)), paired.Classes{0, 2}, 0.95)
		require.NoError(t, err)
		require.InEpsilon(t, turns.Rate.Change/turns.Rate.Base, turns.Rate.Ratio, 1e-9)
	}
	same := disturbed(random, 1, 1.1, 1.1)
	turns, err := paired.OfSlices(slices.Values(slices.Repeat(same, 100)), paired.Classes{0, 2}, 0.95)
	require.NoError(t, err)
	require.InEpsilon(t, turns.Rate.Change/turns.Rate.Base, turns.Rate.Ratio, 1e-9)
	require.InEpsilon(t, turns.Rate.Ratio, turns.Rate.High, 1e-9)
}
