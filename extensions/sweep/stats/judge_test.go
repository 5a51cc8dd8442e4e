package stats_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// gate makes a gate with exactly this ratio.
func gate(t *testing.T, ratio, noise float64, rate bool, tolerance float64) stats.Gate {
	t.Helper()
	pairs := noisy(rand.New(rand.NewPCG(1, 1)), 20, 1, noise)
	e, err := stats.OfPairs(pairs, 0.95)
	require.NoError(t, err)
	for i := range pairs {
		pairs[i].Change *= ratio / e.Ratio
	}
	e, err = stats.OfPairs(pairs, 0.95)
	require.NoError(t, err)

	return stats.Gate{Estimate: e, Rate: rate, Tolerance: tolerance}
}

func TestJudgeOneGate(t *testing.T) {
	const quiet, loud = 0.001, 0.3
	for name, tt := range map[string]struct {
		ratio, noise float64
		rate         bool
		want         stats.Outcome
	}{
		"ops/s the same":            {1, quiet, true, stats.Held},
		"ops/s fell within":         {0.98, quiet, true, stats.Held},
		"ops/s fell beyond":         {0.90, quiet, true, stats.Crossed},
		"ops/s rose far":            {1.50, quiet, true, stats.Held},
		"ops/s the same, loud":      {1, loud, true, stats.Undecided},
		"ops/s fell, loud":          {0.90, loud, true, stats.Undecided},
		"ops/s halved, loud":        {0.40, loud, true, stats.Crossed},
		"ops/s doubled, loud":       {2, loud, true, stats.Held},
		"latency the same":          {1, quiet, false, stats.Held},
		"latency rose within":       {1.03, quiet, false, stats.Held},
		"latency rose beyond":       {1.10, quiet, false, stats.Crossed},
		"latency fell far":          {0.50, quiet, false, stats.Held},
		"latency the same, loud":    {1, loud, false, stats.Undecided},
		"latency fell to 0.4, loud": {0.40, loud, false, stats.Held},
	} {
		got := stats.Judge([]stats.Gate{gate(t, tt.ratio, tt.noise, tt.rate, 0.05)}, 0.05)
		require.Equal(t, []stats.Outcome{tt.want}, got, name)
	}
}

func TestHolm(t *testing.T) {
	require.InDeltaSlice(t, []float64{0.03, 0.06, 0.06, 0.02}, stats.Holm([]float64{0.01, 0.04, 0.03, 0.005}), 1e-12)
	require.Equal(t, []float64{1, 1}, stats.Holm([]float64{0.9, 0.7}))
	require.Empty(t, stats.Holm(nil))
}

// Without a correction, twenty gates on the same build would usually have a false alarm.
func TestFamilyOfGatesRaisesNoFalseAlarm(t *testing.T) {
	const runs, gates = 600, 20
	random := rand.New(rand.NewPCG(10, 11))
	alarms := 0
	for range runs {
		family := make([]stats.Gate, gates)
		for i := range family {
			e, err := stats.OfPairs(noisy(random, 10, 1, 0.05), 0.95)
			require.NoError(t, err)
			family[i] = stats.Gate{Estimate: e, Rate: i%2 == 0}
		}
		for _, outcome := range stats.Judge(family, 0.05) {
			if outcome == stats.Crossed {
				alarms++

				break
			}
		}
	}
	require.Less(t, float64(alarms)/runs, 0.05)
	require.Positive(t, alarms, "tolerances of zero on noise: some are crossed")
}
