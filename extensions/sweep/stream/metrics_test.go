package stream

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// The samples of sweep_failed are as many as there were operations, up to a hundred, each at a time
// of its own, and a failure is never missing among them.
func TestTrials(t *testing.T) {
	registry := metrics.NewRegistry()
	m, err := Register(registry)
	require.NoError(t, err)
	for _, tt := range []struct{ succeeded, failed, samples, trues int }{
		{0, 0, 0, 0}, {3, 0, 3, 0}, {3, 1, 4, 1}, {0, 7, 7, 7}, {99, 1, 100, 1}, {750, 250, 100, 25}, {99_999, 1, 100, 1}, {1, 99_999, 100, 100},
	} {
		span := &measure.Totals{Op: "get", Failed: uint64(tt.failed)}
		span.Durations.Count = int64(tt.succeeded)
		times, trues, counted := map[time.Time]bool{}, 0, []string{}
		for _, s := range m.Counts(registry.RootTagSet().With("op", "get"), time.Now(), span) {
			if s.Metric == m.Ops {
				outcome, _ := s.Tags.Get("outcome")
				counted = append(counted, fmt.Sprint(outcome, " ", s.Value))

				continue
			}
			require.Equal(t, m.Failed, s.Metric)
			require.Equal(t, map[string]string{"op": "get"}, s.Tags.Map())
			times[s.Time] = true
			trues += int(s.Value)
		}
		require.Len(t, times, tt.samples)
		require.Equal(t, tt.trues, trues)
		require.Equal(t, []string{fmt.Sprint("ok ", tt.succeeded), fmt.Sprint("failed ", tt.failed)}, counted)
	}
}
