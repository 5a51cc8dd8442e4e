package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// at returns a reading of a two-processor machine, ms after the start line: a quarter idle, half
// used by k6, an eighth by the server, and 10 operations per ms.
func at(ms int) *reading {
	d := time.Duration(ms) * time.Millisecond

	return &reading{
		at: time.UnixMilli(int64(ms)), machine: &machineTimes{processors: 2, idle: d / 2, interrupts: d / 10},
		k6: d, server: d / 4, pauses: d / 1000, operations: uint64(10 * ms),
	}
}

func between(ms ...int) *slots {
	s := &slots{every: 100 * time.Millisecond}
	for i := range ms[1:] {
		s.add(slotOf(at(ms[i]), at(ms[i+1]), time.Millisecond), at(ms[i+1]).at.Sub(at(ms[0]).at))
	}

	return s
}

func TestSlotsAreOfEqualLength(t *testing.T) {
	s := between(0, 105, 203, 301, 512, 560)
	require.Len(t, s.all, 6, "one spans two slots, and the rest of 60 ms counts as one")
	require.Equal(t, 105*time.Millisecond, s.all[0].length)
	require.Equal(t, s.all[3], s.all[4])
	require.InDelta(t, 1050, s.all[0].operations, 1e-9)
	require.Len(t, between(0, 105, 203, 249).all, 2, "the rest is less than a half")
	require.False(t, s.due(690*time.Millisecond))
	require.True(t, s.due(700*time.Millisecond))

	o := s.overTime(true)
	require.Equal(t, 0.1, o.EverySeconds)
	for i := range s.all {
		require.InDelta(t, 0.25, o.Idle[i], 1e-3)
		require.InDelta(t, 0.5, o.K6[i], 1e-3)
		require.InDelta(t, 0.125, o.Server[i], 1e-3)
		require.InDelta(t, 0.075, o.Others[i], 1e-3)
		require.Equal(t, 1.0, o.LateMs[i])
	}
	require.Nil(t, s.overTime(false).Server)
	require.Nil(t, s.overTime(false).Others)
	require.Nil(t, (&slots{}).overTime(true))
	s.all[2].processors = 0
	require.Nil(t, s.overTime(true), "the machine has told nothing of a slot")
	require.Len(t, s.counts(350*time.Millisecond), 3, "those that are over by then")
}

func TestLongStepsHaveLongerSlots(t *testing.T) {
	s, last := &slots{every: 100 * time.Millisecond}, at(0)
	for ms := 10; ms <= 100_000; ms += 10 {
		if next := at(ms); s.due(next.at.Sub(at(0).at)) {
			s.add(slotOf(last, next, 0), next.at.Sub(at(0).at))
			last = next
		}
	}
	require.Equal(t, 800*time.Millisecond, s.every)
	require.Len(t, s.all, 125)
	for _, one := range s.all {
		require.Equal(t, s.every, one.length)
		require.InDelta(t, 8000, one.operations, 1e-6)
	}
	late := between(0, 100, 60_000)
	require.LessOrEqual(t, len(late.all), mostSlots)
	operations := 0.0
	for _, one := range late.all {
		operations += one.operations
	}
	require.InDelta(t, 600_000, operations, 1e-3)
}

// Others disturb only while nothing is idle.
func TestOthersDisturbWhereNothingIsIdle(t *testing.T) {
	one := func(idle, k6 time.Duration) slot {
		return slot{length: 100 * time.Millisecond, processors: 2, idle: idle * time.Millisecond, k6: k6 * time.Millisecond}
	}
	s := &slots{all: []slot{one(20, 100), one(21, 100), one(0, 200), one(200, 0)}}
	all, disturbing := s.others()
	require.InDelta(t, (80+79)/400.0, all, 1e-9)
	require.InDelta(t, 80/400.0, disturbing, 1e-9)
	s.all = append(s.all, slot{length: 100 * time.Millisecond, k6: 200 * time.Millisecond})
	again, disturbingAgain := s.others()
	require.InDelta(t, all, again, 1e-9, "of a slot of which the machine has told nothing, nothing is told")
	require.InDelta(t, disturbing, disturbingAgain, 1e-9)
	s = &slots{all: []slot{one(0, 210)}}
	all, disturbing = s.others()
	require.Zero(t, all, "the machine's time is counted in ticks")
	require.Zero(t, disturbing)
}

func steps(change func(s *report.Step)) []report.Step {
	s := report.Step{
		Clients: 4, Operations: 1000, Complete: true, Seconds: 2, OpsPerSecond: 500, Latency: report.LatencyMs{Mean: 4},
		Client: report.Clients{Avg: 2},
	}
	other := s
	other.Op, other.Operations, other.Latency.Mean = "other", 500, 7
	change(&s)

	return []report.Step{s, other}
}

