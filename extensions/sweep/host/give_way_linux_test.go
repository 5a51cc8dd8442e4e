//go:build !portable

package host

import (
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// policies are those of this process's threads, with how many have each.
func policies(t *testing.T) map[uint32]int {
	t.Helper()
	threads, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	all := map[uint32]int{}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		require.NoError(t, err)
		if attributes, err := unix.SchedGetAttr(id, 0); err == nil { // it may have ended
			all[attributes.Policy]++
		}
	}

	return all
}

// All threads give way, those as well that begin meanwhile, and none does afterwards.
func TestThreadsGiveWay(t *testing.T) {
	defer giveWay(false)
	giveWay(true)
	begun, over := make(chan struct{}), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		close(begun)
		<-over
	}()
	<-begun
	require.Zero(t, policies(t)[unix.SCHED_NORMAL])
	giveWay(true)
	require.Zero(t, policies(t)[unix.SCHED_NORMAL])
	giveWay(false)
	close(over)
	require.Zero(t, policies(t)[unix.SCHED_BATCH])
}

// A thread with a policy of its user's keeps it.
func TestThreadsOfAnotherPolicyKeepIt(t *testing.T) {
	defer giveWay(false)
	over := make(chan struct{})
	defer close(over)
	id := make(chan int)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
		id <- unix.Gettid()
		<-over
	}()
	thread := <-id
	for _, gives := range []bool{true, false} {
		giveWay(gives)
		attributes, err := unix.SchedGetAttr(thread, 0)
		require.NoError(t, err)
		require.EqualValues(t, unix.SCHED_IDLE, attributes.Policy)
	}
}

// together is the lead where all clients have done the same.
func together() float64 { return 1 }

// A watch lets k6 give way from slot to slot, where it may, and no longer than its step.
func TestWatchGivesWay(t *testing.T) {
	for _, may := range []bool{false, true} {
		begin := reading{at: time.Now(), machine: &machineTimes{processors: 2}}
		w := NewWatch(nil, func() uint64 { return 0 })
		if may {
			w.MayGiveWay(8, together, func(bool) {})
		}
		w.begin, w.last = &account{reading: begin}, begin
		next := begin
		for i := range 8 { // first with others, then without
			next.at = next.at.Add(100 * time.Millisecond)
			next.machine = &machineTimes{processors: 2}
			next.server += 100 * time.Millisecond
			next.k6 += 20 * time.Millisecond
			if i > 0 {
				next.server += 60 * time.Millisecond
				next.k6 += 20 * time.Millisecond
			}
			w.giveWayAfter(w.slot(next))
			if i == 0 {
				require.Zero(t, policies(t)[unix.SCHED_BATCH])
			}
		}
		if may {
			require.Zero(t, policies(t)[unix.SCHED_NORMAL])
		} else {
			require.Zero(t, policies(t)[unix.SCHED_BATCH])
		}
		w.Stop()
		require.Zero(t, policies(t)[unix.SCHED_BATCH])
	}
}

// What the warm-up was like counts from the start line on, and its last slot does not: clients
// waited there.
func TestWatchGivesWayFromTheStartLineOn(t *testing.T) {
	full, waiting := parts(2, 72, 24, 2), parts(60, 20, 20, 0)
	w := NewWatch(nil, func() uint64 { return 0 })
	w.MayGiveWay(8, together, func(bool) {})
	require.True(t, w.warmed(&waiting))
	require.Zero(t, policies(t)[unix.SCHED_BATCH])
	for range 5 {
		require.True(t, w.warmed(&full))
	}
	require.Zero(t, policies(t)[unix.SCHED_NORMAL])
	require.True(t, w.warmed(&waiting))
	w.Start()
	defer w.Stop()
	require.False(t, w.warmed(&waiting), "the warm-up is over")
	require.Zero(t, policies(t)[unix.SCHED_NORMAL])
	w.giveWayAfter(full)
	require.Zero(t, policies(t)[unix.SCHED_NORMAL])
	w.giveWayAfter(waiting)
	w.giveWayAfter(waiting)
	require.Zero(t, policies(t)[unix.SCHED_BATCH])
}

// Who shares the processors with the server is told whether others want them as well.
func TestWatchTellsWhetherOthersAreBusy(t *testing.T) {
	ours, others := parts(0, 50, 50, 0), parts(0, 30, 30, 40)
	var told []bool
	w := NewWatch(nil, func() uint64 { return 0 })
	w.MayGiveWay(8, together, func(is bool) { told = append(told, is) })
	require.True(t, w.warmed(&ours))
	require.True(t, w.warmed(&others))
	w.Start()
	defer w.Stop()
	w.giveWayAfter(ours) // the warm-up is forgotten
	w.giveWayAfter(others)
	for range 5 {
		w.giveWayAfter(ours)
	}
	require.Equal(t, []bool{true, false, true, false}, told[:4])
	require.True(t, told[len(told)-1], "they have gone")
}

// A step that ends before its start line leaves nothing behind.
func TestWatchOfAWarmUpAlone(t *testing.T) {
	full := parts(2, 72, 24, 2)
	w := NewWatch(nil, func() uint64 { return 0 })
	w.MayGiveWay(8, together, func(bool) {})
	require.True(t, w.warmed(&full))
	require.Zero(t, policies(t)[unix.SCHED_NORMAL])
	w.Stop()
	require.Zero(t, policies(t)[unix.SCHED_BATCH])
	require.False(t, w.warmed(&full))
	require.Zero(t, policies(t)[unix.SCHED_BATCH])
	w.Warm() // it ends at once
}

// While one client is far ahead of the others, k6 gives no way. Of hundreds, one is without giving
// way as well.
func TestWatchGivesNoWayToALuckyClient(t *testing.T) {
	full, lead := parts(2, 72, 24, 2), 1.0
	for _, c := range []struct {
		clients int
		lead    float64
		gives   bool
	}{
		{8, 1.2, true},
		{8, 1.4, false},
		{8, 14, false},
		{8, 1.3, true},
		{255, 1.4, false},
		{256, 2.5, true},
		{512, 3.1, false},
	} {
		w := NewWatch(nil, func() uint64 { return 0 })
		w.MayGiveWay(c.clients, func() float64 { return lead }, func(bool) {})
		lead = c.lead
		w.giveWayAfter(full)
		require.Equal(t, c.gives, policies(t)[unix.SCHED_NORMAL] == 0, c)
		w.Stop()
	}
}
