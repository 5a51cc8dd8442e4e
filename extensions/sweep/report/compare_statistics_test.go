package report

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNewEstimate(t *testing.T) {
	require.Equal(t, Estimate{}, NewEstimate(nil))
	require.Equal(t, Estimate{Median: 3, N: 1}, NewEstimate([]float64{3}))
	require.Equal(t, Estimate{Median: 2, N: 3}, NewEstimate([]float64{1, 2, 3}), "3 coins are alike in 1 of 4 throws")
	require.Equal(t, between(2.5, 1, 4, 4, 0.875), NewEstimate([]float64{4, 1, 2, 3}))
	require.Equal(t, between(3, 1, 5, 5, 0.9375), NewEstimate([]float64{5, 4, 1, 2, 3}), "5 coins are all heads in 1 of 32 throws")
	require.Equal(t, between(3.5, 1, 6, 6, 0.96875), NewEstimate([]float64{6, 5, 4, 1, 2, 3}))
	require.Equal(t, between(5, 2, 8, 9, 0.9609375), NewEstimate([]float64{9, 8, 7, 6, 5, 4, 1, 2, 3}))

	values := []float64{3, 1, 2}
	NewEstimate(values)
	require.Equal(t, []float64{3, 1, 2}, values, "the values stay as they were")
}

func between(median, low, high float64, n int, confidence float64) Estimate {
	return Estimate{Median: median, Low: &low, High: &high, N: n, Confidence: confidence}
}

// Intervals cover the true median as often as their confidence says, for a very skewed
// distribution.
func TestEstimatesHoldTheMedian(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := FewestRepeats; n <= 12; n++ {
		const tries = 20_000
		held, claimed := 0, 0.0
		for range tries {
			values := make([]float64, n)
			for i := range values {
				values[i] = math.Exp(2 * random.NormFloat64()) // its median is 1
			}
			e := NewEstimate(values)
			require.NotNil(t, e.Low, "%d repeats", n)
			claimed = e.Confidence
			if *e.Low <= 1 && 1 <= *e.High {
				held++
			}
		}
		require.InDelta(t, claimed, float64(held)/tries, 0.01, "%d repeats", n)
	}
}

func TestPlusMinus(t *testing.T) {
	for want, values := range map[string][]float64{
		"?":     {3, 1, 2},
		"50.0%": {3, 1, 2, 2},
		"2.0%":  {100, 102, 99, 100, 101},
		"-":     {0, 0, 0, 0},
	} {
		e := NewEstimate(values)
		require.Equal(t, want, e.plusMinus(), "%v", values)
	}
	require.Empty(t, plusMinusNote(nil))
	require.Equal(t, "± is how far the farther end of the median's confidence interval is from it: 87.5 % with 4 repeats, 93.75 % with 5 repeats. "+
		"± ?: fewer than 4 repeats tell no interval.", plusMinusNote([]Estimate{
		NewEstimate([]float64{1, 2, 3, 4, 5}), NewEstimate([]float64{1, 2, 3, 4}), NewEstimate([]float64{1, 2}), {},
	}))
}

func TestNewContrast(t *testing.T) {
	c, e := NewContrast([]float64{4, 1, 3, 2}, []float64{80, 60, 70, 90}, 0.05)
	require.InDelta(t, 30, *c.Ratio, 1e-9)
	require.True(t, c.Significant)
	require.Greater(t, *c.RatioLow, 1.0)
	require.Greater(t, *c.RatioHigh, 30.0)
	require.Less(t, c.P, 0.01)
	require.InDelta(t, e.Visible(), c.Visible, 0)
	c, _ = NewContrast([]float64{4, 1, 3, 2}, []float64{80, 60, 70, 90}, 0.0001)
	require.False(t, c.Significant, "of another alpha")
	c, e = NewContrast([]float64{1, 2, 3}, []float64{11, 12, 13, 14, 15}, 0.05)
	require.False(t, c.Significant, "of 3 repeats")
	require.Nil(t, c.RatioLow)
	require.Nil(t, e)

	c, e = NewContrast([]float64{0, 0, 0, 0}, []float64{8, 6, 7, 9}, 0.05)
	require.Nil(t, c.Ratio)
	require.Nil(t, e)
	c, e = NewContrast(nil, nil, 0.05)
	require.Equal(t, Contrast{P: 1}, c)
	require.Nil(t, e)
}
