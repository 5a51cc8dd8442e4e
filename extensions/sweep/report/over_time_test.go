package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// measuredSteps measures operations with the given durations; negative ones fail.
func measuredSteps(t *testing.T, clients, operations int, each func(client, n int) time.Duration) []Step {
	t.Helper()
	var steps []Step
	synctest.Test(t, func(t *testing.T) {
		s := measure.NewStep(clients, measure.Plan{Operations: uint64(operations)}, nil)
		var all sync.WaitGroup
		for i := range clients {
			all.Go(func() {
				n := -1
				_ = s.Client(i).Run(t.Context(), "get", nil, func() error {
					n++
					took := each(i, n)
					time.Sleep(max(took, -took))
					if took < 0 {
						return errors.New("refused")
					}

					return nil
				})
			})
		}
		all.Wait()
		reading := s.Read()
		steps = NewSteps(&reading, Step{Clients: clients, Repeat: 1, PerClient: uint64(operations)}, "", CPUSeconds{})
	})

	return steps
}

// stalled has 4 clients with 1,000 operations of 1 ms; the 500th took 1 s, and each hundredth
// failed.
func stalled(t *testing.T) Step {
	t.Helper()

	return measuredSteps(t, 4, 1000, func(client, n int) time.Duration {
		switch {
		case n == 500:
			return time.Second + time.Duration(client)*time.Millisecond
		case n%100 == 99:
			return -time.Millisecond
		}

		return time.Millisecond
	})[0]
}

func TestOverTime(t *testing.T) {
	s := stalled(t)
	o := s.OverTime
	require.InDelta(t, 0.01, o.SlotSeconds, 0)
	require.Len(t, o.Failed, 200, "2 s")
	require.InDelta(t, 4000, o.OpsPerSecond[20], 500)
	require.Zero(t, o.OpsPerSecond[100], "in the stall")
	require.Zero(t, o.P99[100])
	require.InDelta(t, 1, o.P50[20], 0.04)
	require.InDelta(t, 1000, slices.Max(o.P99), 40)
	var failed uint64
	for _, n := range o.Failed {
		failed += n
	}
	require.EqualValues(t, 40, failed)
	require.Len(t, s.Slowest, 20)
	require.Equal(t, Slow{At: 0.5, Client: 3, Ms: 1003}, s.Slowest[0])

	r := madeUp(func(r *Report) { r.Steps = []Step{s} })
	raw, err := r.JSON()
	require.NoError(t, err)
	read, err := Read(raw)
	require.NoError(t, err)
	require.Equal(t, s, read.Steps[0])
	measured, err := read.Steps[0].Measured()
	require.NoError(t, err)
	require.Len(t, measured.Slots, 200)
	require.Equal(t, time.Second+3*time.Millisecond, measured.Slowest[0].Took)
}

func TestOverTimeIsValidated(t *testing.T) {
	for why, spoil := range map[string]func(*Step){
		"the lists of overTime are not of the same number of slots": func(s *Step) { s.OverTime.P50 = s.OverTime.P50[1:] },
		"overTime.heat has 200 slots, but overTime.failed 199": func(s *Step) {
			o := s.OverTime
			o.P50, o.P99, o.OpsPerSecond, o.Failed = o.P50[1:], o.P99[1:], o.OpsPerSecond[1:], o.Failed[1:]
		},
		"overTime has 200 slots of 0.02 seconds, which do not fit": func(s *Step) { s.OverTime.SlotSeconds = 0.02 },
		"overTime counts 3960 operations and 41 failed ones":       func(s *Step) { s.OverTime.Failed[3]++ },
		"overTime.heat: slot 0 has 0 counters from 999":            func(s *Step) { s.OverTime.Heat[0] = []uint64{999} },
	} {
		s := stalled(t)
		require.NoError(t, s.validate())
		spoil(&s)
		require.ErrorContains(t, s.validate(), why)
	}
}

// duetStep is the change of a duet of 4 clients with operations of 1 ms.
func duetStep(t *testing.T) Step {
	t.Helper()
	var steps []Step
	synctest.Test(t, func(t *testing.T) {
		s := measure.NewStep(4, measure.Plan{Duration: time.Second, Seed: 3}, nil)
		var all sync.WaitGroup
		work := func() error {
			time.Sleep(time.Millisecond)

			return nil
		}
		for i := range 4 {
			all.Go(func() { _ = s.Client(i).RunDuet(t.Context(), "get", nil, work, work) })
		}
		all.Wait()
		reading := s.Read()
		steps = NewSteps(&reading, Step{Clients: 4, Repeat: 1}, "", CPUSeconds{})
	})
	require.Equal(t, Base, steps[0].Variant)
	require.NoError(t, steps[0].validate())
	require.Equal(t, Change, steps[1].Variant)

	return steps[1]
}

