package emulator_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/emulator"
)

func load(t *testing.T, gateway *emulator.Emulator, n int, during time.Duration) int {
	t.Helper()
	var all sync.WaitGroup
	sessions, calls := make([]session, n), make([]int, n)
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
	gateway := start(t, emulator.Config{Name: "published", Shape: emulator.Published(), Machines: 6, Change: 3 * time.Second, Seed: 1})
	calls := load(t, gateway, 5, 2*time.Second)
	summary := gateway.Summary()
	assert.EqualValues(t, calls, summary.Total.TotalCalls, "each call of the clients is one of the server's")
	assert.Zero(t, summary.Total.FailedCalls)
	assert.EqualValues(t, 6*calls, summary.Total.TotalReadResults)
	assert.Greater(t, summary.Total.Latency.P50, 3.0)
	assert.Greater(t, summary.Total.Latency.P99, 5.7)
	assert.Less(t, summary.Total.CallsPerSecond, 1000.0)
	require.Len(t, summary.Sessions, 5)
	for _, session := range summary.Sessions {
		assert.Less(t, session.CallsPerSecond, 267.0)
		assert.Equal(t, "test", session.Client)
	}
}

func TestShapeNoneHasNoDelay(t *testing.T) {
	gateway := start(t, atOnce())
	calls := load(t, gateway, 1, 300*time.Millisecond)
	total := gateway.Summary().Total
	assert.EqualValues(t, calls, total.TotalCalls)
	assert.Less(t, total.Latency.P50, 1.0)
}
