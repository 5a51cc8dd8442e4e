package host

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

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
		got := gcPercent(live, 4*crowdBudget)
		require.Equal(t, want, got, "%d MB in use", live>>20)
		if live <= crowdBudget/2 {
			require.LessOrEqual(t, live+live*uint64(got)/100, max(heapBudget, min(3*live, crowdBudget)))
		}
	}
}

func TestHeapOfThousandsGrowsNoMoreThanTheirGarbageNeeds(t *testing.T) {
	for _, c := range []struct {
		live, coming uint64
		want         int
	}{
		{crowdBudget / 2, 0, leastGCPercent},
		{500 << 20, 0, 50},           // 750 MB
		{600 << 20, 0, 25},           // 750 MB
		{600 << 20, 50 << 20, 25},    //
		{600 << 20, 330 << 20, 50},   // or they would come too often
		{600 << 20, 5000 << 20, 100}, //
		{2000 << 20, 0, 25},
	} {
		require.Equal(t, c.want, gcPercent(c.live, c.coming), "%d MB in use, %d MB to come", c.live>>20, c.coming>>20)
	}
}

func TestGarbageIsToldAsItCame(t *testing.T) {
	var g garbage
	require.Greater(t, g.within(time.Second), uint64(1<<40), "nothing is known")
	g.at = g.at.Add(-time.Second)
	g.allocated -= 100 << 20
	require.InEpsilon(t, 1000<<20, g.within(10*time.Second), 0.2)
	require.InEpsilon(t, 1000<<20, g.within(10*time.Second), 0.2, "asked at once again")
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
	require.Equal(t, gcPercent(heapBytes("/gc/heap/live:bytes"), math.MaxUint64), c.current)
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
