package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// The change takes twice the time of base, with 4 clients.
func TestFiguresOfADuet(t *testing.T) {
	const pairs, operations = 200, 10
	var all [2]measure.Coarse
	slice := func(of int, each time.Duration) measure.Slice {
		s := measure.Slice{Busy: operations * each, Durations: new(measure.Coarse)}
		for range operations {
			s.Durations.Record(each)
			all[of].Record(each)
		}

		return s
	}
	of := &measure.SlicePairs{Crossed: 7}
	for i := range pairs {
		slowly := time.Duration(i%5) * 10 * time.Microsecond // occasional noise that hits both
		of.Pairs = append(of.Pairs, measure.SlicePair{
			Base: slice(0, time.Millisecond+slowly), Change: slice(1, 2*(time.Millisecond+slowly)),
		})
	}
	duets := NewDuets(&measure.Reading{
		Ops: []measure.Totals{
			{Op: "get", Variant: measure.Base, Durations: *all[0].Distribution()},
			{Op: "get", Variant: measure.Change, Durations: *all[1].Distribution()},
		},
		Duet: &measure.DuetSlices{Seed: 3, Length: 20 * time.Millisecond, Ops: map[string]*measure.SlicePairs{"get": of}},
	}, Step{Clients: 4, Repeat: 2})
	require.Len(t, duets, 1)
	d := &duets[0]
	require.Empty(t, d.Why)
	require.Equal(t, []any{4, 2, "get", 2 * pairs, 0.02, uint64(7)}, []any{d.Clients, d.Repeat, d.Op, d.Slices, d.SliceSeconds, d.Crossed})

	for figure, want := range map[string][3]float64{ // base, change, ratio
		"opsPerSecond": {4000 / 1.02, 2000 / 1.02, 0.5},
		"mean":         {1.02, 2.04, 2},
		"p50":          {1.02, 2.04, 2},
		"p99":          {1.04, 2.08, 2},
	} {
		f := d.Of(figure)
		require.NotNil(t, f, figure)
		for i, got := range []float64{f.Base, f.Change, f.Ratio} {
			require.InEpsilon(t, want[i], got, 0.04, "%s, %d: a class of the histograms is 3 %% wide", figure, i)
		}
		require.LessOrEqual(t, f.Low, f.Ratio, figure)
		require.GreaterOrEqual(t, f.High, f.Ratio, figure)
	}
}
