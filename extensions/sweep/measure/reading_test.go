package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestJoin(t *testing.T) {
	of := func(op string, failed uint64, durations ...time.Duration) Totals {
		totals := Totals{Op: op, Failed: failed}
		for _, d := range durations {
			totals.Durations.Record(d)
		}
		for range failed {
			totals.AddError("full")
		}

		return totals
	}
	r := Reading{Elapsed: time.Second, Ops: []Totals{of("get", 1, ms, 2*ms), of("set", 0, ms)}}
	r.Join(&Reading{Elapsed: 200 * ms, Ops: []Totals{of("get", 2, 5*ms), of("connect", 0, 3*ms)}})

	require.Equal(t, 1200*ms, r.Elapsed)
	require.Equal(t, []string{"connect", "get", "set"}, []string{r.Ops[0].Op, r.Ops[1].Op, r.Ops[2].Op})
	get := r.Op("get")
	require.EqualValues(t, 3, get.Durations.Count)
	require.Equal(t, 5*ms, get.Durations.Max)
	require.EqualValues(t, 3, get.Failed)
	require.Equal(t, map[string]uint64{"full": 3}, get.Errors)
	require.EqualValues(t, 1, r.Op("connect").Durations.Count)
}
