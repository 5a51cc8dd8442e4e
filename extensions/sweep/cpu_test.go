package sweep

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestCPUMeterCountsFromStartToStop(t *testing.T) {
	m := newCPUMeter(nil)
	require.Equal(t, report.CPUSeconds{}, m.spent(), "without a start there is nothing to count from")
	m.start()
	require.Equal(t, report.CPUSeconds{}, m.spent(), "nor without an end")

	before := selfTime()
	burn(3 * time.Millisecond)
	burnt := selfTime() - before
	m.stop()
	spent := m.spent()
	require.Nil(t, spent.Server)
	require.GreaterOrEqual(t, spent.K6, burnt.Seconds(), "less than a tick of 10 ms is seen as well")

	burn(20 * time.Millisecond)
	require.Equal(t, spent, m.spent(), "what comes after the end is not the step's")
	m.start()
	m.stop()
	require.Less(t, m.spent().K6, 0.02, "each start counts anew")
}

func TestCPUMeterReadsTheServer(t *testing.T) {
	server := startHelper(t, "127.0.0.1:0")
	m := newCPUMeter(findServer("tcp://" + server.address))
	m.start()
	burnt := server.burn("burn", 3*time.Millisecond)
	m.stop()
	require.NotNil(t, m.spent().Server)
	require.GreaterOrEqual(t, *m.spent().Server, burnt.Seconds(), "less than a tick of 10 ms is seen as well")

	m.start()
	server.end()
	m.stop()
	require.Nil(t, m.spent().Server, "a server that has ended tells nothing")
}
