//go:build unix && !portable

package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The latency includes any delay by the machine.
func TestOpenLoopLatencyIncludesDelay(t *testing.T) {
	for _, rate := range []float64{100, 1000} {
		s := NewStep(8, Plan{Rate: rate, Duration: time.Second / 2}, nil)
		requireNoErrors(t, together(s, doing(t, 0)))

		r := s.Read()
		d, late := &r.Op("op").Durations, &r.OpenLoop.Lateness
		require.NotZero(t, d.Count)
		require.Equal(t, d.Count, late.Count)
		require.Positive(t, late.Min)
		require.GreaterOrEqual(t, d.Sum, late.Sum)
		require.GreaterOrEqual(t, d.Max, late.Max)
	}
}

// Of many idle clients, only one waits for the clock.
func TestIdleClientsOfAnOpenLoopCostLittle(t *testing.T) {
	s := NewStep(512, Plan{Rate: 1000, Duration: time.Second / 2}, nil)
	before := processorTime(t)
	requireNoErrors(t, together(s, doing(t, 0)))
	used := processorTime(t) - before
	t.Logf("512 clients at 1,000/s: %s of processor time in 0.5 s", used)
	require.Less(t, used, time.Second/4)
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage unix.Rusage
	require.NoError(t, unix.Getrusage(unix.RUSAGE_SELF, &usage))

	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
