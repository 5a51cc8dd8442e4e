package stream

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

func TestCounts(t *testing.T) {
	registry := metrics.NewRegistry()
	m, err := Register(registry)
	require.NoError(t, err)
	span := &measure.Totals{Op: "get", Failed: 7}
	span.Durations.Count = 99_993
	counted := map[string]float64{}
	for _, s := range m.Counts(registry.RootTagSet().With("op", "get"), time.Now(), span) {
		counted[fmt.Sprint(s.Metric.Name, " ", s.Tags.Map())] += s.Value
	}
	require.Equal(t, map[string]float64{
		"sweep_ops map[op:get outcome:ok]": 99_993, "sweep_ops map[op:get outcome:failed]": 7, "sweep_failed map[op:get]": 7,
	}, counted)
}
