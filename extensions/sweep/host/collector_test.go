package host

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeapStaysWithinItsBudgetWhereItCan(t *testing.T) {
	for live, want := range map[uint64]int{
		0:               mostGCPercent,
		20 << 20:        mostGCPercent, // 100 MB
		heapBudget / 5:  mostGCPercent,
		heapBudget / 4:  300,
		heapBudget / 2:  crowdGCPercent, // 480 MB
		crowdBudget / 3: crowdGCPercent,
		crowdBudget / 2: leastGCPercent,
		crowdBudget:     leastGCPercent,
		4 * crowdBudget: leastGCPercent,
	} {
		got := gcPercent(live)
		require.Equal(t, want, got, "%d MB in use", live>>20)
		if live <= crowdBudget/2 {
			require.LessOrEqual(t, live+live*uint64(got)/100, max(heapBudget, min(3*live, crowdBudget)))
		}
	}
}

func TestCollectorSettlesWhoeverHasTheSetting(t *testing.T) {
	collections := func() uint32 {
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)

		return memory.NumForcedGC
	}
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before := collections()
	c := TuneCollector()
	c.Settle()
	c.Restore()
	require.Equal(t, before+1, collections())

	t.Setenv("GOMEMLIMIT", "1GiB")
	c = TuneCollector()
	require.Nil(t, c, "the user's setting")
	c.Settle()
	c.Restore()
	require.Equal(t, before+2, collections())
}

func TestHeapOfACrowdGrowsLittleUntilItIsMeasured(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	found := debug.SetGCPercent(77)
	defer debug.SetGCPercent(found)

	c := TuneCollector()
	c.Gather(crowd - 1)
	require.Zero(t, c.current, "few clients")
	c.Gather(crowd)
	c.Adjust()
	require.Equal(t, gatherGCPercent, c.current)
	c.Settle()
	require.Equal(t, gcPercent(liveBytes()), c.current)
	c.Restore()
	require.Equal(t, 77, debug.SetGCPercent(77))
}

func TestCollectorRestoresWhatItFound(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	found := debug.SetGCPercent(77)
	defer debug.SetGCPercent(found)

	c := TuneCollector()
	c.Adjust()
	require.NotEqual(t, 77, c.current)
	c.Adjust()
	c.Restore()
	require.Equal(t, 77, debug.SetGCPercent(77))
}

func TestSweepsSideBySideShareTheCollector(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	found := debug.SetGCPercent(77)
	defer debug.SetGCPercent(found)

	first, second := TuneCollector(), TuneCollector()
	first.Adjust()
	second.Adjust()
	first.Restore()
	require.NotZero(t, second.current, "still in use")
	second.Adjust()
	second.Restore()
	require.Equal(t, 77, debug.SetGCPercent(77))
}

func TestCollectorLeavesTheUsersSettingAlone(t *testing.T) {
	t.Setenv("GOGC", "50")
	found := debug.SetGCPercent(50)
	defer debug.SetGCPercent(found)

	c := TuneCollector()
	c.Adjust()
	require.Equal(t, 50, debug.SetGCPercent(50))
	c.Restore()
	require.Equal(t, 50, debug.SetGCPercent(50))
}
