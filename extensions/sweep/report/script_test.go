package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

func madeUpScript(n int) *Script {
	began := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
	var sizes measure.Distribution
	for i := range 100 * n {
		sizes.Record(time.Duration(1+i) * TrendUnit)
	}
	size := Metric{Name: "size", Kind: KindTrend, Samples: uint64(100 * n), Value: float64(1+100*n) / 2, Min: 1, Max: float64(100 * n)}
	size.SetDistribution(&sizes)

	return &Script{
		Seconds: float64(n), VUs: &VUs{Started: began, SlotSeconds: 1, Active: []float64{4, 8}},
		Metrics: []Metric{
			{Name: "checks", Kind: KindRate, Samples: 400, Value: 0.75, Max: 1},
			{Name: "data_sent", Kind: KindCounter, Samples: 10, Value: 12_345, Max: 2000},
			{Name: "queue", Kind: KindGauge, Samples: 3, Value: 4, Min: 1, Max: 9, Last: began.Add(time.Duration(n) * time.Second)},
			size,
		},
	}
}

func TestScriptsAreMerged(t *testing.T) {
	a, b := madeUpScript(2), madeUpScript(3)
	b.VUs.Started = a.VUs.Started.Add(time.Second)
	b.Metrics[0].Value, b.Metrics[2].Value = 0.25, 7
	merged, err := mergedScript([]*Report{{Script: a}, {Script: b}})
	require.NoError(t, err)
	require.InDelta(t, 3, merged.Seconds, 0)
	require.Equal(t, []float64{4, 12, 8}, merged.VUs.Active)

	var sizes measure.Distribution
	for _, n := range []int{200, 300} {
		for i := range n {
			sizes.Record(time.Duration(1+i) * TrendUnit)
		}
	}
	size := Metric{Name: "size", Kind: KindTrend, Samples: 500, Value: (200*100.5 + 300*150.5) / 500, Min: 1, Max: 300}
	size.SetDistribution(&sizes)
	require.Equal(t, []Metric{
		{Name: "checks", Kind: KindRate, Samples: 800, Value: 0.5, Max: 1},
		{Name: "data_sent", Kind: KindCounter, Samples: 20, Value: 24_690, Max: 2000},
		{Name: "queue", Kind: KindGauge, Samples: 6, Value: 7, Min: 1, Max: 9, Last: b.Metrics[2].Last},
		size,
	}, merged.Metrics)

	b.Metrics[0].Kind = KindCounter
	_, err = mergedScript([]*Report{{Script: a}, {Script: b}})
	require.EqualError(t, err, "the metric checks is a rate in part 1 and a counter in part 2")
}
