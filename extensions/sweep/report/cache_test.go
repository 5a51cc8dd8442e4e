package report

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Rates are computed from the sums, not from the rates of parts.
func TestMergedCounters(t *testing.T) {
	halves := mergeHalves(t)
	halves[0].Steps[2].Extra.count(measure.Counters{"hits": 10, "misses": 90, "hot": 4, "hotHits": 1, "messages": 7})
	halves[1].Steps[0].Extra.count(measure.Counters{"hits": 290, "misses": 10, "hot": 4, "hotHits": 3, "messages": 8})
	whole, _, err := Merge(halves...)
	require.NoError(t, err)
	e := whole.Steps[2].Extra
	require.Equal(t, measure.Counters{"hits": 300, "misses": 100, "hot": 8, "hotHits": 4, "messages": 15}, e.counters())
	require.Equal(t, measure.Counters{"messages": 15}, e.Counters, "a cache's have keys of their own")
	require.Equal(t, uint64(300), e.Hits)
	require.InDelta(t, 75, *e.HitRate, 0)
	require.InDelta(t, 50, *e.HotHitRate, 0)
	require.Nil(t, e.PerMemoryHitRate)
}

func TestStepsWithoutCountersHaveNoFiguresOfACache(t *testing.T) {
	s := Step{Seconds: 1}
	s.Weigh(Cache{Memory: 1, AverageItem: 1, Peak: 1})
	require.Equal(t, Extra{}, s.Extra)
}

// Published rows and the measurements behind them. Redis at 100m-512b ran in two processes, which
// are summed. The published rates per memory were computed from hit rates of two decimals.
func TestPublishedRowsOfTheHitRateBenchmark(t *testing.T) {
	big, small := Cache{Memory: 2 << 30, AverageItem: 513 << 10}, Cache{Memory: 100 << 20, AverageItem: 512}
	random := Cache{Memory: 2 << 30, AverageItem: 512 << 10}
	for _, row := range []struct {
		cache              Cache
		store              string
		accesses           uint64
		hits, hot, hotHits uint64
		peak               int64 // kB
		seconds            float64
		rate, hotRate      string
		perMemory, speed   float64 // hit/s/mem
		output             string  // Mib/s, if published
	}{
		{big, "memcached", 65_408, 46_359, 52_259, 45_115, 2_109_744, 213.891, "70.88", "86.33", 70.46, 215, "869"},
		{big, "umem-cache", 65_408, 44_554, 52_259, 43_189, 2_097_124, 207.229, "68.12", "82.64", 68.12, 215, "862"},
		{big, "redis", 65_408, 36_899, 52_259, 35_923, 1_709_896, 173.986, "56.41", "68.74", 56.41, 212, "850"},
		{big, "pogocache", 65_408, 46_727, 52_259, 43_990, 3_038_480, 213.987, "71.44", "84.18", 49.31, 151, "875"},
		{small, "memcached", 3_276_800, 2_089_542, 2_621_158, 2_042_441, 106_500, 80.655, "63.77", "77.92", 61.32, 24910, ""},
		{small, "umem-cache", 3_276_800, 2_033_070, 2_621_158, 1_977_812, 103_700, 77.674, "62.04", "75.46", 61.26, 25846, ""},
		{small, "redis", 3_276_800, 1_922_697, 2_621_158, 1_870_028, 60_464 + 60_336, 108.226, "58.68", "71.34", 49.74, 15060, ""},
		{small, "pogocache", 3_276_800, 1_702_793, 2_621_158, 1_652_123, 103_744, 132.189, "51.97", "63.03", 51.30, 12714, ""},
		{random, "memcached", 65_536, 43_398, 52_582, 42_203, 2_111_664, 0, "66.22", "80.26", 65.76, 0, ""},
		{random, "umem-cache", 65_536, 45_057, 52_582, 43_690, 2_098_372, 0, "68.75", "83.09", 68.71, 0, ""},
	} {
		s := Step{Seconds: row.seconds}
		s.Extra.count(measure.Counters{
			measure.Hits: row.hits, measure.Misses: row.accesses - row.hits, measure.Hot: row.hot, measure.HotHits: row.hotHits,
		})
		row.cache.Peak = row.peak << 10
		s.Weigh(row.cache)
		require.Equal(t, row.rate, fmt.Sprintf("%.2f", *s.Extra.HitRate), row.store)
		require.Equal(t, row.hotRate, fmt.Sprintf("%.2f", *s.Extra.HotHitRate), row.store)
		require.InDelta(t, row.perMemory, *s.Extra.PerMemoryHitRate, 0.0101, row.store)
		require.InDelta(t, row.speed, *s.Extra.HitsPerSecondMem, 1, row.store)
		if row.output != "" {
			require.Equal(t, row.output, fmt.Sprintf("%.0f", *s.Extra.OutMibPerSecond), row.store)
		}
	}
}
