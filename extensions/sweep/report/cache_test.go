package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Lookups are of the whole step: rates come of the sums, not of the parts' rates.
func TestMergedLookups(t *testing.T) {
	halves := mergeHalves(t)
	halves[0].Steps[2].Extra.look(measure.Lookups{Hits: 10, Misses: 90, Hot: 4, HotHits: 1})
	halves[1].Steps[0].Extra.look(measure.Lookups{Hits: 290, Misses: 10, Hot: 4, HotHits: 3})
	whole, _, err := Merge(halves...)
	require.NoError(t, err)
	e := whole.Steps[2].Extra
	require.Equal(t, measure.Lookups{Hits: 300, Misses: 100, Hot: 8, HotHits: 4}, e.lookups())
	require.InDelta(t, 75, *e.HitRate, 0)
	require.InDelta(t, 50, *e.HotHitRate, 0)
	require.Nil(t, e.PerMemoryHitRate)
}

func TestStepsWithoutLookupsHaveNoFiguresOfACache(t *testing.T) {
	s := Step{Seconds: 1}
	s.Weigh(Cache{Memory: 1, AverageItem: 1, Peak: 1})
	require.Equal(t, Extra{}, s.Extra)
}
