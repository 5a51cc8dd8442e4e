package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// duetOf simulates pairs of slices in which change is slower by a factor. A neighbour
// takes CPU time for several slices at a time; latencies have a tail.
type duetOf struct {
	pairs      int
	operations float64 // mean of a slice
	slower     float64
	neighbour  float64 // slowdown by the neighbour
	stays      float64 // probability that the neighbour does not start or stop before the next slice
	tail       float64 // slowdown of change's slowest hundredth
}

func classes() stats.Classes {
	bounds := stats.Classes{}
	for v := 0.01; v < 1000; v *= math.Pow(2, 1.0/32) {
		bounds = append(bounds, v)
	}

	return bounds
}

func (d duetOf) run(random *rand.Rand, bounds stats.Classes) []stats.SlicePair {
	pairs := make([]stats.SlicePair, d.pairs)
	here := random.Float64() < 0.5
	for i := range pairs {
		first, second := &pairs[i].Base, &pairs[i].Change
		slower, then := 1.0, d.slower
		tail, thenTail := 1.0, d.tail
		if random.Float64() < 0.5 {
			first, second, slower, then, tail, thenTail = second, first, then, slower, thenTail, tail
		}
		d.fill(first, random, bounds, slower, tail, &here)
		d.fill(second, random, bounds, then, thenTail, &here)
	}

	return pairs
}

func (d duetOf) fill(s *stats.Slice, random *rand.Rand, bounds stats.Classes, slower, tail float64, here *bool) {
	if random.Float64() > d.stays {
		*here = !*here
	}
	takes := slower
	if *here {
		takes *= 1 + d.neighbour*random.Float64()
	}
	s.Counts = make([]float64, len(bounds)-1)
	for s.Seconds < 1 {
		took := takes * (0.5 + random.Float64())
		if random.Float64() < 0.02 {
			took = takes * tail * (4 + random.ExpFloat64())
		}
		i := int(math.Log2(took/0.01) * 32)
		s.Counts[i]++
		s.Operations++
		s.Sum += took
		s.Seconds += took / d.operations
	}
}

func TestSlicesOfKnownRatios(t *testing.T) {
	random, bounds := rand.New(rand.NewPCG(1, 1)), classes()
	turns, err := stats.OfSlices(
		slices.Values(duetOf{pairs: 600, operations: 100, slower: 1.05, stays: 0.9, neighbour: 0.5, tail: 1.3}.run(random, bounds)), bounds, 0.95, 0.5, 0.99)
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		got  stats.Ratio
		want float64
	}{
		"rate": {turns.Rate, 1 / turns.Mean.Ratio}, "p50": {turns.Quantile(0.5), 1.05}, "p99": {turns.Quantile(0.99), 1.05 * 1.3},
	} {
		require.InEpsilon(t, tt.want, tt.got.Ratio, 0.02, name)
		require.Less(t, tt.got.Low, tt.want, name)
		require.Greater(t, tt.got.High, tt.want, name)
		require.InEpsilon(t, tt.got.Change/tt.got.Base, tt.got.Ratio, 0.01, name)
		require.Positive(t, tt.got.Visible(), name)
	}
	require.Less(t, turns.Rate.High, 1.0, "it is seen")
}

// 93 to 97 of 100 intervals of 95 % contain the true ratio, for all figures and despite the
// neighbour.
func TestIntervalsOfSlicesCoverTheTruth(t *testing.T) {
	t.Parallel()
	const runs = 150
	bounds := classes()
	for name, d := range map[string]duetOf{
		"quiet":     {pairs: 60, operations: 40, slower: 1.03, stays: 0, tail: 1},
		"neighbour": {pairs: 100, operations: 40, slower: 1.03, neighbour: 1, stays: 0.9, tail: 1},
		"few":       {pairs: 20, operations: 60, slower: 1.03, neighbour: 1, stays: 0.95, tail: 1},
	} {
		random := rand.New(rand.NewPCG(3, 4))
		covered := map[string]int{}
		count := func(figure string, r stats.Ratio, truth float64) {
			if r.Low <= truth && truth <= r.High {
				covered[figure]++
			}
		}
		for range runs {
			turns, err := stats.OfSlices(slices.Values(d.run(random, bounds)), bounds, 0.95, 0.5, 0.99)
			require.NoError(t, err)
			count("rate", turns.Rate, 1/1.03)
			count("mean", turns.Mean, 1.03)
			count("p50", turns.Quantile(0.5), 1.03)
			count("p99", turns.Quantile(0.99), 1.03)
		}
		for figure, n := range covered {
			require.InDelta(t, 0.95, float64(n)/runs, 0.045, "%s, %s", name, figure)
		}
	}
}

