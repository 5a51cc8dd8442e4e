package k6x_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func TestInstruments(t *testing.T) {
	v, i := startedCacheVU(t, true)
	v.VU.State().Tags.Modify(func(tags *metrics.TagsAndMeta) { tags.SetTag("scenario", "hot") })

	i.Count("get", nil, 1, 0)
	i.Count("get", nil, 2, 3)
	i.Count("get", k6x.Errorf(k6x.KindTimeout, "no answer"))
	i.Traffic(5, 7)
	i.Add(i.retries, 1)
	sent := func() (all []string) {
		for _, s := range v.Sent() {
			all = append(all, fmt.Sprintf("%s %g %v", s.Metric.Name, s.Value, s.Tags.Map()))
		}

		return all
	}
	require.Empty(t, sent())
	i.EmitDuration("get", nil, 2*time.Millisecond)
	require.ElementsMatch(t, []string{
		"cache_ops 2 map[op:get outcome:ok scenario:hot]",
		"cache_hits 3 map[op:get outcome:ok scenario:hot]",
		"cache_misses 3 map[op:get outcome:ok scenario:hot]",
		"cache_op_duration 2 map[op:get outcome:ok scenario:hot]",
		"cache_ops 1 map[op:get outcome:timeout scenario:hot]",
		"cache_failed 1 map[op:get scenario:hot]",
		"cache_failed 0 map[op:get scenario:hot]",
		"cache_failed 0 map[op:get scenario:hot]",
		"data_received 5 map[scenario:hot]",
		"data_sent 7 map[scenario:hot]",
		"cache_retries 1 map[scenario:hot]",
	}, sent())
	i.Emit()
	require.Empty(t, sent())
}

// The Rate has one sample per operation, and none in a sweep.
func TestRateOfFailedOperations(t *testing.T) {
	v, i := startedCacheVU(t, true)
	var sink *metrics.RateSink
	failed := func(do func()) (rate metrics.RateSink, samples, trues int) {
		do()
		i.Emit()
		i.Flush()
		for _, s := range v.Sent() {
			for _, sink := range append([]metrics.Sink{s.Metric.Sink}, subSinks(&s)...) { // as k6's ingester does
				sink.Add(s)
			}
			if s.Metric.Name == "cache_failed" {
				sink, _ = s.Metric.Sink.(*metrics.RateSink)
				samples++
				trues += int(s.Value)
				require.NotContains(t, s.Tags.Map(), "outcome")
			}
		}
		if sink != nil {
			rate, *sink = *sink, metrics.RateSink{}
		}

		return rate, samples, trues
	}
	many := func() {
		for range 99 {
			i.Count("get", nil, 1, 0)
		}
		i.CountAll("get", 900, 800, 100)
		i.Count("get", k6x.Errorf(k6x.KindTimeout, "no answer"))
	}

	rate, samples, trues := failed(many)
	require.Equal(t, metrics.RateSink{Trues: 1, Total: 1000}, rate)
	require.Equal(t, []int{1000, 1}, []int{samples, trues})

	rate, _, _ = failed(func() {
		i.Count("get", k6x.Errorf(k6x.KindTimeout, "no answer"))
		i.Count("get", k6x.Errorf(k6x.KindConnect, "refused"))
		i.Count("get", k6x.TestEnded())
	})
	require.Equal(t, metrics.RateSink{Trues: 2, Total: 3}, rate, "the end of the test is no failure")

	v.VU.CtxField = k6x.WithSession(v.VU.CtxField, &k6x.Session{})
	_, samples, _ = failed(many)
	require.Zero(t, samples)
}

func subSinks(s *metrics.Sample) (sinks []metrics.Sink) {
	for _, sub := range s.Metric.Submetrics {
		if s.Tags.Contains(sub.Tags) {
			sinks = append(sinks, sub.Metric.Sink)
		}
	}

	return sinks
}

func TestCountAllocatesNothing(t *testing.T) {
	_, c := startedCacheVU(t, true)
	failed := fmt.Errorf("around it: %w", k6x.Errorf(k6x.KindTimeout, "no answer"))
	other := errors.New("another")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		c.Count("get", nil, 1, 0)
		c.Count("get", failed)
		c.Traffic(1, 2)
		c.Step(0, 1, 2)
	}))
	require.Equal(t, k6x.KindServer, c.As(other).Kind)
}
