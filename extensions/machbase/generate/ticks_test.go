package generate

import (
	"errors"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTicksAreDeterministic(t *testing.T) {
	to := noon.Add(time.Minute)
	first := ticks(t, published(t, 1), noon, to)
	require.Equal(t, first, ticks(t, published(t, 1), noon, to))
	require.NotEqual(t, first, ticks(t, published(t, 2), noon, to), "another seed")

	g := published(t, 1)
	require.Equal(t, first, ticks(t, g, noon, to))
	require.Equal(t, first, ticks(t, g, noon, to), "again from the same generator")
	require.Equal(t, first, ticks(t, g, noon.In(time.FixedZone("", 9*3600)), to), "the zone does not matter")
}

func TestRangesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, tps := range []float64{.3, 7, 13.3} {
		from := time.Date(1969, 12, 31, 22, 30, 0, 0, time.UTC)
		length := 3 * time.Hour
		whole := ticks(t, newStock(3, tps, Codes()), from, from.Add(length))
		g := newStock(3, tps, Codes())
		for range 40 {
			a := from.Add(time.Duration(rng.Int64N(int64(length))))
			b := a.Add(time.Duration(rng.Int64N(int64(from.Add(length).Sub(a)))))
			if rng.IntN(3) == 0 {
				b = a.Add(min(b.Sub(a), time.Second))
			}
			require.Equal(t, within(whole, a, b), ticks(t, g, a, b), "%v to %v at %v", a, b, tps)
		}
	}
}

func within(all []Tick, from, to time.Time) []Tick {
	const beat = 100 * time.Millisecond
	at := func(t time.Time) int {
		return sort.Search(len(all), func(i int) bool { return !all[i].Time().Before(t.Truncate(beat)) })
	}
	return append([]Tick(nil), all[at(from):at(to)]...)
}

func TestConsecutiveRangesAreContinuous(t *testing.T) {
	from, to := noon.Add(59*time.Minute), noon.Add(62*time.Minute)
	whole := ticks(t, newStock(1, 13.3, Codes()), from, to)
	g := newStock(1, 13.3, Codes())
	var pieces []Tick
	for at := from; at.Before(to); at = at.Add(777 * time.Millisecond) {
		end := at.Add(777 * time.Millisecond)
		if end.After(to) {
			end = to
		}
		pieces = append(pieces, ticks(t, g, at, end)...)
		rollups(t, g, at, end.Add(time.Minute))
	}
	require.Equal(t, whole, pieces)
}

func TestAnEmptyRangeHasNoTicks(t *testing.T) {
	g := published(t, 1)
	require.Empty(t, ticks(t, g, noon, noon))
	require.Empty(t, ticks(t, g, noon, noon.Add(99*time.Millisecond)), "less than a beat")
	require.Len(t, ticks(t, g, noon, noon.Add(100*time.Millisecond)), 100)
}

func TestYieldStopsTicks(t *testing.T) {
	g := published(t, 1)
	from, to := noon.Add(time.Minute), noon.Add(2*time.Minute)
	whole := ticks(t, published(t, 1), from, to)
	stop, seen := errors.New("stop"), 0
	err := g.Ticks(from, to, func(*Tick) error {
		if seen++; seen == 150 {
			return stop
		}
		return nil
	})
	require.Equal(t, stop, err)
	require.Equal(t, 150, seen)
	require.Equal(t, whole, ticks(t, g, from, to), "from the start again")

	require.Panics(t, func() { _ = g.Ticks(from, to, func(*Tick) error { panic("oh") }) })
	after := ticks(t, g, to, to.Add(time.Minute))
	require.Equal(t, ticks(t, published(t, 1), to, to.Add(time.Minute)), after)
}

func TestTimesOfTicks(t *testing.T) {
	all := ticks(t, published(t, 1), noon, noon.Add(time.Second))
	require.Len(t, all, 1000)
	for i, tick := range all {
		want := noon.Add(time.Duration(i/100) * 100 * time.Millisecond).Add(time.Duration(i % 100))
		require.Equal(t, want, tick.Time())
	}
}

func TestHoursStartAtTheAnchors(t *testing.T) {
	g := published(t, 1)
	for hour := range 3 {
		from := noon.Add(time.Duration(hour) * time.Hour)
		for _, tick := range ticks(t, g, from, from.Add(100*time.Millisecond)) {
			require.InEpsilon(t, base(g, tick.Code), tick.Price, .01)
		}
	}
}

func base(g *Stock, code string) float64 {
	for i, c := range g.codes {
		if c == code {
			return g.ticks.traits[i].base
		}
	}
	return 0
}
