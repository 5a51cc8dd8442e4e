package generate

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRatesRefused(t *testing.T) {
	for tps, says := range map[float64]string{
		0: "TPS is 0", -1: "TPS is -1", math.Inf(1): "TPS is +Inf", math.NaN(): "TPS is NaN",
		MaxTPS + 1: "want 0.01 to 1000000 ticks per second",
	} {
		g, err := NewStock(1, tps)
		require.ErrorContains(t, err, says)
		require.Nil(t, g)
	}
}

func TestRangesRefused(t *testing.T) {
	g := published(t, 1)
	for says, r := range map[string][2]time.Time{
		"before its start": {noon, noon.Add(-1)},
		"range starts at":  {{}, noon},
		"range ends at":    {noon, time.Date(2500, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		err := g.Ticks(r[0], r[1], func(*Tick) error { panic("a tick") })
		require.ErrorContains(t, err, says)
		err = g.Rollups(time.Minute, r[0], r[1], func(*Rollup) error { panic("a row") })
		require.ErrorContains(t, err, says)
	}
}

func TestNothingIsAllocatedPerTick(t *testing.T) {
	g := published(t, 1)
	from := noon
	perMinute := testing.AllocsPerRun(5, func() {
		to := from.Add(time.Minute)
		_ = g.Ticks(from, to, func(*Tick) error { return nil })
		_ = g.Rollups(time.Minute, from, to, func(*Rollup) error { return nil })
		from = to
	})
	require.Zero(t, perMinute)
}
