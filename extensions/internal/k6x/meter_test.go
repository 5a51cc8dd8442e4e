package k6x

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

type meterTest struct {
	vu      *modulestest.VU
	samples chan metrics.SampleContainer
	meter   Meter

	gets, hits, took Series
}

func newMeterTest(t *testing.T) *meterTest {
	t.Helper()
	runtime := modulestest.NewRuntime(t)
	registry := runtime.VU.InitEnvField.Registry
	m := &meterTest{vu: runtime.VU, samples: make(chan metrics.SampleContainer, 100)}
	m.meter = NewMeter(runtime.VU)
	m.gets = m.meter.Series(registry.MustNewMetric("cache_ops", metrics.Counter), [2]string{"op", "get"}, [2]string{"hit", "no"})
	m.hits = m.meter.Series(registry.MustNewMetric("cache_hits", metrics.Counter))
	m.took = m.meter.Series(registry.MustNewMetric("cache_time", metrics.Trend, metrics.Time), [2]string{"op", "get"})
	runtime.MoveToVUContext(&lib.State{
		Samples: m.samples,
		Tags:    lib.NewVUStateTags(registry.RootTagSet().With("scenario", "hot")),
	})

	return m
}

func (m *meterTest) session() *Session {
	s := &Session{}
	m.vu.CtxField = WithSession(context.Background(), s)

	return s
}

func (m *meterTest) tag(name, value string) {
	m.vu.State().Tags.Modify(func(t *metrics.TagsAndMeta) { t.SetTag(name, value) })
}

// sent returns the samples since the last call, one per line.
func (m *meterTest) sent() []string {
	var out []string
	for {
		select {
		case container := <-m.samples:
			for _, s := range container.GetSamples() {
				out = append(out, fmt.Sprintf("%s %g %v", s.Metric.Name, s.Value, s.Tags.Map()))
			}
		default:
			return out
		}
	}
}

func TestMeterOutsideASweep(t *testing.T) {
	m := newMeterTest(t)
	m.meter.Add(m.gets, 1)
	m.meter.Add(m.hits, 2)
	m.meter.Add(m.hits, 3)
	m.meter.EmitTimings(Timing{m.took, 1500 * time.Microsecond}, Timing{m.took, 2 * time.Millisecond})
	require.Equal(t, []string{
		"cache_ops 1 map[hit:no op:get scenario:hot]",
		"cache_hits 5 map[scenario:hot]",
		"cache_time 1.5 map[op:get scenario:hot]",
		"cache_time 2 map[op:get scenario:hot]",
	}, m.sent(), "at once")

	m.meter.Emit()
	require.Empty(t, m.sent(), "nothing new")
	m.meter.Add(m.hits, 1)
	m.meter.Emit()
	require.Equal(t, []string{"cache_hits 1 map[scenario:hot]"}, m.sent(), "counted from zero again")
}

func TestMeterTagsFollowTheVU(t *testing.T) {
	m := newMeterTest(t)
	emit := func() []string {
		m.meter.Add(m.gets, 1)
		m.meter.EmitTimings(Timing{m.took, time.Millisecond})

		return m.sent()
	}
	want := func(tags string) []string {
		return []string{
			fmt.Sprintf("cache_ops 1 map[%s]", fmt.Sprintf(tags, "hit:no op:get")),
			fmt.Sprintf("cache_time 1 map[%s]", fmt.Sprintf(tags, "op:get")),
		}
	}
	require.Equal(t, want("%s scenario:hot"), emit())
	m.tag("clients", "8")
	require.Equal(t, want("clients:8 %s scenario:hot"), emit())
	m.tag("clients", "16")
	m.tag("scenario", "cold")
	require.Equal(t, want("clients:16 %s scenario:cold"), emit())
	m.tag("clients", "8")
	m.tag("scenario", "hot")
	require.Equal(t, want("clients:8 %s scenario:hot"), emit(), "as it was before")
}

func TestMeterOfATappedClientSendsWhileAnOperationIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeterTest(t)
		state := m.vu.State()
		state.Options.SystemTags = &metrics.DefaultSystemTagSet
		tap := NewTap(state)
		m.vu.CtxField = WithSession(context.Background(), &Session{Tap: tap})
		tap.Open()
		for range 3 { // a JavaScript call that takes seconds
			time.Sleep(time.Second)
			m.meter.Add(m.hits, 1)
			m.meter.Emit()
			require.Equal(t, []string{"cache_hits 1 map[scenario:hot]"}, m.sent())
		}
		tap.Close()
	})
}

func TestMeterInASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeterTest(t)
		session := m.session()
		operation := func() {
			m.meter.Add(m.gets, 1)
			m.meter.EmitTimings(Timing{m.took, time.Millisecond})
		}

		for range 10_000 {
			time.Sleep(time.Millisecond)
			operation()
		}
		flushes := m.sent()
		require.Len(t, flushes, 10)
		require.Equal(t, "cache_ops 1 map[hit:no op:get scenario:hot]", flushes[0], "the first goes out at once")
		for _, line := range flushes[1:] {
			require.Equal(t, "cache_ops 1000 map[hit:no op:get scenario:hot]", line)
		}

		// Counts of the warm-up keep the warm-up's tags.
		session.Measure()
		require.Equal(t, []string{"cache_ops 999 map[hit:no op:get scenario:hot]"}, m.sent())
		m.tag("clients", "8")
		operation()
		require.Empty(t, m.sent())
		session.End()
		require.Equal(t, []string{"cache_ops 1 map[clients:8 hit:no op:get scenario:hot]"}, m.sent())
	})
}

func TestMeterOfManyOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeterTest(t)
		operation := func(took time.Duration) {
			time.Sleep(took)
			m.meter.Add(m.gets, 1)
			m.meter.Elapsed(took)
		}
		for range 10_005 {
			operation(time.Millisecond)
		}
		flushes := m.sent()
		require.Len(t, flushes, 10)
		require.Equal(t, "cache_ops 10 map[hit:no op:get scenario:hot]", flushes[0])
		for _, line := range flushes[1:] {
			require.Equal(t, "cache_ops 1000 map[hit:no op:get scenario:hot]", line)
		}
		m.meter.Emit()
		require.Equal(t, []string{"cache_ops 995 map[hit:no op:get scenario:hot]"}, m.sent(), "at the end of the call")
	})
}

func TestMeterKnowsItsSession(t *testing.T) {
	m := newMeterTest(t)
	require.Nil(t, m.meter.Session())
	first := m.session()
	require.Same(t, first, m.meter.Session())
	require.Same(t, first, m.meter.Session())
	second := m.session()
	require.Same(t, second, m.meter.Session(), "another step")
	m.vu.CtxField = t.Context()
	require.Nil(t, m.meter.Session(), "a scenario of k6's own executors")
	joined := &Session{}
	leave := Join(m.vu, joined)
	require.Same(t, joined, m.meter.Session(), "which has joined a step")
	leave()
	require.Nil(t, m.meter.Session())
}

// The last counts are sent although the iteration's context has ended.
func TestMeterAtTheEndOfASession(t *testing.T) {
	m := newMeterTest(t)
	s := &Session{}
	ctx, cancel := context.WithCancel(WithSession(t.Context(), s))
	m.vu.CtxField = ctx
	m.meter.Add(m.hits, 1)
	m.meter.Emit()
	require.Equal(t, []string{"cache_hits 1 map[scenario:hot]"}, m.sent())
	m.meter.Add(m.hits, 5)
	m.meter.Emit()
	require.Empty(t, m.sent())
	cancel()
	s.End()
	require.Equal(t, []string{"cache_hits 5 map[scenario:hot]"}, m.sent())
}

// Between steps, the VU runs scenarios of other executors.
func TestMeterGoesFromSessionToSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeterTest(t)
		one := m.session()
		m.meter.Emit()
		time.Sleep(500 * time.Millisecond)
		m.meter.Add(m.hits, 1)
		m.meter.Emit()
		one.End()
		m.sent()

		m.vu.CtxField = t.Context()
		m.meter.Add(m.hits, 2)
		m.meter.EmitTimings(Timing{m.took, time.Millisecond})
		require.Equal(t, []string{"cache_hits 2 map[scenario:hot]", "cache_time 1 map[op:get scenario:hot]"}, m.sent())

		two := m.session()
		m.meter.Add(m.hits, 3)
		m.meter.EmitTimings(Timing{m.took, time.Millisecond})
		require.Empty(t, m.sent())
		one.End()
		require.Empty(t, m.sent(), "the first session is over")
		two.End()
		require.Equal(t, []string{"cache_hits 3 map[scenario:hot]"}, m.sent())
	})
}

func TestMeterOutsideASweepStopsWithTheVU(t *testing.T) {
	m := newMeterTest(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m.vu.CtxField = ctx
	m.meter.Add(m.hits, 1)
	m.meter.Emit()
	require.Empty(t, m.sent(), "nobody listens any longer")
}

// Without a state, counts are kept.
func TestMeterWithoutState(t *testing.T) {
	m := newMeterTest(t)
	state := m.vu.StateField
	m.vu.StateField = nil
	m.meter.Add(m.hits, 1)
	m.meter.Emit()
	m.vu.StateField = state
	m.meter.Emit()
	require.Equal(t, []string{"cache_hits 1 map[scenario:hot]"}, m.sent())
}

func TestMeterAllocatesNothingInASession(t *testing.T) {
	m := newMeterTest(t)
	m.session()
	m.meter.Emit()
	m.meter.flushed = time.Now().Add(time.Hour) // prevents the flush after a second
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		m.meter.Add(m.gets, 1)
		m.meter.EmitTimings(Timing{m.took, time.Millisecond})
	}))
}
