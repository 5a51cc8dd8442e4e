package k6x

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

type tapTest struct {
	*Tap

	state  *lib.State
	out    chan metrics.SampleContainer
	pushed int
}

func newTapTest(t *testing.T) *tapTest {
	t.Helper()
	state, out := vuState(100_000)
	tap := NewTap(state)
	require.NotNil(t, tap)
	tap.Open()

	return &tapTest{Tap: tap, state: state, out: out}
}

func (tt *tapTest) push(holds bool) {
	tt.pushed++
	tt.state.Samples <- sampleOf(tt.state, tt.state.BuiltinMetrics.Checks, metrics.B(holds), "check", fmt.Sprint(tt.pushed))
}

// requireAllHandedOn checks that k6 got all samples in order, and that the VU pushes to k6 directly
// again.
func (tt *tapTest) requireAllHandedOn(t *testing.T) {
	t.Helper()
	tt.Close()
	require.Equal(t, (chan<- metrics.SampleContainer)(tt.out), tt.state.Samples)
	require.Len(t, tt.out, tt.pushed)
	for i := range tt.pushed {
		name, _ := (<-tt.out).GetSamples()[0].Tags.Get("check")
		require.Equal(t, fmt.Sprint(i+1), name)
	}
}

func TestTapReportsFailures(t *testing.T) {
	tap := newTapTest(t)
	require.NoError(t, tap.Fault(), "nothing was pushed")
	tap.push(true)
	require.NoError(t, tap.Fault())
	tap.push(false)
	tap.push(false)
	tap.push(true)
	require.EqualError(t, tap.Fault(), "check failed: 2", "the first one")
	require.NoError(t, tap.Fault(), "and once")
	tap.requireAllHandedOn(t)
	tap.Close()
}

// The tag status is added even if options.systemTags lacks it.
func TestTapHasTheStatus(t *testing.T) {
	for _, without := range []*metrics.SystemTagSet{metrics.NewSystemTagSet(metrics.TagURL), nil} {
		state, _ := vuState(0)
		state.Options.SystemTags = without
		require.NotNil(t, NewTap(state))
		require.True(t, state.Options.SystemTags.Has(metrics.TagStatus))
		require.Equal(t, without.Has(metrics.TagURL), state.Options.SystemTags.Has(metrics.TagURL))
	}
}

func TestTapOfOperationsWithinOthers(t *testing.T) {
	tap := newTapTest(t)
	tap.push(false)
	outer := tap.Begin()
	tap.push(true)
	inner := tap.Begin()
	tap.push(false)
	require.EqualError(t, tap.End(inner), "check failed: 3")
	next := tap.Begin()
	tap.push(true)
	require.NoError(t, tap.End(next), "the one before has failed, and not this one")
	require.EqualError(t, tap.End(outer), "check failed: 3", "what it is part of has failed as well")
	require.EqualError(t, tap.Fault(), "check failed: 1")
	require.NoError(t, tap.Fault())
	tap.requireAllHandedOn(t)
}

func TestTapOfPromises(t *testing.T) {
	tap := newTapTest(t)
	tap.push(false)
	tap.Promised(tap.Begin())
	tap.Promised(tap.Begin())
	tap.push(false)
	require.EqualError(t, tap.Settled(), "check failed: 2", "of the one that ends first")
	require.NoError(t, tap.Settled())
	require.EqualError(t, tap.Fault(), "check failed: 1")
	require.NoError(t, tap.Fault())
	tap.requireAllHandedOn(t)
}

func TestTapOfManySamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tap := newTapTest(t)
		guard := &TapGuard{}
		guard.Watch(tap.Tap)
		for n := range 3 {
			begin := time.Now()
			for range 50 * tapSize {
				tap.push(true)
			}
			tap.push(false)
			require.EqualError(t, tap.Fault(), fmt.Sprintf("check failed: %d", tap.pushed))
			require.LessOrEqual(t, time.Since(begin), 2*(guardEvery+guardEach))
			require.True(t, n == 0 || time.Since(begin) == 0, "it waits for help once")
			require.NoError(t, tap.Fault())
		}
		guard.Forget(tap.Tap)
		guard.Forget(tap.Tap)
		tap.requireAllHandedOn(t)
	})
}

func TestTapGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guard := &TapGuard{}
		var taps []*tapTest
		for range 7 {
			taps = append(taps, newTapTest(t))
			guard.Watch(taps[len(taps)-1].Tap)
		}
		for _, gone := range []int{6, 0, 3} {
			guard.Forget(taps[gone].Tap)
			taps[gone].requireAllHandedOn(t)
		}
		for _, at := range []int{1, 2, 4, 5} {
			for range tapSize + 1 {
				taps[at].push(true)
			}
		}
		guard.End()
		guard.End()
		for _, at := range []int{1, 2, 4, 5} {
			require.Equal(t, (chan<- metrics.SampleContainer)(taps[at].out), taps[at].state.Samples)
			require.Len(t, taps[at].out, tapSize+1)
			guard.Forget(taps[at].Tap)
		}
	})
}

func TestNoTap(t *testing.T) {
	state, out := vuState(1)
	tap := NewTap(nil)
	require.Nil(t, tap)
	tap.Open()
	require.Equal(t, (chan<- metrics.SampleContainer)(out), state.Samples)
	require.NoError(t, tap.End(tap.Begin()))
	tap.Promised(nil)
	require.NoError(t, tap.Settled())
	require.NoError(t, tap.Fault())
	tap.Close()
	guard := &TapGuard{}
	guard.Watch(tap)
	guard.Forget(tap)
}

func TestTapWithoutSamples(t *testing.T) {
	tap := newTapTest(t)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if tap.End(tap.Begin()) != nil || tap.Fault() != nil {
			t.Fail()
		}
	}))
}

func BenchmarkTapWithoutSamples(b *testing.B) {
	state, _ := vuState(1)
	tap := NewTap(state)
	tap.Open()
	for b.Loop() {
		_ = tap.Fault()
	}
}

type stateful struct{ lib.InitializedVU }

type keeper struct {
	lib.InitializedVU

	state *lib.State
}

func TestVUState(t *testing.T) {
	state, _ := vuState(0)
	require.Same(t, state, VUState(&keeper{state: state}), "as k6's own keeps it")
	require.Nil(t, VUState(&stateful{}))
	require.Nil(t, VUState(stateful{}))
}
