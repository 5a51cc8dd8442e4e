package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClientWait(t *testing.T) {
	r := reading(100)
	for range 99 {
		r.ClientWait.Record(20 * time.Microsecond)
	}
	r.ClientWait.Record(3 * time.Millisecond)
	s := stepOf(t, &r)
	w := s.ClientWait
	require.EqualValues(t, 100, w.Answers)
	require.InDelta(t, 0.02, w.P50, 1e-4)
	require.InDelta(t, 0.02, w.P99, 1e-4)
	require.InDelta(t, 3, w.Max, 1e-9)
	require.InDelta(t, 0.0498, w.Mean, 1e-9)
	require.NoError(t, s.validate())

	w.Answers = 99
	require.ErrorContains(t, s.validate(), "clientWaitMs.histogram counts 100 answers, but clientWaitMs.answers are 99")
	w.Answers, w.P99 = 100, 2
	require.ErrorContains(t, s.validate(), "clientWaitMs.p99 is 2, but 0.0")
	w.P99, w.Mean = 0.020015, 0.01
	require.ErrorContains(t, s.validate(), "clientWaitMs.mean is 0.01")

	r = reading(100)
	require.Nil(t, stepOf(t, &r).ClientWait, "none was measured")
}

func TestMergeOfClientWaits(t *testing.T) {
	parts := []*Report{mergePart("0:1/3"), mergePart("1/3:2/3"), mergePart("2/3:1")}
	for i, part := range parts {
		r := reading(100)
		for range 3 * i { // none for the first part
			r.ClientWait.Record(time.Duration(i) * time.Millisecond)
		}
		step := *stepOf(t, &r)
		step.Clients = 6
		part.Steps = []Step{step}
	}
	merged, _, err := Merge(parts...)
	require.NoError(t, err)
	w := merged.Steps[0].ClientWait
	require.EqualValues(t, 9, w.Answers)
	require.InDelta(t, 2, w.P99, 1e-9)
	require.InDelta(t, 5.0/3, w.Mean, 1e-6)
}