func TestBlocksTakeNoticeOfNeighbours(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const runs, n = 200, 300
	covered := 0
	for range runs {
		pairs := make([]stats.SlicePair, n)
		wave := 0.0
		for i := range pairs {
			wave = 0.8*wave + 0.05*random.NormFloat64() // the ratio itself varies slowly
			pairs[i] = stats.SlicePair{
				Base:   stats.Slice{Seconds: 1, Operations: 1000, Sum: 1, Counts: []float64{1000}},
				Change: stats.Slice{Seconds: math.Exp(wave), Operations: 1000, Sum: 1, Counts: []float64{1000}},
			}
		}
		turns, err := stats.OfSlices(slices.Values(pairs), stats.Classes{0.9, 1.1}, 0.95)
		require.NoError(t, err)
		if turns.Rate.Low <= 1 && 1 <= turns.Rate.High {
			covered++
		}
	}
	require.InDelta(t, 0.93, float64(covered)/runs, 0.05, "pairs taken one by one have 50 of 100")
}

// If all operations fall into one class, a quantile may be anywhere in it.
func TestClassesHideSmallChanges(t *testing.T) {
	pairs := make([]stats.SlicePair, 100)
	for i := range pairs {
		s := stats.Slice{Seconds: 1, Operations: 10, Sum: 10, Counts: []float64{0, 10, 0}}
		pairs[i] = stats.SlicePair{Base: s, Change: s}
	}
	turns, err := stats.OfSlices(slices.Values(pairs), stats.Classes{0.9, 1, 1.03, 1.06}, 0.95, 0.5)
	require.NoError(t, err)
	require.InDelta(t, 1, turns.Rate.High, 1e-9, "it is known exactly")
	require.Greater(t, turns.Quantile(0.5).High, 1.02)
}

// A pause longer than a slice counts for the variant that paused, even in pairs in which the other
// variant did nothing.
func TestPairsInWhichOneDidNothing(t *testing.T) {
	pairs := make([]stats.SlicePair, 200)
	for i := range pairs {
		full := stats.Slice{Seconds: 1, Operations: 10, Sum: 1, Counts: []float64{10}}
		pairs[i] = stats.SlicePair{Base: full, Change: full}
		if i%10 == 0 {
			pairs[i] = stats.SlicePair{Base: stats.Slice{Counts: []float64{0}}, Change: stats.Slice{Seconds: 9, Operations: 10, Sum: 9, Counts: []float64{10}}}
		}
	}
	turns, err := stats.OfSlices(slices.Values(pairs), stats.Classes{0.05, 0.2}, 0.95)
	require.NoError(t, err)
	require.InEpsilon(t, 200.0/(180+20*9), turns.Rate.Ratio, 1e-9)
	require.Less(t, turns.Rate.Low, turns.Rate.Ratio)
	require.Less(t, turns.Rate.High, 0.75)
}

func TestSlicesThatAreRefused(t *testing.T) {
	full := stats.Slice{Seconds: 1, Operations: 1, Sum: 1, Counts: []float64{1}}
	pairs := make([]stats.SlicePair, stats.FewestSlicePairs)
	for i := range pairs {
		pairs[i] = stats.SlicePair{Base: full, Change: full}
	}
	_, err := stats.OfSlices(slices.Values(pairs), stats.Classes{0.9, 1.1}, 0.95)
	require.NoError(t, err)
	pairs[3].Base = stats.Slice{Seconds: 1, Counts: []float64{0}}
	_, err = stats.OfSlices(slices.Values(pairs), stats.Classes{0.9, 1.1}, 0.95)
	require.EqualError(t, err, "an interval takes at least 8 pairs of slices with operations of both, and there are 7")
}
