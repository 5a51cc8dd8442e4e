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

func TestDoneIsThatOfTheFigureThatIsFarthest(t *testing.T) {
	asked := stats.Aim{OpsPerSecond: 0.01, P99: 0.05}
	for reached, want := range map[stats.Aim]float64{
		{OpsPerSecond: 0.01, P99: 0.05}:               1,
		{OpsPerSecond: 0.005, P99: 0.02}:              1,
		{OpsPerSecond: 0.02, P99: 0.05}:               1.0 / 4,
		{OpsPerSecond: 0.02, P99: 0.20}:               1.0 / 16,
		{OpsPerSecond: 0.04, P99: 0.10}:               1.0 / 16,
		{OpsPerSecond: math.Inf(1), P99: math.Inf(1)}: 0,
	} {
		require.InDelta(t, want, reached.Done(asked), 1e-12, "%v", reached)
		require.Equal(t, want == 1, reached.Meets(asked), "%v", reached)
	}
	require.InDelta(t, 1, stats.Aim{OpsPerSecond: 0.01, P99: 7}.Done(stats.Aim{OpsPerSecond: 0.01}), 0, "p99 does not matter")
}

// Checks are neither frequent nor later than needed.
func TestNextLook(t *testing.T) {
	asked := stats.Aim{OpsPerSecond: 0.01}
	const at = 10 * time.Second
	for reached, want := range map[float64]time.Duration{
		0.0101:      12500 * time.Millisecond,
		0.02:        40 * time.Second,
		0.1:         40 * time.Second,
		math.Inf(1): 40 * time.Second,
	} {
		require.InDelta(t, want, asked.NextLook(at, stats.Aim{OpsPerSecond: reached}), float64(time.Millisecond), "%g", reached)
	}
	between := asked.NextLook(at, stats.Aim{OpsPerSecond: 0.015})
	require.InDelta(t, 24750*time.Millisecond, between, float64(time.Millisecond), "a tenth longer than it takes")
	require.Equal(t, stats.FirstLook, asked.NextLook(0, stats.Aim{}))
}

func TestReachedIsOfTheKindThatIsKnownLeast(t *testing.T) {
	one := func(s server) *measure.Reading {
		r := s.start(rand.New(rand.NewPCG(3, 4)))
		r.until(10 * time.Second)

		return r.reading()
	}
	well, badly := one(server{mean: time.Millisecond}), one(server{mean: 5 * time.Millisecond, neighbour: 3, stays: 0.99})
	worst := stats.Reached(badly, 1)
	best := stats.Reached(well, 1)
	require.Greater(t, worst.OpsPerSecond, 2*best.OpsPerSecond)
	require.Greater(t, worst.P99, best.P99)
	for _, ops := range [][]measure.Totals{{well.Ops[0], badly.Ops[0]}, {badly.Ops[0], well.Ops[0]}} {
		require.Equal(t, worst, stats.Reached(&measure.Reading{Window: well.Window, Ops: ops}, 1))
	}

	operations := float64(well.Ops[0].Durations.Count)
	require.InDelta(t, 5000/operations, stats.Reached(well, 5000).OpsPerSecond, 0.01, "what 5000 clients have begun is not counted")
	require.Equal(t, best.P99, stats.Reached(well, 5000).P99) //nolint:testifylint // the same figure
	require.Equal(t, stats.Aim{OpsPerSecond: math.Inf(1), P99: math.Inf(1)}, stats.Reached(&measure.Reading{Window: time.Second}, 1))
}