func TestStepEvidenceOfLittlesLaw(t *testing.T) {
	e := stepEvidence(steps(func(*report.Step) {}), nil)
	require.InDelta(t, (1000*0.004+500*0.007)/8, e[witness.UnderWay], 1e-9)
	require.InDelta(t, 5, e[witness.MeanMs], 1e-9)
	require.EqualValues(t, 1500, e[witness.Operations])

	var here measure.Coarse
	here.Record(2 * time.Second)
	part := here.Distribution()
	histogram := part.Encode()
	e = stepEvidence(steps(func(s *report.Step) { s.Client.Histogram = histogram }), nil)
	require.InDelta(t, (1000*0.004+500*0.007)/2, e[witness.UnderWay], 1e-9, "an execution segment with one of the 4 clients")

	failed := func(s *report.Step) { s.Failed = 100; s.FailedLatency = &report.FailedLatencyMs{Mean: 5} }
	e = stepEvidence(steps(failed), nil)
	require.InDelta(t, 8.0/8, e[witness.UnderWay], 1e-9, "failed operations take time as well")
	require.EqualValues(t, 1600, e[witness.Operations])
	for name, change := range map[string]func(*report.Step){
		"an open loop":                        func(s *report.Step) { s.Rate = 100 },
		"incomplete":                          func(s *report.Step) { s.Complete = false },
		"how long failures took is not known": func(s *report.Step) { s.Failed = 1 },
		"what is between the slices of a duet is not counted": func(s *report.Step) { s.Variant = "change" },
		"no client started": func(s *report.Step) { s.Client.Avg = 0 },
	} {
		require.NotContains(t, stepEvidence(steps(change), nil), witness.UnderWay, name)
	}
}

func TestStepEvidenceOfLimits(t *testing.T) {
	e := stepEvidence(steps(func(s *report.Step) {
		s.Extra.Errors = map[string]uint64{
			"dial tcp 127.0.0.1:1: socket: too many open files":                                                             3,
			"dial tcp 127.0.0.1:2: connect: cannot assign requested address":                                                2,
			"dial tcp 127.0.0.1:2: connect: can't assign requested address (macOS)":                                         1,
			"dial tcp 127.0.0.1:1: connect: connection refused":                                                             9,
			"cannot connect to h:1: the server says: ERR max number of clients reached":                                     1,
			"ERR max number of clients reached (of a module that is not ours)":                                              1,
			"cannot connect to h:2: the server says: too many open connections":                                             1,
			"cannot connect to h:3: maximum connections exceeded":                                                           1,
			"cannot connect to h:3: maximum account active connections exceeded":                                            1,
			"FATAL: sorry, too many clients already (SQLSTATE 53300)":                                                       1,
			"FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute (SQLSTATE 53300)":        1,
			"FATAL: no more connections allowed (max_client_conn)":                                                          1,
			"Session count exceed (machbase error 3039)":                                                                    1,
			"cannot connect to h:5: the server resets each connection: it has no free session (it takes 4,096 at most)":     1,
			"[::1]:4 closed the connection in the handshake (EOF): its thread 0 has no free slot; see connectionsPerThread": 1,
			"[::1]:4 closed the connection in the handshake (EOF): it has no thread 2, or no free slot in it":               7,
		}
	}), nil)
	require.EqualValues(t, 3, e[witness.NoFiles])
	require.EqualValues(t, 3, e[witness.NoPorts])
	require.EqualValues(t, 11, e[witness.ServerFull])
}

func TestStepEvidenceOfTheRate(t *testing.T) {
	e := stepEvidence(steps(func(s *report.Step) {
		s.Rate, s.OpenLoop, s.Window = 1000, &report.OpenLoop{Due: 2000, InTime: 0.75, LateByK6: 0.2}, &report.Window{Seconds: 1.5}
		s.Standstill = &report.Standstill{LongestMs: 300, Part: 0.2}
	}), nil)
	require.InDelta(t, 0.75, e[witness.RateKept], 1e-9)
	require.InDelta(t, 0.2, e[witness.LateByK6], 1e-9)
	require.InDelta(t, 0.2, e[witness.StoodStill], 1e-9)
	require.InDelta(t, 0.3, e[witness.LongestStill], 1e-9)
	require.InDelta(t, 1.5, e[witness.Seconds], 1e-9)
}

