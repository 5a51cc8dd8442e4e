package report

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

func TestRequests(t *testing.T) {
	r := reading(100)
	for range 50 {
		r.Requests.Record(4 * time.Millisecond)
	}
	s := stepOf(t, &r)
	require.EqualValues(t, 50, s.Requests.Answers)
	require.InDelta(t, 4, s.Requests.P50, 1e-2)
}

// One note says that a script's operations were mostly its own sleep. On a full machine it is
// missing, because requests wait before k6 starts to count.
func TestOwnTimeOfAScript(t *testing.T) {
	slept := func(limitedBy witness.Word, requestMs float64) *Report {
		return madeUp(func(r *Report) {
			of := func(s *Step) {
				s.Operations, s.Latency.Mean = 1000, 13.1
				s.Requests = &AnswersMs{Answers: 1000, Mean: requestMs}
				s.Witness = &Witness{LimitedBy: limitedBy, Why: "so."}
			}
			r.Steps = []Step{step(8, 1, "get", of), step(64, 1, "get", of)}
		})
	}
	want := "8 clients: an operation took 13.1ms on average, and its requests 3.900ms of that. The rest is the script's own, such as sleep()"
	require.Equal(t, 1, strings.Count(slept(witness.Clients, 3.9).Markdown(), want))
	require.NotContains(t, slept(witness.Clients, 12).Markdown(), "The rest is the script's own")
	require.NotContains(t, slept(witness.Host, 3.9).Markdown(), "The rest is the script's own")
}

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
