package sweep

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// aStep is a step of 10 seconds with a hit rate of 80 percent.
func aStep(t *testing.T) report.Step {
	t.Helper()
	reading := measure.Reading{Elapsed: 10e9, Complete: true, Lookups: measure.Lookups{Hits: 800, Misses: 200, Hot: 500, HotHits: 450}}
	steps, err := report.NewSteps(&reading, report.Step{Clients: 1, Repeat: 1}, "get", report.CPUSeconds{})
	require.NoError(t, err)

	return steps[0]
}

func TestFiguresOfACache(t *testing.T) {
	steps := []report.Step{aStep(t)}
	(&cacheFacts{Memory: 1 << 20, Item: 1 << 17, VMHWM: 1 << 21}).weigh(steps, time.Time{})
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
	for name, facts := range map[string]cacheFacts{
		"none":                   {},
		"one that has ended":     {PIDs: []int32{int32(ended.Process.Pid)}},
		"one of two is not here": {PIDs: []int32{int32(os.Getpid()), int32(ended.Process.Pid)}},
	} {
		facts.Memory, facts.Item = 1<<20, 100
		steps := []report.Step{aStep(t)}
		facts.weigh(steps, time.Time{})
		require.Zero(t, steps[0].Extra.VMHWMBytes, name)
		require.Nil(t, steps[0].Extra.PerMemoryHitRate, name)
		require.Nil(t, steps[0].Extra.HitsPerSecondMem, name)
		require.NotNil(t, steps[0].Extra.OutMibPerSecond, name)
	}
	twice := cacheFacts{PIDs: []int32{int32(os.Getpid()), int32(os.Getpid())}}
	require.GreaterOrEqual(t, twice.peak(), 2*own, "of all processes together")
}

// What the server did before the run is no part of its peak memory, where the run may see to that.
func TestPeakMemoryCountsFromTheRunsBeginning(t *testing.T) {
	server := startHelper(t, "127.0.0.1:0")
	_, ok := resetPeakMemory(server.pid)
	require.True(t, ok)
	before, ok := peakMemory(server.pid)
	require.True(t, ok)
	server.burn("memory", 64)
	grown, _ := peakMemory(server.pid)
	require.Greater(t, grown, before+50<<20)

	facts := &cacheFacts{Memory: 1 << 20, Item: 100, PIDs: []int32{server.pid}}
	begin := time.Now()
	since := facts.resetPeak(resetPeakMemory)
	require.False(t, since.Before(begin))
	after, _ := peakMemory(server.pid)
	require.Less(t, after, grown-50<<20, "what it had before counts no longer")
	steps := []report.Step{aStep(t)}
	facts.weigh(steps, since)
	require.Equal(t, since.UTC().Truncate(time.Millisecond), *steps[0].Extra.VMHWMSince)

	refused := func(int32) (time.Time, bool) { return time.Time{}, false }
	started := facts.resetPeak(refused)
	require.True(t, started.Before(begin))
	require.WithinDuration(t, begin, started, time.Minute, "since it was started")
	ended := exec.Command("true")
	require.NoError(t, ended.Run())
	facts.PIDs = append(facts.PIDs, int32(ended.Process.Pid))
	require.Zero(t, facts.resetPeak(resetPeakMemory), "one of two is not here")
}

// The peak counts anew for each scenario, when it begins.
func TestPeakMemoryOfEachScenario(t *testing.T) {
	runtime, results := newModule(t)
	_, err := runtime.VU.Runtime().RunString(fmt.Sprintf(
		`sweep.meta({ scenario: 'one', cache: { memory: 1, item: 2, pids: [%d] } })`, os.Getpid()))
	require.NoError(t, err)
	for range 2 {
		rep := results.newReport("one", map[string]any{})
		require.False(t, results.peaks["one"].Before(rep.Started.Truncate(0)))
	}
	results.newReport("other", map[string]any{})
	require.NotContains(t, results.peaks, "other")
}

