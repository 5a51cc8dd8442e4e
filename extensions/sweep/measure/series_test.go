package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func durations() map[string]func(r *rand.Rand) time.Duration {
	return map[string]func(r *rand.Rand) time.Duration{
		"constant": func(*rand.Rand) time.Duration { return 12_345_678 },
		"skewed":   func(r *rand.Rand) time.Duration { return time.Duration(1e6 * math.Exp(1.5*r.NormFloat64())) },
		"bimodal": func(r *rand.Rand) time.Duration {
			if r.IntN(10) == 0 {
				return 80*time.Millisecond + time.Duration(r.IntN(int(time.Millisecond)))
			}

			return 2*time.Millisecond + time.Duration(r.IntN(int(100*time.Microsecond)))
		},
	}
}

func TestPercentilesOfASeriesAreWithinAThousandth(t *testing.T) {
	for name, shape := range durations() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			s := NewSeries("get", 0, true)
			var exact []time.Duration
			for i := range 100_000 {
				took := shape(r)
				exact = append(exact, took)
				s.Ok(time.Duration(i)*time.Millisecond, took)
			}
			slices.Sort(exact)
			totals := s.Totals(100 * time.Second)
			require.EqualValues(t, len(exact), totals.Durations.Count)
			require.EqualValues(t, len(exact), totals.Within)
			for _, q := range []float64{0.5, 0.9, 0.95, 0.99, 0.999, 1} {
				want := exact[int(math.Ceil(q*float64(len(exact))))-1]
				require.InEpsilon(t, want, totals.Durations.Quantile(q), 0.001, "quantile %g", q)
			}
			var inSlots int64
			for i := range totals.OverTime.Slots {
				inSlots += totals.OverTime.Slots[i].Count()
			}
			require.EqualValues(t, len(exact), inSlots)
			require.LessOrEqual(t, len(totals.OverTime.Slots), MostSlots)
		})
	}
}

func TestASeriesAbsorbsAnother(t *testing.T) {
	a, b, both := NewSeries("a", 2*time.Second, false), NewSeries("b", 2*time.Second, true), NewSeries("a", 2*time.Second, false)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 1000 {
		at, took := time.Duration(i)*3*time.Millisecond, time.Duration(r.IntN(1e9))
		one := []*Series{a, b}[i%2]
		if i%10 == 0 {
			one.Fail(at, took, "refused")
			both.Fail(at, took, "refused")
		} else {
			one.Ok(at, took)
			both.Ok(at, took)
		}
	}
	a.Absorb(b)
	want, got := both.Totals(3*time.Second), a.Totals(3*time.Second)
	require.Equal(t, want.Durations, got.Durations)
	require.Equal(t, want.Failures, got.Failures)
	require.Equal(t, want.Within, got.Within)
	require.Equal(t, want.Errors, got.Errors)
	require.EqualValues(t, 1000, a.Ended())
	require.GreaterOrEqual(t, a.Bytes(), both.Bytes())
}

func TestASeriesOverTime(t *testing.T) {
	s := NewSeries("get", time.Second, true)
	s.Ok(500*time.Millisecond, time.Millisecond)
	s.Fail(1900*time.Millisecond, -1, "refused")
	s.Ok(1500*time.Millisecond, time.Millisecond) // out of order: counts in the current slot
	totals := s.Totals(2 * time.Second)
	require.EqualValues(t, 1, totals.Within)
	require.Zero(t, totals.Failures.Count)
	slots := totals.OverTime.Slots
	at := func(time time.Duration) *Slot { return &slots[time/totals.OverTime.Width] }
	require.EqualValues(t, 1, at(500*time.Millisecond).Count())
	require.EqualValues(t, 1, at(1900*time.Millisecond).Count())
	require.EqualValues(t, 1, at(1900*time.Millisecond).Failed)
}
