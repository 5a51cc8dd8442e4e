//go:build unix && !portable

package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// An operation that a client was free for is not charged for the clock of this process, which wakes
// it late.
func TestOpenLoopOfAnEmptyFunctionTakesNoTime(t *testing.T) {
	for _, rate := range []float64{100, 1000} {
		s := NewStep(8, Plan{Rate: rate, Duration: time.Second / 2}, nil)
		requireNoErrors(t, together(s, doing(t, 0)))

		r := s.Read()
		d := &r.Op("op").Durations
		require.EqualValues(t, rate/2, d.Count)
		require.Less(t, d.Quantile(0.5), time.Second/10_000)
		require.Equal(t, d.Count, r.OpenLoop.Lateness.Count)
		require.Positive(t, r.OpenLoop.Lateness.Min, "and that is told apart")
	}
}

// Of many clients that have nothing to do, one looks at the clock, and even that one sleeps.
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
