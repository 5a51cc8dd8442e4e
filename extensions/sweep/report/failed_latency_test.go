package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFailedLatency(t *testing.T) {
	r := reading(100)
	r.Ops[0].Failed = 5
	for range 4 { // the fifth has no duration
		r.Ops[0].Failures.Record(5 * time.Second)
	}
	s := stepOf(t, &r)
	require.InDelta(t, 1, s.Latency.Max, 1e-9, "and not among them")
	f := s.FailedLatency
	require.InDelta(t, 5000, f.P50, 1e-9)
	require.InDelta(t, 5000, f.P99, 1e-9)
	require.InDelta(t, 5000, f.Max, 1e-9)
	require.InDelta(t, 5000, f.Mean, 1e-9)
	report := &Report{Steps: []Step{*s}}
	require.Contains(t, report.notes(), "2 clients: failed operations took p50 5000ms, p99 5000ms, max 5000ms")

	r = reading(100)
	require.Nil(t, stepOf(t, &r).FailedLatency, "nothing has failed")
}

func TestMergeOfFailedLatencies(t *testing.T) {
	parts := []*Report{mergePart("0:1/2"), mergePart("1/2:1")}
	for i, part := range parts {
		r := reading(100)
		for range 3 * i { // none for the first part
			r.Ops[0].Failed++
			r.Ops[0].Failures.Record(time.Duration(i) * time.Second)
		}
		step := *stepOf(t, &r)
		step.Clients = 4
		part.Steps = []Step{step}
	}
	merged, _, err := Merge(parts...)
	require.NoError(t, err)
	require.EqualValues(t, 3, merged.Steps[0].Failed)
	require.InDelta(t, 1000, merged.Steps[0].FailedLatency.P99, 1e-9)
	require.InDelta(t, 1000, merged.Steps[0].FailedLatency.Mean, 1e-9)
}
