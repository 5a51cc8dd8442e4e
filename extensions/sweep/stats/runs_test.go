package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

func exps(logs ...float64) []float64 {
	values := make([]float64, len(logs))
	for i, l := range logs {
		values[i] = math.Exp(l)
	}

	return values
}

func TestAnotherRunBesideKnownOnes(t *testing.T) {
	// Mean 0.02, deviation 0.015811 of 5: t with 4 degrees of freedom is 2.776445 at 97.5 %, 0.940965
	// at 80 %; the root of 1.2 is 1.095445.
	recorded := exps(0, 0.01, 0.02, 0.03, 0.04)
	r, err := stats.Another(recorded, math.Exp(0.12), 0.95)
	require.NoError(t, err)
	const half = 0.015811388 * 1.095445115 * 2.776445105
	ratio, low, high := r.Interval()
	require.InDelta(t, math.Exp(0.10), ratio, 1e-9)
	require.InDelta(t, math.Exp(0.10-half), low, 1e-7)
	require.InDelta(t, math.Exp(0.10+half), high, 1e-7)
	require.InDelta(t, 1, r.P(math.Exp(0.10)), 1e-9)
	require.InDelta(t, 0.05, r.P(math.Exp(0.10+half)), 1e-6)
	require.InDelta(t, math.Expm1(half+0.015811388*1.095445115*0.940965), r.Visible(), 1e-6)
	require.InDelta(t, math.Expm1(0.015811388), r.Deviation(), 1e-8)
}

func TestRunsForAChange(t *testing.T) {
	r, err := stats.Another(exps(0, 0.01, 0.02, 0.03, 0.04), 1, 0.95)
	require.NoError(t, err)
	require.Equal(t, 5, r.RunsFor(r.Visible()*1.0001))
	n := r.RunsFor(0.055)
	require.Greater(t, n, 5)
	require.Less(t, n, 20)
	require.Zero(t, r.RunsFor(0.03), "another run alone differs by more")
}

func TestMeansOfKnownRepeats(t *testing.T) {
	// Welch's formula: variances 1/6000 of 4 and 1/1500 of 4, difference 0.1.
	r, err := stats.Means(exps(0, 0.01, 0.02, 0.03), exps(0.085, 0.105, 0.125, 0.145), 0.95)
	require.NoError(t, err)
	ratio, low, high := r.Interval()
	require.InDelta(t, math.Exp(0.10), ratio, 1e-9)
	const standardError, t975 = 0.0144337567, 2.7822 // 4.4118 degrees of freedom, between 2.776 and 2.571
	require.InDelta(t, math.Log(high/low)/2, standardError*t975, 0.002)
	require.InDelta(t, 0.05, r.P(low), 1e-6)
}

func TestFiguresWithoutARatio(t *testing.T) {
	_, err := stats.Another([]float64{1, 2}, 1, 0.95)
	require.EqualError(t, err, "2 recorded runs tell nothing of how much runs differ")
	_, err = stats.Another([]float64{1, 2, 0}, 1, 0.95)
	require.EqualError(t, err, "0 has no ratio to others: it must be above 0")
	_, err = stats.Another([]float64{1, 2, 3}, 0, 0.95)
	require.EqualError(t, err, "0 has no ratio to others: it must be above 0")
	_, err = stats.Means([]float64{1, 2, 3, 4}, []float64{1, 2}, 0.95)
	require.EqualError(t, err, "2 repeats tell nothing of how much repeats differ")
}

func TestRunsThatDoNotDiffer(t *testing.T) {
	r, err := stats.Another([]float64{2, 2, 2}, 2, 0.95)
	require.NoError(t, err)
	require.InDelta(t, 1, r.P(1), 0)
	require.InDelta(t, 0, r.P(1.01), 0)
	require.InDelta(t, 0, r.Visible(), 0)
}

// trial judges six gates, ops/s and p99 of three steps, of a run with a relative speed. Half of the
// deviation between runs is common to all steps.
func trial(t *testing.T, random *rand.Rand, recorded int, deviation, speed float64) []stats.Outcome {
	t.Helper()
	const steps = 3
	runs := recorded + 1
	values := make([][]float64, 2*steps) // by figure of a step, then run
	for range runs {
		common := random.NormFloat64()
		for i := range values {
			noise := deviation * (common + random.NormFloat64()) / math.Sqrt2
			values[i] = append(values[i], 1000*math.Exp(noise))
		}
	}
	family := make([]stats.Gate, len(values))
	for i, v := range values {
		rate := i%2 == 0
		last := v[recorded] / speed
		if rate {
			last = v[recorded] * speed
		}
		r, err := stats.Another(v[:recorded], last, 0.95)
		require.NoError(t, err)
		family[i] = stats.Gate{Estimate: *r, Rate: rate, Tolerance: 0.10}
	}

	return stats.Judge(family, 0.05)
}

func TestRunsThatDifferByChanceRaiseNoFalseAlarm(t *testing.T) {
	const trials = 1500
	random := rand.New(rand.NewPCG(20, 2))
	for _, recorded := range []int{3, 5, 10} {
		alarms, beyond := 0, 0
		for range trials {
			outcomes := trial(t, random, recorded, 0.05, 1)
			if slices.Contains(outcomes, stats.Crossed) {
				alarms++
			}
			if slices.Contains(trial(t, random, recorded, 0.05, 0.9), stats.Crossed) { // just tolerated
				beyond++
			}
		}
		require.Less(t, float64(alarms)/trials, 0.05, "%d recorded", recorded)
		require.Less(t, float64(beyond)/trials, 0.05, "%d recorded, at the bound", recorded)
		require.Positive(t, beyond, "%d recorded: chance is not without effect", recorded)
	}
}

// A run 18 % slower is never held, and crossed if the recorded runs are similar enough.
func TestSlowerRunIsCaughtOrUndecidedAndNeverHeld(t *testing.T) {
	const trials = 600
	random := rand.New(rand.NewPCG(20, 3))
	for _, tt := range []struct {
		recorded        int
		deviation       float64
		caught, decided float64 // lower limits
	}{
		{10, 0.01, 0.99, 0.99},
		{5, 0.01, 0.95, 0.95},
		{20, 0.02, 0.9, 0.9},
		{5, 0.05, 0, 0},
		{3, 0.10, 0, 0},
	} {
		caught, same, held := 0, 0, 0
		for range trials {
			outcomes := trial(t, random, tt.recorded, tt.deviation, 0.82)
			if slices.Contains(outcomes, stats.Crossed) {
				caught++
			}
			ops := []stats.Outcome{outcomes[0], outcomes[2], outcomes[4]}
			require.False(t, allHeld(ops), "%v", tt)
			if slices.Contains(ops, stats.Held) {
				held++
			}
			if !slices.Contains(trial(t, random, tt.recorded, tt.deviation, 1), stats.Undecided) {
				same++
			}
		}
		require.Less(t, float64(held)/trials, 0.025, "%v: not even one of three", tt)
		require.GreaterOrEqual(t, float64(caught)/trials, tt.caught, "%v", tt)
		require.GreaterOrEqual(t, float64(same)/trials, tt.decided, "%v: the same build is held", tt)
	}
}

func allHeld(outcomes []stats.Outcome) bool {
	return !slices.ContainsFunc(outcomes, func(o stats.Outcome) bool { return o != stats.Held })
}
