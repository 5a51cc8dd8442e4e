package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestCPUMeterCountsFromStartToStop(t *testing.T) {
	m := NewCPUMeter(nil)
	require.Equal(t, report.CPUSeconds{}, m.Spent(), "without a start there is nothing to count from")
	m.Start()
	require.Equal(t, report.CPUSeconds{}, m.Spent(), "nor without an end")

	before := selfTime()
	burn(3 * time.Millisecond)
	burnt := selfTime() - before
	m.Stop()
	spent := m.Spent()
	require.Nil(t, spent.Server)
	require.GreaterOrEqual(t, spent.K6, burnt.Seconds(), "less than a tick of 10 ms is seen as well")

	burn(20 * time.Millisecond)
	require.Equal(t, spent, m.Spent(), "what comes after the end is not the step's")
	m.Start()
	m.Stop()
	require.Less(t, m.Spent().K6, 0.02, "each start counts anew")
}

func TestCPUMeterReadsTheServer(t *testing.T) {
	server := startHelper(t, "127.0.0.1:0")
	m := NewCPUMeter(FindServer("tcp://" + server.address))
	m.Start()
	burnt := server.burn("burn", 3*time.Millisecond)
	m.Stop()
	require.NotNil(t, m.Spent().Server)
	require.GreaterOrEqual(t, *m.Spent().Server, burnt.Seconds(), "less than a tick of 10 ms is seen as well")

	m.Start()
	server.end()
	m.Stop()
	require.Nil(t, m.Spent().Server, "a server that has ended tells nothing")
}