func TestStepEvidenceOfThePreviousStep(t *testing.T) {
	none := func(*report.Step) {}
	before := steps(none)
	for i := range before {
		before[i].Clients, before[i].OpsPerSecond = 2, 400
	}
	e := stepEvidence(steps(none), before)
	require.InDelta(t, 2, e[witness.ClientsRatio], 1e-9)
	require.InDelta(t, 1000.0/800, e[witness.OpsRatio], 1e-9)
	before[0].Clients = 4
	require.NotContains(t, stepEvidence(steps(none), before), witness.ClientsRatio, "a repeat")
	before[0].Clients, before[0].Variant = 2, "other"
	require.NotContains(t, stepEvidence(steps(none), before), witness.ClientsRatio, "another variant")
	before[0].Variant = ""
	require.Contains(t, stepEvidence(steps(none), before), witness.ClientsRatio)
	before[0].Rate = 100
	require.NotContains(t, stepEvidence(steps(none), before), witness.ClientsRatio, "an open loop before")
	before[0].Rate = 0
	openLoop := steps(func(s *report.Step) { s.Rate = 100 })
	require.NotContains(t, stepEvidence(openLoop, before), witness.ClientsRatio, "an open loop")
}

// Slots after the window, or after the first client's end, do not count as a drop.
func TestCourseUsesMeasuredTime(t *testing.T) {
	w := &Watch{slots: slots{every: 100 * time.Millisecond}}
	for i := range 60 {
		one := slot{length: w.slots.every}
		if i < 30 {
			one.operations = 100
		}
		w.slots.all = append(w.slots.all, one)
	}
	drift := func(s report.Step) float64 {
		e := witness.Evidence{}
		s.Seconds = 6
		w.course(e, &s)

		return e[witness.DriftPart]
	}
	require.InDelta(t, 1, drift(report.Step{}), 1e-9)
	require.Zero(t, drift(report.Step{Window: &report.Window{Seconds: 3}}))
	require.Zero(t, drift(report.Step{AllClients: &report.AllClients{Seconds: 3}}))
}

func TestWakingLateIsCounted(t *testing.T) {
	w := &Watch{begin: &account{reading: reading{at: time.Now()}}, slots: slots{every: time.Hour}}
	w.woke(-time.Millisecond)
	require.Zero(t, w.late.Max)
	w.woke(20 * time.Millisecond)
	require.Equal(t, 20*time.Millisecond, w.late.Max)
	require.Equal(t, 20*time.Millisecond, w.lateNow)
	require.EqualValues(t, 2, w.late.Count)
}

// The report's evidence leads to the same word.
func TestWatchAnnotates(t *testing.T) {
	operations := uint64(0)
	w := NewWatch(nil, func() uint64 { operations += 100; return operations })
	w.Start()
	begin := selfTime()
	burn(300 * time.Millisecond)
	spent := selfTime() - begin
	w.Stop()
	w.Stop()
	all := steps(func(*report.Step) {})
	w.Annotate(all, nil)
	said := all[0].Witness
	require.Same(t, said, all[1].Witness, "one word of all kinds of operations")
	word, why := witness.Judge(said.Evidence)
	require.Equal(t, said.LimitedBy, word)
	require.Equal(t, said.Why, why)
	require.Contains(t, said.Evidence, witness.LateMeanMs)
	require.Contains(t, said.Evidence, witness.Collector)
	if said.OverTime == nil {
		require.NotContains(t, said.Evidence, witness.Processors, "this system does not tell")

		return
	}
	seconds := w.end.at.Sub(w.begin.at).Seconds()
	require.GreaterOrEqual(t, said.Evidence[witness.K6]*seconds, spent.Seconds())
	require.LessOrEqual(t, said.Evidence[witness.K6]*seconds, 2*spent.Seconds()+0.1)
	require.NotEmpty(t, said.OverTime.K6)
	require.Contains(t, said.Evidence, witness.Waited)
	require.Greater(t, said.Evidence[witness.OpenFiles], 2.0)
}

func TestWatchOfAStepWithoutAStart(t *testing.T) {
	w := NewWatch(nil, func() uint64 { return 0 })
	w.Stop()
	none := []report.Step{{Clients: 1}}
	w.Annotate(none, nil)
	require.Equal(t, witness.Short, none[0].LimitedBy())
	require.Nil(t, none[0].Witness.OverTime)
	w.Annotate(nil, nil)
}

func TestWatchDisabledByEnvironment(t *testing.T) {
	t.Setenv("K6_SWEEP_WITNESS", "off")
	w := NewWatch(nil, func() uint64 { return 0 })
	w.Start()
	w.Stop()
	all := steps(func(*report.Step) {})
	w.Annotate(all, nil)
	require.Nil(t, all[0].Witness)
}
