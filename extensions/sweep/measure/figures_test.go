package measure

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// All that is noted is in the number and the sum, whatever moves on the way.
func TestFiguresAreExact(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   func(r *rand.Rand) int64
	}{
		{"short ones", func(r *rand.Rand) int64 { return r.Int64N(1000) }},
		{"the longest that are recent", func(*rand.Rand) int64 { return longest - 1 }},
		{"the shortest that are not", func(*rand.Rand) int64 { return longest }},
		{"hours", func(r *rand.Rand) int64 { return r.Int64N(int64(100 * time.Hour)) }},
		{"of all lengths", func(r *rand.Rand) int64 { return r.Int64N(int64(time.Hour)) >> r.IntN(42) }},
		{"none at all", func(*rand.Rand) int64 { return 0 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 6))
			var f figures
			var sum, longest int64
			shortest := int64(math.MaxInt64)
			for n := range int64(20_000) {
				v := tt.in(r)
				f.note(v)
				sum, shortest, longest = sum+v, min(shortest, v), max(longest, v)
				number, total := f.read()
				require.Equal(t, []int64{n + 1, sum, shortest, longest}, []int64{number, total, f.min.Load(), f.max.Load()})
			}
		})
	}
}

// Who reads while one is noted, or while some move, finds a number and the sum of as many.
func TestFiguresAreReadWhole(t *testing.T) {
	const times = 200_000
	for name, each := range map[string]int64{"most are recent": 1000, "each moves": longest} {
		t.Run(name, func(t *testing.T) {
			var f figures
			var over atomic.Bool
			go func() {
				defer over.Store(true)
				for range times {
					f.note(each)
				}
			}()

			var last int64
			for !over.Load() {
				number, sum := f.read()
				require.Equal(t, number*each, sum)
				require.GreaterOrEqual(t, number, last)
				last = number
			}
			require.Equal(t, int64(times), f.count())
		})
	}
}