// Slots cover the time of both variants; rates refer to the variant's own slices.
func TestOverTimeOfADuet(t *testing.T) {
	s := duetStep(t)
	require.NoError(t, s.validate())
	o := s.OverTime
	require.InDelta(t, 1, o.StepSeconds, 0.01)
	require.InDelta(t, 1, s.StepSeconds(), 0.01)
	require.InDelta(t, 0.5, s.Seconds, 0.05)
	require.Len(t, o.TurnSeconds, len(o.Failed))
	for i, rate := range o.OpsPerSecond[:len(o.Failed)-1] {
		require.InDelta(t, 4000, rate, 400, "slot %d", i)
	}
	require.Len(t, s.Slowest, 20)
	require.Nil(t, s.Intervals, "the duet has intervals")

	raw, err := json.Marshal(s)
	require.NoError(t, err)
	var read Step
	require.NoError(t, json.Unmarshal(raw, &read))
	require.NoError(t, read.validate())
	measured, err := read.Measured()
	require.NoError(t, err)
	require.InDelta(t, s.Seconds, sumOf(measured.Turns).Seconds(), 1e-4)

	for why, spoil := range map[string]func(*Step){
		"the lists of overTime are not":                             func(s *Step) { s.OverTime.StepSeconds = 0 },
		"the lists of overTime are not of the same number of slots": func(s *Step) { s.OverTime.TurnSeconds = s.OverTime.TurnSeconds[1:] },
		"which do not fit seconds of 2":                             func(s *Step) { s.OverTime.StepSeconds = 2 },
	} {
		s := duetStep(t)
		spoil(&s)
		require.ErrorContains(t, s.validate(), why)
	}
}

func sumOf(all []time.Duration) (sum time.Duration) {
	for _, d := range all {
		sum += d
	}

	return sum
}

func TestMergeOverTime(t *testing.T) {
	whole := func(spoil func(*Step)) Step {
		parts := []*Report{mergePart("0:1/2"), mergePart("1/2:1")}
		for i, part := range parts {
			s := stalled(t)
			s.Clients = 8
			s.Started = part.Started.Add(time.Duration(i) * 30 * time.Millisecond)
			if i == 1 {
				spoil(&s)
			}
			part.Steps = []Step{s}
		}
		merged, _, err := Merge(parts...)
		require.NoError(t, err)
		require.NoError(t, merged.Steps[0].validate())

		return merged.Steps[0]
	}
	s := whole(func(*Step) {})
	require.Len(t, s.OverTime.Failed, 203)
	require.InDelta(t, 4000, s.OverTime.OpsPerSecond[1], 500, "only the first part is at work")
	require.InDelta(t, 8000, s.OverTime.OpsPerSecond[20], 1000)
	require.Equal(t, Slow{At: 0.5, Client: 3, Ms: 1003}, s.Slowest[0])
	require.Equal(t, Slow{At: 0.53, Client: 7, Ms: 1003}, s.Slowest[1])

	require.Nil(t, whole(func(s *Step) { s.OverTime, s.Slowest = nil, nil }).OverTime)
}

// The JSON of a published sweep, with 7 steps of 10,000 operations per client, stays below 600 kB.
func TestPublishedSweepIsSmall(t *testing.T) {
	r := madeUp(func(r *Report) {
		r.Steps = nil
		for _, clients := range []int{1, 8, 16, 32, 64, 128, 512} {
			r.Steps = append(r.Steps, publishedStep(t, clients))
		}
	})
	raw, err := r.JSON()
	require.NoError(t, err)
	require.Less(t, len(raw), 600_000)
	t.Log(len(raw))
	require.Less(t, bytes.Count(raw, []byte("\n")), 7*500)
	_, err = Read(raw)
	require.NoError(t, err)
}

// publishedStep has the most slots allowed, and latencies with the spread of a real store.
func publishedStep(t *testing.T, clients int) Step {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(clients), 1))
	const each = 9_900 // operations in each slot
	totals := measure.Totals{Op: "get", OverTime: &measure.OverTime{Width: 160 * time.Millisecond}}
	for range measure.MostSlots {
		var took measure.Coarse
		for range each * clients / measure.MostSlots {
			d := time.Duration(2e5 * float64(clients) * math.Exp(0.7*random.NormFloat64()))
			took.Record(d)
			totals.Durations.Record(d)
		}
		totals.OverTime.Slots = append(totals.OverTime.Slots, measure.NewSlot(0, &took))
	}
	totals.OverTime.Slowest = slices.Repeat([]measure.Slow{{Began: 12_345_678 * time.Microsecond, Client: clients - 1, Took: totals.Durations.Max}},
		measure.MostSlowest)
	r := measure.Reading{Started: true, Complete: true, Elapsed: 48 * time.Second, Ops: []measure.Totals{totals}}
	for range clients {
		r.ClientTimes.Record(time.Duration(random.Int64N(int64(r.Elapsed))))
		r.ClientOps.Record(each)
	}
	steps := NewSteps(&r, Step{Clients: clients, Repeat: 1, PerClient: each}, "", CPUSeconds{})

	return steps[0]
}

func TestNumbersOnOneLine(t *testing.T) {
	long := make([]float64, 300)
	for i := range long {
		long[i] = float64(i) / 4
	}
	value := map[string]any{
		"long": long, "short": []int{1, 2}, "text": "[1, 2, \\\" [3", "nested": [][]float64{long, {1}}, "empty": []int{}, "words": []string{"a", "]"},
	}
	indented, err := json.MarshalIndent(value, "", "  ")
	require.NoError(t, err)
	out := numbersOnOneLine(indented)
	var before, after any
	require.NoError(t, json.Unmarshal(indented, &before))
	require.NoError(t, json.Unmarshal(out, &after))
	require.Equal(t, before, after)
	require.Contains(t, string(out), `"long": [0, 0.25, 0.5,`)
	require.Less(t, bytes.Count(out, []byte("\n")), 25)
	require.Contains(t, string(out), "\"short\": [\n    1,\n    2\n  ]")
}
