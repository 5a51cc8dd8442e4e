package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Rates are computed from the sums, not from the rates of parts.
func TestMergedCounters(t *testing.T) {
	halves := mergeHalves(t)
	halves[0].Steps[2].Extra.count(measure.Counters{"hits": 10, "misses": 90, "hot": 4, "hotHits": 1, "messages": 7})
	halves[1].Steps[0].Extra.count(measure.Counters{"hits": 290, "misses": 10, "hot": 4, "hotHits": 3, "messages": 8})
	whole, _, err := Merge(halves...)
	require.NoError(t, err)
	e := whole.Steps[2].Extra
	require.Equal(t, measure.Counters{"hits": 300, "misses": 100, "hot": 8, "hotHits": 4, "messages": 15}, e.counters())
	require.Equal(t, measure.Counters{"messages": 15}, e.Counters, "a cache's have keys of their own")
	require.Equal(t, uint64(300), e.Hits)
	require.InDelta(t, 75, *e.HitRate, 0)
	require.InDelta(t, 50, *e.HotHitRate, 0)
	require.Nil(t, e.PerMemoryHitRate)
}

func TestStepsWithoutCountersHaveNoFiguresOfACache(t *testing.T) {
	s := Step{Seconds: 1}
	s.Weigh(Cache{Memory: 1, AverageItem: 1, Peak: 1})
	require.Equal(t, Extra{}, s.Extra)
}
