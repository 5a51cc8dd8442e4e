package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// noisy makes pairs with a true ratio. Both values of a pair drift together; noise is the deviation
// of the logarithms of ratios.
func noisy(random *rand.Rand, n int, ratio, noise float64) []stats.Pair {
	pairs := make([]stats.Pair, n)
	for i := range pairs {
		machine := 10_000 * math.Exp(random.NormFloat64())
		pairs[i] = stats.Pair{Base: machine, Change: machine * ratio * math.Exp(noise*random.NormFloat64())}
	}

	return pairs
}

func TestOfKnownPairs(t *testing.T) {
	// The differences of the logarithms are 0.01, 0.02, 0.03 and 0.04: mean 0.025, deviation 0.012910,
	// t with 3 degrees of freedom at 97.5 % is 3.182446.
	var pairs []stats.Pair
	for _, l := range []float64{0.01, 0.04, 0.02, 0.03} {
		pairs = append(pairs, stats.Pair{Base: 100, Change: 100 * math.Exp(l)})
	}
	e, err := stats.OfPairs(pairs, 0.95)
	require.NoError(t, err)
	require.InDelta(t, math.Exp(0.025), e.Ratio, 1e-9)
	half := 3.182446 * 0.0129099 / 2
	require.InDelta(t, math.Exp(0.025-half), e.Low, 1e-6)
	require.InDelta(t, math.Exp(0.025+half), e.High, 1e-6)
	// t = 0.025 / (0.0129099 / 2) = 3.873, p = 0.0305.
	require.InDelta(t, 0.0305, e.P(1), 1e-4)
	require.InDelta(t, math.Expm1(half), e.Precision(), 1e-6)
	// The half width plus 0.978472 (t with 3 degrees of freedom at 80 %) standard errors.
	require.InDelta(t, math.Expm1(half+0.978472*0.0129099/2), e.Visible(), 1e-6)
	require.Equal(t, 4, e.N)
}

func TestPairsThatAreRefused(t *testing.T) {
	good := stats.Pair{Base: 1, Change: 1}
	for _, pairs := range [][]stats.Pair{
		nil,
		{good, good, good},
		{good, good, good, {Base: 0, Change: 1}},
		{good, good, good, {Base: 1, Change: -1}},
		{good, good, good, {Base: math.NaN(), Change: 1}},
		{good, good, good, {Base: 1, Change: math.Inf(1)}},
	} {
		_, err := stats.OfPairs(pairs, 0.95)
		require.Error(t, err)
		_, err = stats.Sequential(pairs, 0.95)
		require.Error(t, err)
	}
}

func TestEqualPairsHaveNoSpread(t *testing.T) {
	pairs := []stats.Pair{{2, 3}, {4, 6}, {6, 9}, {8, 12}}
	for _, estimate := range []func([]stats.Pair, float64) (stats.Estimate, error){stats.OfPairs, stats.Sequential} {
		e, err := estimate(pairs, 0.95)
		require.NoError(t, err)
		require.InDelta(t, 1.5, e.Ratio, 1e-12)
		require.InDelta(t, 0, e.Precision(), 1e-12)
		require.Less(t, e.P(1), 1e-12)
	}
}

// 95 of 100 intervals contain the true ratio, despite drifts.
func TestIntervalsCoverTheTruth(t *testing.T) {
	const runs = 4000
	for _, n := range []int{4, 10, 40} {
		random := rand.New(rand.NewPCG(1, uint64(n)))
		covered := 0
		for range runs {
			e, err := stats.OfPairs(noisy(random, n, 1.03, 0.05), 0.95)
			require.NoError(t, err)
			if e.Low <= 1.03 && 1.03 <= e.High {
				covered++
			}
		}
		require.InDelta(t, 0.95, float64(covered)/runs, 0.012, "%d pairs", n)
	}
}

// Checking after each pair is wrong in one run of three with intervals for a fixed number, and in
// at most one of twenty with the sequence.
func TestLookingAgainAndAgain(t *testing.T) {
	const runs, most = 400, 100
	random := rand.New(rand.NewPCG(2, 3))
	wrong := map[string]int{}
	for range runs {
		pairs := noisy(random, most, 1, 0.05)
		found := map[string]bool{}
		for n := stats.FewestPairs; n <= most; n++ {
			fixed, err := stats.OfPairs(pairs[:n], 0.95)
			require.NoError(t, err)
			sequential, err := stats.Sequential(pairs[:n], 0.95)
			require.NoError(t, err)
			found["fixed"] = found["fixed"] || fixed.Low > 1 || fixed.High < 1
			outside := sequential.Low > 1 || sequential.High < 1
			require.Equal(t, outside, sequential.P(1) < 0.05, "p and interval say the same")
			found["sequential"] = found["sequential"] || outside
		}
		for way, was := range found {
			if was {
				wrong[way]++
			}
		}
	}
	require.Greater(t, float64(wrong["fixed"])/runs, 0.2)
	require.LessOrEqual(t, float64(wrong["sequential"])/runs, 0.05)
}

func TestVisibleChangeIsSeenInFourCasesOfFive(t *testing.T) {
	const runs, n = 3000, 12
	random := rand.New(rand.NewPCG(4, 5))
	visible := 0.0
	for range runs {
		e, err := stats.OfPairs(noisy(random, n, 1, 0.03), 0.95)
		require.NoError(t, err)
		visible += e.Visible() / runs
	}
	seen := 0
	for range runs {
		e, err := stats.OfPairs(noisy(random, n, 1+visible, 0.03), 0.95)
		require.NoError(t, err)
		if e.Low > 1 {
			seen++
		}
	}
	require.InDelta(t, 0.8, float64(seen)/runs, 0.04)
}

func TestPairsForASmallerChange(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 7))
	e, err := stats.OfPairs(noisy(random, 200, 1, 0.05), 0.95)
	require.NoError(t, err)
	require.Equal(t, 200, e.PairsFor(e.Visible()))
	needed := e.PairsFor(e.Visible() / 2)
	require.InDelta(t, 800, needed, 20)
	more, err := stats.OfPairs(noisy(random, needed, 1, 0.05), 0.95)
	require.NoError(t, err)
	require.InDelta(t, e.Visible()/2, more.Visible(), e.Visible()/8)
	require.Equal(t, math.MaxInt, e.PairsFor(0))
}

// The sequence's interval is wider, and gets narrower with the pairs.
func TestUntilIsNarrowEnough(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	pairs := noisy(random, 400, 1, 0.05)
	before := math.Inf(1)
	for _, n := range []int{4, 10, 50, 400} {
		fixed, err := stats.OfPairs(pairs[:n], 0.95)
		require.NoError(t, err)
		sequential, err := stats.Sequential(pairs[:n], 0.95)
		require.NoError(t, err)
		require.Greater(t, sequential.Precision(), fixed.Precision())
		require.Less(t, sequential.Precision(), before)
		before = sequential.Precision()
	}
	require.Less(t, before, 0.012)
}
