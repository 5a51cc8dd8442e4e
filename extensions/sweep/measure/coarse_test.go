package measure

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Each duration has one counter, with a resolution of 1/32 or better from 1 us on.
func TestCoarseCountersTileTheRange(t *testing.T) {
	next := time.Duration(0)
	for i := range coarseCounters {
		lowest, highest := coarseLowest(i), coarseHighest(i)
		require.Equal(t, next, lowest, "counter %d does not begin where the one before ends", i)
		if lowest >= 1024 {
			require.LessOrEqual(t, (highest-lowest+1)*32, lowest, "counter %d is too wide", i)
		}
		if highest <= Highest {
			require.Equal(t, i, coarseIndex(int64(lowest)), "lowest value of counter %d", i)
			require.Equal(t, i, coarseIndex(int64(highest)), "highest value of counter %d", i)
		}
		next = highest + 1
	}
	require.Greater(t, next, Highest, "the last counter does not reach 1 h")
	require.Equal(t, coarseCounters, coarsePages*coarsePageSize, "pages hold all counters")
	require.Less(t, coarseIndex(math.MaxInt64), coarseCounters)
}

func TestCoarseQuantileAgainstSortedSamples(t *testing.T) {
	for name, durations := range shapes(20_000) {
		t.Run(name, func(t *testing.T) {
			var c Coarse
			var sum time.Duration
			for _, d := range durations {
				c.Record(d)
				sum += d
			}
			sorted := slices.Sorted(slices.Values(durations))
			require.Equal(t, int64(len(durations)), c.Count())
			require.Equal(t, sum, c.Sum())
			for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.99, 0.999, 1} {
				exact := sorted[max(int(math.Ceil(q*float64(len(sorted))))-1, 0)]
				require.GreaterOrEqual(t, c.Quantile(q), exact, "q %g", q)
				require.LessOrEqual(t, float64(c.Quantile(q)), float64(max(exact, 1024))*(1+1.0/32), "q %g", q)
			}
		})
	}
}

func TestCoarseEmpty(t *testing.T) {
	var c Coarse
	require.Zero(t, c.Count())
	require.Zero(t, c.Quantile(0.5))
	require.Zero(t, c.Mean())
	require.Zero(t, c.Distribution().Count)
}

// If several goroutines allocate the same page at once, no count is lost.
func TestCoarsePagesAreMadeOnce(t *testing.T) {
	for range 200 {
		var c Coarse
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() { c.Record(time.Millisecond) })
		}
		group.Wait()
		require.Equal(t, int64(4), c.Count())
	}
}

func TestCoarseRecordingAllocatesNothing(t *testing.T) {
	var c Coarse
	c.Record(time.Millisecond)
	require.Zero(t, testing.AllocsPerRun(1000, func() { c.Record(time.Millisecond) }))
}

func TestCoarseMerge(t *testing.T) {
	var a, b Coarse
	a.Record(time.Millisecond)
	b.Record(3 * time.Millisecond)
	b.Record(2 * time.Hour)
	a.Merge(&b)
	require.Equal(t, int64(3), a.Count())
	require.Equal(t, int64(2), b.Count(), "the other is left alone")
	require.Equal(t, 2*time.Hour+4*time.Millisecond, a.Sum())
	require.GreaterOrEqual(t, a.Quantile(1), Highest)
}

func TestCoarseComesBackFromItsEncoding(t *testing.T) {
	for name, durations := range shapes(5_000) {
		t.Run(name, func(t *testing.T) {
			var c, back Coarse
			for _, d := range durations {
				c.Record(d)
			}
			encoded := c.Distribution().Encode()
			decoded, err := Decode(encoded)
			require.NoError(t, err)
			decoded.SetExact(decoded.Max, c.Mean())
			back.AddDistribution(&decoded)

			require.Equal(t, c.Count(), back.Count())
			require.InEpsilon(t, float64(c.Mean()), float64(back.Mean()), 0.001)
			for _, q := range []float64{0.01, 0.5, 0.99, 1} {
				require.Equal(t, c.Quantile(q), back.Quantile(q), "q %g", q)
			}
		})
	}
}

func BenchmarkCoarseRecord(b *testing.B) {
	var c Coarse
	durations := skewed(1 << 12)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Record(durations[i%len(durations)])
	}
}
