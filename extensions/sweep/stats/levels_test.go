package stats_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// steps are the seeds for fuzzing; two bytes for each slot: operations and milliseconds.
func steps() [][]byte {
	var inTurns, endsEarly, rarely, alike []byte
	for i := range 40 {
		inTurns = append(inTurns, byte(4+i%2*8), 6) // clients that stay synchronous
		alike = append(alike, 10, 1)
		switch {
		case i < 5: // the server dies after a quarter of the step
			endsEarly = append(endsEarly, 100, 200)
		default:
			endsEarly = append(endsEarly, 0, 0)
		}
		rarely = append(rarely, byte(max(i%8-6, 0)*200), 0)
	}

	return [][]byte{inTurns, endsEarly, rarely, alike}
}

func FuzzIntervalsAreNumbers(f *testing.F) {
	for _, step := range steps() {
		f.Add(step)
	}
	f.Fuzz(func(t *testing.T, step []byte) {
		o := &measure.OverTime{Width: measure.ShortestSlot}
		for ; len(step) >= 2 && len(o.Slots) < measure.MostSlots; step = step[2:] {
			var took measure.Coarse
			for range step[0] {
				took.Record(time.Duration(step[1]) * time.Millisecond)
			}
			o.Slots = append(o.Slots, measure.NewSlot(0, &took))
		}
		s, known := stats.NewSpread(o, time.Duration(len(o.Slots))*o.Width)
		if !known {
			return
		}
		for name, half := range map[string]float64{"ops/s": s.Rate(), "mean": s.Mean()} {
			require.False(t, math.IsNaN(half) || math.IsInf(half, 0) || half < 0, "%s: %g", name, half)
		}
		for _, q := range []float64{0.5, 0.99, 0.999} {
			low, high, _ := s.Levels(q)
			require.True(t, 0 <= low && low <= q && q <= high && !math.IsInf(high, 0), "%g: from %g to %g", q, low, high)
		}
	})
}
