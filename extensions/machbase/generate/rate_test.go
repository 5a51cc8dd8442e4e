package generate

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRate(t *testing.T) {
	for _, tps := range []float64{MinTPS, .1, 1, 3, 9.99, 10, 12.5, 33.3, 200} {
		g := newStock(0, tps, Codes())
		for hour := range 2 {
			from := noon.Add(time.Duration(hour) * time.Hour)
			n := 0
			require.NoError(t, g.Ticks(from, from.Add(time.Hour), func(*Tick) error { n++; return nil }))
			require.Equal(t, int(math.Floor(tps*3600+1e-6)), n, "%v ticks per second", tps)
		}
	}
}

func TestFractionsAreSpread(t *testing.T) {
	g := newStock(0, 12.5, Codes())
	for s := range 600 {
		from := noon.Add(time.Duration(s) * time.Second)
		require.InDelta(t, 12.5, len(ticks(t, g, from, from.Add(time.Second))), .5)
	}
}

// Chi-square of an hour's codes and of the first codes of many hours: mean 691 (the degrees of
// freedom), deviation sqrt(2*691) = 37.
func TestCodesAreUniform(t *testing.T) {
	g := published(t, 1)
	hour, starts := map[string]int{}, map[string]int{}
	require.NoError(t, g.Ticks(noon, noon.Add(time.Hour), func(tick *Tick) error { hour[tick.Code]++; return nil }))
	for h := range 500 {
		from := noon.Add(time.Duration(h) * time.Hour)
		require.NoError(t, g.Ticks(from, from.Add(100*time.Millisecond), func(tick *Tick) error { starts[tick.Code]++; return nil }))
	}
	for name, counts := range map[string]map[string]int{"one hour": hour, "starts of hours": starts} {
		total, chi2 := 0, 0.
		for _, n := range counts {
			total += n
		}
		expected := float64(total) / numCodes
		for _, code := range g.codes {
			chi2 += math.Pow(float64(counts[code])-expected, 2) / expected
		}
		require.InDelta(t, numCodes-1, chi2, 5*37, name)
	}
}

func TestValuesAreSane(t *testing.T) {
	g := published(t, 1)
	require.NoError(t, g.Ticks(noon, noon.Add(time.Hour), func(tick *Tick) error {
		spread := (tick.AskPrice - tick.BidPrice) / tick.Price
		ok := tick.Price >= 1 && tick.Price < 1000 &&
			tick.BidPrice < tick.Price && tick.Price < tick.AskPrice &&
			spread > .00049 && spread < .00201 &&
			tick.Volume >= 100 && tick.Volume < 12000
		if !ok {
			t.Fatalf("%+v", tick)
		}
		return nil
	}))
}

func TestFloors(t *testing.T) {
	g := newStock(0, MinTPS, []string{"A"})
	for i := range g.ticks.traits {
		g.ticks.traits[i] = traits{base: 0, baseVolume: 0, volatility: 100, drift: 0}
	}
	for _, tick := range ticks(t, g, noon, noon.Add(time.Hour)) {
		require.GreaterOrEqual(t, tick.Price, 1.)
		require.GreaterOrEqual(t, tick.BidPrice, .01)
		require.Equal(t, 1., tick.Volume)
	}
}

func TestVolatility(t *testing.T) {
	g := newStock(5, 100, []string{"A"})
	is := g.ticks.traits[0]
	last, n, sum2 := is.base, 0, 0.
	require.NoError(t, g.Ticks(noon, noon.Add(time.Hour), func(tick *Tick) error {
		pulled := (tick.Price - .001*is.base) / .999
		move := pulled/last - 1
		sum2 += move * move
		last = tick.Price
		n++
		return nil
	}))
	require.InEpsilon(t, is.volatility*math.Sqrt(.01), math.Sqrt(sum2/float64(n)), .02)
}
