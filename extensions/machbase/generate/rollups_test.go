package generate

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func summed(all []Tick, codes []string) (rows []Rollup) {
	type key struct {
		minute int64
		code   string
	}
	sums := map[key]*Rollup{}
	var minutes []int64
	for _, tick := range all {
		minute := tick.Time().Truncate(time.Minute).UnixNano()
		if len(minutes) == 0 || minutes[len(minutes)-1] != minute {
			minutes = append(minutes, minute)
		}
		row := sums[key{minute, tick.Code}]
		if row == nil {
			row = &Rollup{Code: tick.Code, UnixNano: minute}
			sums[key{minute, tick.Code}] = row
		}
		row.SumPrice += tick.Price
		row.SumVolume += tick.Volume
		row.SumBid += tick.BidPrice
		row.SumAsk += tick.AskPrice
		row.Count++
	}
	for _, minute := range minutes {
		for _, code := range codes {
			if row := sums[key{minute, code}]; row != nil {
				rows = append(rows, *row)
			}
		}
	}
	return rows
}

func TestRollupsAreTheSumsOfTheTicks(t *testing.T) {
	for _, tps := range []float64{.5, 33.3, 400} { // the first rate leaves codes without ticks
		g := newStock(1, tps, Codes())
		from, to := noon.Add(57*time.Minute), noon.Add(63*time.Minute)
		require.Equal(t, summed(ticks(t, g, from, to), g.codes), rollups(t, g, from, to))
	}
}

func TestAtTheRateOfTheTablesEveryCodeHasARow(t *testing.T) {
	g := published(t, 1)
	rows := rollups(t, g, noon, noon.Add(10*time.Minute))
	require.Len(t, rows, 10*numCodes)
	require.Equal(t, noon, rows[0].Time())
	require.Equal(t, g.codes[0], rows[0].Code)
}

func TestOnlyFullMinutesAreRolledUp(t *testing.T) {
	g := published(t, 1)
	minute := rollups(t, g, noon.Add(time.Minute), noon.Add(2*time.Minute))
	require.Equal(t, minute, rollups(t, g, noon.Add(1), noon.Add(3*time.Minute-1)))
	require.Empty(t, rollups(t, g, noon.Add(1), noon.Add(2*time.Minute-1)))
	require.Empty(t, rollups(t, g, noon.Add(time.Second), noon.Add(2*time.Second)))
	require.Empty(t, rollups(t, g, noon, noon))
	require.Len(t, rollups(t, g, noon, noon.Add(time.Minute)), numCodes)
}

func TestRangesOfRollupsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	whole := rollups(t, newStock(3, 5, Codes()[:5]), noon, noon.Add(3*time.Hour))
	g := newStock(3, 5, Codes()[:5])
	for range 60 {
		a := rng.IntN(180)
		b := a + rng.IntN(181-a)
		from, to := noon.Add(time.Duration(a)*time.Minute), noon.Add(time.Duration(b)*time.Minute)
		var part []Rollup
		for _, row := range whole {
			if !row.Time().Before(from) && row.Time().Before(to) {
				part = append(part, row)
			}
		}
		require.Equal(t, part, rollups(t, g, from, to))
	}
}

func TestYieldStopsRollups(t *testing.T) {
	g := published(t, 1)
	stop, seen := errors.New("stop"), 0
	err := g.Rollups(time.Minute, noon, noon.Add(time.Hour), func(*Rollup) error {
		if seen++; seen == numCodes+3 {
			return stop
		}
		return nil
	})
	require.Equal(t, stop, err)
	require.Equal(t, numCodes+3, seen)
	require.Equal(t,
		rollups(t, published(t, 1), noon, noon.Add(3*time.Minute)),
		rollups(t, g, noon, noon.Add(3*time.Minute)))
}

func TestSecondsAddUpToTheMinute(t *testing.T) {
	g := newStock(1, 100, Codes())
	to := noon.Add(time.Minute)
	counts := map[string]int64{}
	volumes := map[string]float64{}
	require.NoError(t, g.Rollups(time.Second, noon, to, func(r *Rollup) error {
		require.Zero(t, r.UnixNano%int64(time.Second))
		counts[r.Code] += r.Count
		volumes[r.Code] += r.SumVolume
		return nil
	}))
	minutes := 0
	require.NoError(t, g.Rollups(time.Minute, noon, to, func(r *Rollup) error {
		minutes++
		require.Equal(t, r.Count, counts[r.Code])
		require.InEpsilon(t, r.SumVolume, volumes[r.Code], 1e-12)
		return nil
	}))
	require.Len(t, counts, minutes)
}
