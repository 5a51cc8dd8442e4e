package workload_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

// These published figures depend on every draw of the generator.
func TestHitRateCheckFigures(t *testing.T) {
	for name, want := range map[string]struct{ cases, hot, accesses, hotAccesses int }{
		"2g-513k":        {16_352, 3_270, 65_408, 52_259},
		"100m-512b":      {819_200, 163_840, 3_276_800, 2_621_158},
		"random-2g-1m":   {16_384, 3_276, 65_536, 52_582},
		"random-100m-1k": {819_200, 163_840, 3_276_800, 2_621_031},
	} {
		t.Run(name, func(t *testing.T) {
			b := published(t, name)
			config := b.Config()
			require.EqualValues(t, want.cases, config.Cases())
			require.EqualValues(t, want.hot, config.HotCases())
			require.EqualValues(t, want.accesses, config.Accesses())
			require.Equal(t, want.accesses, b.Warmup().Left())
			require.Equal(t, want.accesses, b.Timed().Left())
			require.Equal(t, want.hotAccesses, hotAccesses(b, b.Timed()))
			require.NotEqual(t, want.hotAccesses, hotAccesses(b, b.Warmup()), "the timed pass is another one")
			require.True(t, b.Hot(want.hot-1))
			require.False(t, b.Hot(want.hot))
		})
	}
}

func TestHitRateFirstCase(t *testing.T) {
	b := published(t, "2g-513k")
	key := string(b.AppendKey(nil, 0))
	require.Len(t, key, 186)
	require.True(t, strings.HasPrefix(key, "AAAAAAAAAAA=(XO$"), key)
	require.Len(t, b.Value(0), 525_126)
}

func TestHitRateFixedSize(t *testing.T) {
	b := published(t, "100m-512b")
	keys := map[int]int{}
	var key []byte
	for i := range 819_200 {
		key = b.AppendKey(key[:0], i)
		if len(key)+len(b.Value(i)) != 512 {
			t.Fatal(i, len(key), len(b.Value(i)))
		}
		keys[len(key)]++
	}
	require.Len(t, keys, 239, "keys have 12 to 250 bytes")
	require.Contains(t, keys, 12)
	require.Contains(t, keys, 250)
}

func TestHitRateRandomSize(t *testing.T) {
	b := published(t, "random-100m-1k")
	total, smallest, largest := 0, 1<<20, 0
	var key []byte
	for i := range 819_200 {
		key = b.AppendKey(key[:0], i)
		size := len(key) + len(b.Value(i))
		total += size
		smallest, largest = min(smallest, size), max(largest, size)
	}
	require.Equal(t, 12, smallest)
	require.Equal(t, 1024, largest)
	require.InDelta(t, 518, float64(total)/819_200, 1, "uniform from 12 to 1024")
}

// The checksums come from a program that uses the original's packages.
func TestHitRateNeverChanges(t *testing.T) {
	for random, want := range map[bool]string{
		false: "852d6fde95a72d1d2ba414f1f1100888dc8c3a31f49b7424873172ce9a7189ac",
		true:  "84826e7446fe45c2ca164712b0dccd6618dc928811fe8f4026b282b753d28ec0",
	} {
		b, err := workload.NewBenchmark(workload.RateConfig{Random: random, Memory: 4 << 20, Item: 1000, Hot: 20, Access: 80, HotMemory: 80})
		require.NoError(t, err)
		sum := sha256.New()
		var key []byte
		for i := range int(b.Config().Cases()) {
			key = b.AppendKey(key[:0], i)
			sum.Write(key)
			sum.Write(b.Value(i))
		}
		for _, pass := range []*workload.Pass{b.Warmup(), b.Timed()} {
			for i, ok := pass.Next(); ok; i, ok = pass.Next() {
				sum.Write(b.AppendKey(key[:0], i)[:12])
			}
		}
		require.Equal(t, want, hex.EncodeToString(sum.Sum(nil)))
	}
}

func TestHitRateKeysAreDistinctAndVisible(t *testing.T) {
	b := published(t, "100m-512b")
	seen := map[string]bool{}
	for i := range 10_000 {
		key := string(b.AppendKey(nil, i))
		seen[key] = true
		if strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
			t.Fatalf("memcached would refuse %q", key)
		}
	}
	require.Len(t, seen, 10_000)
}

func TestHitRateKeysDoNotAllocate(t *testing.T) {
	b := published(t, "2g-513k")
	key := make([]byte, 0, 250)
	i := 0
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		key = b.AppendKey(key[:0], i)
		if len(b.Value(i)) == 0 {
			t.Fatal("no value")
		}
		i++
	}))
}

// made caches the published benchmarks: generating one takes seconds under the race detector.
var made = map[string]*workload.Benchmark{}

func published(tb testing.TB, name string) *workload.Benchmark {
	tb.Helper()
	sizes := map[string][2]int64{
		"2g-513k": {2 << 30, 513 << 10}, "100m-512b": {100 << 20, 512}, "random-2g-1m": {2 << 30, 1 << 20}, "random-100m-1k": {100 << 20, 1 << 10},
	}
	if made[name] == nil {
		var err error
		made[name], err = workload.NewBenchmark(workload.RateConfig{
			Random: strings.HasPrefix(name, "random"), Memory: sizes[name][0], Item: sizes[name][1], Hot: 20, Access: 80, HotMemory: 80,
		})
		require.NoError(tb, err)
	}

	return made[name]
}

func hotAccesses(b *workload.Benchmark, pass *workload.Pass) int {
	hot := 0
	for i, ok := pass.Next(); ok; i, ok = pass.Next() {
		if b.Hot(i) {
			hot++
		}
	}

	return hot
}
