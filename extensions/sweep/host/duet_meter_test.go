package host

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Slices with late readings are extrapolated from the others.
func TestProcessorTimeOfVariants(t *testing.T) {
	self := &Server{pids: []int32{int32(os.Getpid())}} // the test is both k6 and server
	m := NewDuetMeter(self, self)
	for range 4 {
		m.Turn(report.Base, true)
		burn(30 * time.Millisecond)
		m.Turn(report.Change, true)
		time.Sleep(30 * time.Millisecond)
	}
	m.Turn(report.Base, true)
	m.Turn(report.Change, false)
	burn(100 * time.Millisecond)
	m.Turn(report.Base, false)
	m.Stop()
	base, change := m.Spent(report.Base, time.Second), m.Spent(report.Change, time.Second)
	require.Greater(t, base.K6, 1.5*change.K6, "change rests")
	require.Less(t, change.K6, 0.2, "what came late is left out")
	if runtime.GOOS == "linux" && !self.forks() {
		require.InDelta(t, base.K6, *base.Server, 0.1*base.K6)
		require.InDelta(t, change.K6, *change.Server, 0.05)
	}
}

// A remote base has no server time.
func TestProcessorTimeOfServersOfTheirOwn(t *testing.T) {
	self := &Server{pids: []int32{int32(os.Getpid())}}
	m := NewDuetMeter(nil, self)
	burn(30 * time.Millisecond)
	m.Stop()
	require.Nil(t, m.Spent(report.Base, time.Second).Server)
	require.NotNil(t, m.Spent(report.Change, time.Second).Server)
	require.GreaterOrEqual(t, *m.Spent(report.Change, time.Second).Server, 0.03)
}

func TestBothServersTogether(t *testing.T) {
	a, b := &Server{pids: []int32{1, 3}}, &Server{pids: []int32{2, 3}}
	require.Equal(t, []int32{1, 2, 3}, a.And(b).pids)
	require.Equal(t, a, a.And(nil))
	require.Equal(t, b, (*Server)(nil).And(b))
	require.Nil(t, (*Server)(nil).And(nil))
}
