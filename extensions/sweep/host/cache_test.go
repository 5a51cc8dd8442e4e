package host

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func aStep(t *testing.T) report.Step {
	t.Helper()
	reading := measure.Reading{Elapsed: 10e9, Complete: true, Counters: measure.Counters{"hits": 800, "misses": 200, "hot": 500, "hotHits": 450}}
	steps := report.NewSteps(&reading, report.Step{Clients: 1, Repeat: 1}, "get", report.CPUSeconds{})

	return steps[0]
}

func TestFiguresOfACache(t *testing.T) {
	steps := []report.Step{aStep(t)}
	(&Cache{Memory: 1 << 20, Item: 1 << 17, VMHWM: 1 << 21}).Weigh(steps, time.Time{})
	e := steps[0].Extra
	require.InDelta(t, 80, *e.HitRate, 1e-9)
	require.InDelta(t, 90, *e.HotHitRate, 1e-9)
	require.EqualValues(t, 1<<21, e.VMHWMBytes)
	require.Nil(t, e.VMHWMSince)
	require.InDelta(t, 40, *e.PerMemoryHitRate, 1e-9)
	require.InDelta(t, 40, *e.HitsPerSecondMem, 1e-9)
	require.InDelta(t, 80, *e.OutMibPerSecond, 1e-9)
}

func TestPeakMemoryOfProcesses(t *testing.T) {
	own, ok := peakMemory(int32(os.Getpid()))
	require.True(t, ok)
	require.Greater(t, own, int64(1<<20))

	ended := exec.Command("true")
	require.NoError(t, ended.Run())
	for name, facts := range map[string]Cache{
		"none":                   {},
		"one that has ended":     {PIDs: []int32{int32(ended.Process.Pid)}},
		"one of two is not here": {PIDs: []int32{int32(os.Getpid()), int32(ended.Process.Pid)}},
	} {
		facts.Memory, facts.Item = 1<<20, 100
		steps := []report.Step{aStep(t)}
		facts.Weigh(steps, time.Time{})
		require.Zero(t, steps[0].Extra.VMHWMBytes, name)
		require.Nil(t, steps[0].Extra.PerMemoryHitRate, name)
		require.Nil(t, steps[0].Extra.HitsPerSecondMem, name)
		require.NotNil(t, steps[0].Extra.OutMibPerSecond, name)
	}
	twice := Cache{PIDs: []int32{int32(os.Getpid()), int32(os.Getpid())}}
	require.GreaterOrEqual(t, twice.peak(), 2*own, "of all processes together")
}

func TestPeakMemoryCountsFromTheRunsBeginning(t *testing.T) {
	server := startHelper(t, "127.0.0.1:0")
	_, ok := resetPeakMemory(server.pid)
	require.True(t, ok)
	before, ok := peakMemory(server.pid)
	require.True(t, ok)
	server.burn("memory", 64)
	grown, _ := peakMemory(server.pid)
	require.Greater(t, grown, before+50<<20)

	facts := &Cache{Memory: 1 << 20, Item: 100, PIDs: []int32{server.pid}}
	begin := time.Now()
	since := facts.ResetPeak()
	require.False(t, since.Before(begin))
	after, _ := peakMemory(server.pid)
	require.Less(t, after, grown-50<<20, "what it had before counts no longer")
	steps := []report.Step{aStep(t)}
	facts.Weigh(steps, since)
	require.Equal(t, since.UTC().Truncate(time.Millisecond), *steps[0].Extra.VMHWMSince)

	refused := func(int32) (time.Time, bool) { return time.Time{}, false }
	started := facts.resetPeakBy(refused)
	require.True(t, started.Before(begin))
	require.WithinDuration(t, begin, started, time.Minute, "since it was started")
	ended := exec.Command("true")
	require.NoError(t, ended.Run())
	facts.PIDs = append(facts.PIDs, int32(ended.Process.Pid))
	require.Zero(t, facts.ResetPeak(), "one of two is not here")
}