func TestMetaOfACache(t *testing.T) {
	runtime, results := newModule(t)
	for facts, want := range map[string]string{
		`{ memory: 1 }`:                                "sweep.meta: cache must have memory and item",
		`{ memory: 1, item: 1, pids: [0] }`:            "sweep.meta: cache.pids must be process ids, and 0 is none",
		`{ memory: 1, item: 1, vmHwm: 1, pids: [1] }`:  "sweep.meta: cache.vmHwm and cache.pids exclude each other",
		`{ memory: 1, item: 1, vmHwm: -1, pids: [1] }`: "sweep.meta: cache must have memory and item",
	} {
		name, message := thrownBy(t, runtime, fmt.Sprintf(`sweep.meta({ cache: %s })`, facts))
		require.Equal(t, "TypeError", name)
		require.Contains(t, message, want)
	}
	_, err := runtime.VU.Runtime().RunString(`
		sweep.meta({ params: { who: "all" }, cache: { memory: 1, item: 2, vmHwm: 3 } })
		sweep.meta({ scenario: "one", target: { kind: "cache" }, cache: { memory: 4, item: 5, pids: [6] } })`)
	require.NoError(t, err)
	_, cache := results.server("other")
	require.Equal(t, &cacheFacts{Memory: 1, Item: 2, VMHWM: 3}, cache)
	_, cache = results.server("one")
	require.Equal(t, &cacheFacts{Memory: 4, Item: 5, PIDs: []int32{6}}, cache)
	require.Empty(t, results.newReport("other", map[string]any{}).Target)
	one := results.newReport("one", map[string]any{})
	require.Equal(t, map[string]any{"kind": "cache"}, one.Target)
	require.Equal(t, map[string]any{"who": "all"}, one.Params)
}

func TestSweepUntilDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweepTest(t, `{"clients": [1, 3], "untilDone": true}`,
			`let left = 5; sweep.run(() => { if (left-- === 0) { sweep.done(); } else { sleep(10); } })`)
		rep, err := s.run(t.Context())
		require.NoError(t, err)
		require.Empty(t, s.warnings())
		require.Equal(t, true, rep.Params["untilDone"])
		require.Len(t, rep.Steps, 2)
		for i, clients := range []int64{1, 3} {
			require.Equal(t, 5*clients, rep.Steps[i].Operations, "the call that is done is none")
			require.True(t, rep.Steps[i].Complete)
			require.Zero(t, rep.Steps[i].PerClient)
		}
		require.NoError(t, rep.Validate())
	})
}

func TestSweepDoneElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweepTest(t, `{"clients": [1], "iterations": 2}`, `sweep.run(() => sweep.done())`)
		rep, err := s.run(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 2, rep.Steps[0].Failed)
		require.Contains(t, s.warnings()[0], "sweep.done is for what sweep.run calls, in scenarios with untilDone: true")
	})
}

// A sweep begins when the one before it has ended.
func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweepTest(t, `{"clients": [1], "iterations": 1, "after": "before"}`, `sweep.run(() => sleep(10))`)
		results := resultsOf(s.state.Test.Registry)
		results.expect("before")
		ran := make(chan struct{})
		go func() {
			defer close(ran)
			_, err := s.run(t.Context())
			require.NoError(t, err)
		}()
		synctest.Wait()
		require.Zero(t, s.calls())
		before, known := results.ended("before")
		require.True(t, known)
		close(before)
		<-ran
		require.Equal(t, 1, s.calls())
		own, _ := results.ended("rollup")
		<-own
	})
	synctest.Test(t, func(t *testing.T) {
		s := newSweepTest(t, `{"clients": [1], "iterations": 1, "after": "nobody"}`, `sweep.run(() => sleep(10))`)
		require.EqualError(t, s.executor.Run(t.Context(), s.out),
			`scenario "rollup": after must name another scenario with the executor 'client-sweep', but is "nobody"`)
	})
}
