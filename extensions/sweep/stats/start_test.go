package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// together simulates a step of clients that begin together. Operations take 20 ms plus an
// exponential time of 20 ms.
func together(random *rand.Rand, clients int, lasts time.Duration) (o *measure.OverTime, operations float64) {
	const least = 20 * time.Millisecond
	slots := make([]measure.Coarse, lasts/measure.ShortestSlot)
	for range clients {
		for at := time.Duration(0); ; {
			took := least + time.Duration(random.ExpFloat64()*float64(least))
			if at += took; at >= lasts {
				break
			}
			slots[at/measure.ShortestSlot].Record(took)
			operations++
		}
	}
	o = &measure.OverTime{Width: measure.ShortestSlot}
	for i := range slots {
		o.Slots = append(o.Slots, measure.NewSlot(0, &slots[i]))
	}

	return o, operations
}

// The common start does not widen the interval of a short step with many clients.
func TestStartIsNoSpread(t *testing.T) {
	t.Parallel()
	const runs, clients, lasts = 300, 512, 2500 * time.Millisecond
	var operations, half []float64
	mean, variance, halves := 0.0, 0.0, 0.0
	for i := range runs {
		o, n := together(rand.New(rand.NewPCG(uint64(i), 2)), clients, lasts)
		s, known := stats.NewSpread(o, lasts)
		require.True(t, known)
		operations, half = append(operations, n), append(half, s.Rate())
		mean, halves = mean+n/runs, halves+s.Rate()/runs
	}
	held := 0.0
	for i, n := range operations {
		variance += (n - mean) * (n - mean) / runs
		if math.Abs(n-mean) <= half[i]*n {
			held++
		}
	}
	t.Logf("held %.1f %%, half an interval %.2f %%, spread %.2f %%", 100*held/runs, 100*halves, 196*math.Sqrt(variance)/mean)
	require.InDelta(t, 0.955, held/runs, 0.035)
	require.InDelta(t, 1.96*math.Sqrt(variance)/mean, halves, 0.0015)
}
