package report

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchmath"
)

func TestRatioIntervalIsThatOfTheTest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	sample := func(n int, middle float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = middle * math.Exp(0.1*random.NormFloat64())
		}

		return values
	}
	agreed := map[bool]int{}
	for range 2000 {
		before, after := sample(4+random.IntN(6), 100), sample(4+random.IntN(6), 100+20*random.Float64())
		low, high, known := RatioInterval(before, after, DefaultAlpha)
		require.True(t, known)
		require.LessOrEqual(t, low, high)
		significant := benchmath.AssumeNothing.Compare(newSample(before), newSample(after)).P < DefaultAlpha
		require.Equal(t, significant, low > 1 || high < 1, "%v %v", before, after)
		agreed[significant]++
	}
	require.Greater(t, agreed[true], 100)
	require.Greater(t, agreed[false], 100)
}

func TestRatioIntervalCoversTheTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{4, 10, 60} {
		const runs = 2000
		covered := 0
		for range runs {
			before, after := make([]float64, n), make([]float64, n)
			for i := range n {
				before[i], after[i] = math.Exp(0.05*random.NormFloat64()), 1.1*math.Exp(0.05*random.NormFloat64())
			}
			low, high, _ := RatioInterval(before, after, DefaultAlpha)
			if low <= 1.1 && 1.1 <= high {
				covered++
			}
		}
		require.InDelta(t, 0.96, float64(covered)/runs, 0.03, "%d repeats", n)
	}
}

func TestRatioIntervalThatIsNotKnown(t *testing.T) {
	for _, values := range [][]float64{nil, {1, 2, 3}, {1, 2, 3, 0}} {
		_, _, known := RatioInterval([]float64{1, 2, 3, 4}, values, DefaultAlpha)
		require.False(t, known)
	}
}

func TestMinRepeats(t *testing.T) {
	for alpha, want := range map[float64]int{0.5: 4, 0.05: 4, 0.01: 5, 0.005: 6, 0.001: 7} {
		require.Equal(t, want, MinRepeats(alpha), "%g", alpha)
	}
	for _, alpha := range []float64{1e-300, 0, -1, math.Inf(-1)} {
		require.Greater(t, MinRepeats(alpha), 400, "%g: it ends", alpha)
	}
}
