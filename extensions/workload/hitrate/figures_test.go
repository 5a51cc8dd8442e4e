package hitrate_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/workload/hitrate"
)

// Published rows and the measurements behind them. Redis at 100m-512b ran in two processes, which
// are summed. The published rates per memory were computed from hit rates of two decimals.
func TestPublishedRows(t *testing.T) {
	for _, row := range []struct {
		config, store       string
		hits, hot, hotHits  uint64
		peak                int64 // kB
		seconds             float64
		rate, hotRate, perM string
		speed               float64 // hit/s/mem
		output              string  // Mib/s, if published
	}{
		{"2g-513k", "memcached", 46_359, 52_259, 45_115, 2_109_744, 213.891, "70.88", "86.33", "70.46", 215, "869"},
		{"2g-513k", "umem-cache", 44_554, 52_259, 43_189, 2_097_124, 207.229, "68.12", "82.64", "68.12", 215, "862"},
		{"2g-513k", "redis", 36_899, 52_259, 35_923, 1_709_896, 173.986, "56.41", "68.74", "56.41", 212, "850"},
		{"2g-513k", "pogocache", 46_727, 52_259, 43_990, 3_038_480, 213.987, "71.44", "84.18", "49.31", 151, "875"},
		{"100m-512b", "memcached", 2_089_542, 2_621_158, 2_042_441, 106_500, 80.655, "63.77", "77.92", "61.32", 24910, ""},
		{"100m-512b", "umem-cache", 2_033_070, 2_621_158, 1_977_812, 103_700, 77.674, "62.04", "75.46", "61.26", 25846, ""},
		{"100m-512b", "redis", 1_922_697, 2_621_158, 1_870_028, 60_464 + 60_336, 108.226, "58.68", "71.34", "49.74", 15060, ""},
		{"100m-512b", "pogocache", 1_702_793, 2_621_158, 1_652_123, 103_744, 132.189, "51.97", "63.03", "51.30", 12714, ""},
		{"random-2g-1m", "memcached", 43_398, 52_582, 42_203, 2_111_664, 0, "66.22", "80.26", "65.76", 0, ""},
		{"random-2g-1m", "umem-cache", 45_057, 52_582, 43_690, 2_098_372, 0, "68.75", "83.09", "68.71", 0, ""},
	} {
		t.Run(row.config+" "+row.store, func(t *testing.T) {
			config, err := hitrate.Published(row.config)
			require.NoError(t, err)
			rate := hitrate.HitRate(row.hits, uint64(config.Accesses()))
			peak := row.peak << 10
			require.Equal(t, row.rate, fmt.Sprintf("%.2f", rate))
			require.Equal(t, row.hotRate, fmt.Sprintf("%.2f", hitrate.HitRate(row.hotHits, row.hot)))
			require.Equal(t, row.perM, fmt.Sprintf("%.2f", hitrate.PerMemory(math.Round(rate*100)/100, config.Memory, peak)))
			perSecond := hitrate.HitsPerSecond(row.hits, row.seconds)
			require.InDelta(t, row.speed, hitrate.PerMemory(perSecond, config.Memory, peak), 1)
			if row.output != "" {
				output := hitrate.OutputSpeed(row.hits, config.AverageItem(), row.seconds)
				require.Equal(t, row.output, fmt.Sprintf("%.0f", output))
			}
		})
	}
}

func TestFiguresOfNothing(t *testing.T) {
	require.Zero(t, hitrate.HitRate(0, 0))
	require.Zero(t, hitrate.HitsPerSecond(1, 0))
	require.Zero(t, hitrate.OutputSpeed(1, 1, 0))
	require.InDelta(t, 10.0, hitrate.PerMemory(10, 100, 0), 0, "an unknown peak is no gain")
}

func TestAddResults(t *testing.T) {
	at := time.Unix(1000, 0)
	total := hitrate.Result{}
	total.Add(&hitrate.Result{})
	require.Zero(t, total.Took())
	total.Add(&hitrate.Result{Hits: 1, Misses: 2, Failed: 3, Wrong: 1, Refused: 1, Hot: 4, HotHits: 1,
		Began: at.Add(2 * time.Second), Ended: at.Add(5 * time.Second)})
	total.Add(&hitrate.Result{Hits: 10, Misses: 20, Failed: 30, Wrong: 10, Refused: 10, Hot: 40, HotHits: 10,
		Began: at, Ended: at.Add(4 * time.Second)})
	total.Add(&hitrate.Result{}) // an idle client
	require.Equal(t, hitrate.Result{Hits: 11, Misses: 22, Failed: 33, Wrong: 11, Refused: 11, Hot: 44, HotHits: 11,
		Began: at, Ended: at.Add(5 * time.Second)}, total)
	require.EqualValues(t, 66, total.Accesses())
	require.Equal(t, 5*time.Second, total.Took())
}
