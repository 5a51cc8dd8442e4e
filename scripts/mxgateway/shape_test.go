package main

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func load(t *testing.T, gateway *started, n int, during time.Duration) int {
	t.Helper()
	var all sync.WaitGroup
	sessions, calls := make([]clientSession, n), make([]int, n)
	for i := range sessions {
		sessions[i] = dial(t, gateway, fullKey).open(t)
		_, err := sessions[i].subscribe(six()...)
		require.NoError(t, err)
	}
	for i, s := range sessions {
		all.Go(func() {
			for end := time.Now().Add(during); time.Now().Before(end); calls[i]++ {
				reply, err := s.read(six()...)
				if !assert.NoError(t, err) || !assert.Len(t, reply.GetBulkRead().GetResults(), 6) {
					return
				}
			}
		})
	}
	all.Wait()
	total := 0
	for _, own := range calls {
		total += own
	}
	return total
}

// The model's own tests check durations. A busy machine can only make calls longer.
func TestFiveSessionsShareTheGateway(t *testing.T) {
	gateway := start(t, config{shape: published()})
	calls := load(t, gateway, 5, 2*time.Second)
	summary := gateway.recorder.summary()
	assert.EqualValues(t, calls, summary.Total.TotalCalls, "each call of the clients is one of the server's")
	assert.Zero(t, summary.Total.FailedCalls)
	assert.EqualValues(t, 6*calls, summary.Total.TotalReadResults)
	assert.Greater(t, summary.Total.LatencyMs.P50, 3.0)
	assert.Greater(t, summary.Total.LatencyMs.P99, 5.7)
	assert.Less(t, summary.Total.CallsPerSecond, 1000.0)
	require.Len(t, summary.Sessions, 5)
	for _, session := range summary.Sessions {
		assert.Less(t, float64(session.TotalCalls), 2*267.0)
		assert.Equal(t, "test", session.Client)
	}
}

func TestShapeNoneHasNoDelay(t *testing.T) {
	gateway := start(t, config{})
	calls := load(t, gateway, 1, 300*time.Millisecond)
	total := gateway.recorder.summary().Total
	assert.EqualValues(t, calls, total.TotalCalls)
	assert.Less(t, total.LatencyMs.P50, 1.0)
}
