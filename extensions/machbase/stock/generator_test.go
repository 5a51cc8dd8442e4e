package stock

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		options Options
		says    string
	}{
		"no rate":       {Options{Codes: Codes()}, "TPS is 0"},
		"negative rate": {Options{TPS: -1, Codes: Codes()}, "TPS is -1"},
		"NaN":           {Options{TPS: math.NaN(), Codes: Codes()}, "TPS is NaN"},
		"infinite":      {Options{TPS: math.Inf(1), Codes: Codes()}, "TPS is +Inf"},
		"too fast":      {Options{TPS: MaxTPS + 1, Codes: Codes()}, "want 0.01 to 1000000 ticks per second"},
		"no codes":      {Options{TPS: 1}, "Codes is empty"},
		"empty code":    {Options{TPS: 1, Codes: []string{"A", ""}}, "Codes[1] is an empty string"},
		"twice":         {Options{TPS: 1, Codes: []string{"A", "B", "A"}}, `Codes[2] is "A", which is repeated`},
		"too long":      {Options{TPS: 1, Codes: []string{strings.Repeat("A", 21)}}, "longer than 20 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := New(c.options)
			require.ErrorContains(t, err, c.says)
			require.Nil(t, g)
		})
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

func TestOptionsAreCopied(t *testing.T) {
	codes := Codes()
	g := generator(t, Options{Seed: 1, TPS: DefaultTPS, Codes: codes})
	clear(codes)
	require.Equal(t,
		ticks(t, published(t, 1), noon, noon.Add(time.Second)),
		ticks(t, g, noon, noon.Add(time.Second)))
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
