package stream

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Counters arrive at the end of a call with many operations, and still add up.
func TestStreamOfCounters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, out := metrics.NewRegistry(), make(chan metrics.SampleContainer, 100)
		m, err := Register(registry)
		require.NoError(t, err)
		live := NewLive(m, out, registry.RootTagSet(), Step{})
		once := measure.Totals{}
		once.Durations.Record(time.Millisecond)
		get, set := once, once
		get.Op, set.Op = "get", "set"
		live.tick(time.Now(), &measure.Reading{
			Elapsed: time.Second, Ops: []measure.Totals{get}, Counters: measure.Counters{measure.Hits: 1},
		})
		both := []measure.Totals{get, set}
		live.tick(time.Now(), &measure.Reading{Elapsed: 2 * time.Second, Ops: both, Counters: measure.Counters{measure.Hits: 3, measure.Misses: 1}})
		live.Last(&measure.Reading{Elapsed: 2 * time.Second, Ops: both, Counters: measure.Counters{measure.Hits: 5, measure.Misses: 1}})
		sums, ops, samples := map[string]measure.Counters{}, map[string]uint64{}, map[string]float64{}
		close(out)
		for container := range out {
			for _, second := range container.(*Figures).Seconds {
				sums[second.Op] = sums[second.Op].Plus(second.Counters)
				ops[second.Op] += second.Ops
				if second.Op == report.TotalOp && second.Ops > 0 {
					require.Equal(t, 2*time.Second, second.Elapsed, "from the start, as its counts")
				}
			}
			for _, sample := range container.GetSamples() {
				if op, _ := sample.Tags.Get("op"); sample.Metric == m.Ops {
					samples[op] += sample.Value
				}
			}
		}
		all := measure.Counters{"hits": 5, "misses": 1}
		require.Equal(t, map[string]measure.Counters{"get": all, "set": all, report.TotalOp: all}, sums)
		require.Equal(t, map[string]uint64{"get": 1, "set": 1, report.TotalOp: 2}, ops)
		require.Equal(t, map[string]float64{"get": 1, "set": 1}, samples, "k6 would count a total twice")
	})
}

// A skipped second leaves a gap and does not shift the others.
func TestTimesOfSeconds(t *testing.T) {
	line := time.Unix(1_800_000_000, 5)
	live := &Live{}
	for _, tick := range []struct{ elapsed, at time.Duration }{
		{1000 * time.Millisecond, 1}, {2400 * time.Millisecond, 2}, {3000 * time.Millisecond, 3}, {5900 * time.Millisecond, 5},
		{6000 * time.Millisecond, 6}, {6999 * time.Millisecond, 7}, {8001 * time.Millisecond, 8},
	} {
		require.Equal(t, line.Add(tick.at*time.Second), live.timeOfSecond(line.Add(tick.elapsed), tick.elapsed))
	}
	live.sent = line.Add(8 * time.Second)
	require.Equal(t, line.Add(8500*time.Millisecond), live.timeOfEnd(line.Add(9*time.Second), 8500*time.Millisecond))
	require.Equal(t, live.sent.Add(1), live.timeOfEnd(line.Add(9*time.Second), 7999*time.Millisecond))
}
