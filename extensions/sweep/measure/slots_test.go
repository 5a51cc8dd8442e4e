package measure

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func overTimeOf(t *testing.T, clients int, plan Plan, op string, each func(client, n int) time.Duration) (Reading, *OverTime) {
	t.Helper()
	s := NewStep(clients, plan, nil)
	requireNoErrors(t, together(s, func(i int, c *Client) error {
		n := -1

		return c.Run(t.Context(), op, nil, func() error {
			n++
			took := each(i, n)
			if took < 0 {
				time.Sleep(-took)

				return fmt.Errorf("operation %d failed", n)
			}
			time.Sleep(took)

			return nil
		})
	}))
	r := s.Read()

	return r, r.Op(op).OverTime
}

func (o *OverTime) sums() (ops int64, failed uint64) {
	for i := range o.Slots {
		ops += o.Slots[i].Count()
		failed += o.Slots[i].Failed
	}

	return ops, failed
}

// Slots are few, and each operation counts once, at its end.
func TestSlotsCountEveryOperation(t *testing.T) {
	for _, tt := range []struct {
		length, each time.Duration
		width        time.Duration
		slots        int
	}{
		{25 * ms, ms, 10 * ms, 3},
		{2 * time.Second, ms, 10 * ms, 200},
		{2990 * ms, ms, 10 * ms, 299},
		{3100 * ms, ms, 20 * ms, 155},
		{time.Minute, ms, 320 * ms, 188},
		{10 * time.Minute, 10 * ms, 2560 * ms, 234},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := int(tt.length / tt.each)
			r, o := overTimeOf(t, 2, Plan{Operations: uint64(n)}, "op", func(_, n int) time.Duration {
				if n%10 == 9 {
					return -tt.each
				}

				return tt.each
			})
			require.Equal(t, tt.length, r.Elapsed)
			require.Equal(t, tt.width, o.Width, "%s", tt.length)
			require.Len(t, o.Slots, tt.slots, "%s", tt.length)
			ops, failed := o.sums()
			require.Equal(t, r.Op("op").Durations.Count, ops)
			require.Equal(t, r.Op("op").Failed, failed)
			for i := range o.Slots {
				want := float64(2*o.Length(i, r.Elapsed)) / float64(tt.each) * 0.9
				require.InDelta(t, want, float64(o.Slots[i].Count()), 4, "%s, slot %d", tt.length, i)
			}
		})
	}
}

// A stall of a second leaves a second without operations, and then an operation of a second per
// client.
func TestSlotsShowAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, o := overTimeOf(t, 4, Plan{Operations: 2000}, "op", func(_, n int) time.Duration {
			if n == 500 {
				return time.Second
			}

			return ms
		})
		require.Equal(t, 10*ms, o.Width, "3 s of 10 ms")
		for i := 51; i < 149; i++ {
			require.Zero(t, o.Slots[i].Count(), "slot %d is within the stall", i)
		}
		after := o.Slots[149].plus(o.Slots[150])
		require.GreaterOrEqual(t, after.Quantile(1), time.Second)
		slow := 0
		after.Each(func(from, _ time.Duration, n uint64) {
			if from > 900*ms {
				slow += int(n)
			}
		})
		require.Equal(t, 4, slow)
		require.Less(t, o.Slots[49].Quantile(1), 2*ms)
		require.Less(t, o.Slots[160].Quantile(1), 2*ms)
	})
}

// After a pause of k6 itself, operations count in the right slots.
func TestSlotsAfterAPause(t *testing.T) {
	s := newSlots()
	k := newKind("op", false, 2)
	s.keep(k)
	s.start = 0
	s.next.Store(int64(s.width))
	k.of(0).ok.count(int64(ms))
	s.tick(70 * ms)
	k.of(1).ok.count(int64(3 * ms))
	k.of(1).ok.count(int64(3 * ms))
	s.tick(80 * ms)
	o := s.read("op", false, 85*ms)
	require.Len(t, o.Slots, 9)
	for i, want := range []int64{1, 0, 0, 0, 0, 0, 0, 2, 0} {
		require.Equal(t, want, o.Slots[i].Count(), "slot %d", i)
	}
}

func TestSlotsBeginAtTheStartLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := overTimeOf(t, 2, Plan{Operations: 100, Warmup: time.Second}, "op", func(_, n int) time.Duration {
			if n < 100 {
				return 10 * ms // in the warm-up
			}

			return ms
		})
		ops, _ := o.sums()
		require.EqualValues(t, 200, ops)
		require.Equal(t, 100*ms, r.Elapsed)
		require.Less(t, o.Slots[0].Quantile(1), 2*ms)
		require.Equal(t, ms, o.Slowest[0].Took)
	})
}

func TestSlotsOfSeveralKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Operations: 200}, nil)
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			n := 0

			return c.Run(t.Context(), "op", nil, func() error {
				time.Sleep(ms)
				c.Recorder(fmt.Sprintf("kind %02d", n%20)).Ok(ms)
				n++

				return nil
			})
		}))
		r := s.Read()
		kept := 0
		for i := range r.Ops {
			if o := r.Ops[i].OverTime; o != nil {
				kept++
				ops, _ := o.sums()
				require.EqualValues(t, 10, ops)
				require.Len(t, o.Slots, 20)
			}
		}
		require.Equal(t, mostKinds-1, kept, "the kind that nobody named is one")
	})
}

// In an open loop, the slowest operations start at their due time.
func TestSlowestOfAnOpenLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, o := overTimeOf(t, 1, Plan{Rate: 100, Duration: 2 * time.Second}, "op", func(_, n int) time.Duration {
			if n == 50 {
				return 500 * ms
			}

			return ms
		})
		require.Len(t, o.Slowest, MostSlowest)
		require.Equal(t, Slow{Began: 500 * ms, Client: 0, Took: 500 * ms}, o.Slowest[0])
		second := o.Slowest[1]
		require.Equal(t, 510*ms, second.Began, "it was due")
		require.Equal(t, 491*ms, second.Took)
		require.Equal(t, 490*ms, second.Waited, "for the client")
	})
}

func TestSlowest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, o := overTimeOf(t, 8, Plan{Operations: 100}, "op", func(client, n int) time.Duration {
			return ms + time.Duration((n*37+client*11)%100)*time.Microsecond
		})
		require.Len(t, o.Slowest, MostSlowest)
		for i, one := range o.Slowest {
			require.Equal(t, ms+time.Duration(99-i/8)*time.Microsecond, one.Took, "place %d", i)
			require.Nil(t, one.Woken)
		}
	})
}

// A wait reported by an event loop belongs to the operation that it ends.
func TestSlowestHaveWakeDelay(t *testing.T) {
	s := NewStep(1, Plan{Operations: 3}, nil)
	c := s.Client(0)
	n := 0
	require.NoError(t, c.Run(t.Context(), "op", nil, func() error {
		if n++; n == 2 {
			s.Waits(0).Record(c, 5*ms)
		}
		c.Recorder("op").Ok(time.Duration(n) * time.Second)

		return nil
	}))
	r := s.Read()
	slowest := r.Op("op").OverTime.Slowest
	require.Len(t, slowest, 3)
	require.Nil(t, slowest[0].Woken)
	require.Equal(t, 5*ms, *slowest[1].Woken)
	require.Nil(t, slowest[2].Woken)
}

func TestSlotsLoseNothing(t *testing.T) {
	const clients, operations = 8, 30_000
	s := NewStep(clients, Plan{Operations: operations}, nil)
	requireNoErrors(t, together(s, func(_ int, c *Client) error {
		return c.Run(t.Context(), "op", nil, func() error { return nil })
	}))
	r := s.Read()
	o := r.Op("op").OverTime
	ops, _ := o.sums()
	require.EqualValues(t, clients*operations, ops)
	require.Len(t, o.Slots, SlotsOf(r.Elapsed, o.Width))
	again := s.Read()
	ops, _ = again.Op("op").OverTime.sums()
	require.EqualValues(t, clients*operations, ops, "reading takes nothing away")
}

func TestHeatComesBack(t *testing.T) {
	o := &OverTime{Width: 10 * ms, Slots: make([]Slot, 5)}
	for at, durations := range map[int][]time.Duration{
		0: {0, 1, 127, 128, 1023, 1024}, 2: {ms, ms, ms + ms/100, time.Second}, 4: {Highest, 2 * Highest},
	} {
		var c Coarse
		for _, d := range durations {
			c.Record(d)
		}
		o.Slots[at].counts = packCounters(c.each)
	}
	heat := o.Heat()
	slots, err := ReadHeat(heat)
	require.NoError(t, err)
	require.Len(t, slots, 5)
	for i := range slots {
		require.Equal(t, o.Slots[i].Count(), slots[i].Count(), "slot %d", i)
		for _, q := range []float64{0.1, 0.5, 1} {
			fine, coarse := o.Slots[i].Quantile(q), slots[i].Quantile(q)
			require.GreaterOrEqual(t, coarse, fine)
			require.LessOrEqual(t, float64(coarse), float64(max(fine, 1023))*1.126, "slot %d", i)
		}
	}
	require.Equal(t, heat, (&OverTime{Slots: slots}).Heat())
}

func TestInvalidHeats(t *testing.T) {
	for why, run := range map[string][]uint64{
		"slot 1 has 2 counters from 263 on, and there are 264":                  {heatCounters - 1, 1, 1},
		"slot 1 has 0 counters from 18446744073709551615 on, and there are 264": {math.MaxUint64},
		"slot 1 has a count of 9007199254740993":                                {0, maxCount + 1},
	} {
		_, err := ReadHeat([][]uint64{{}, run})
		require.EqualError(t, err, why)
	}
}

func TestMergeOverTime(t *testing.T) {
	part := func(width time.Duration, first int, durations ...time.Duration) *OverTime {
		o := &OverTime{Width: width}
		for i, d := range durations {
			var c Coarse
			c.Record(d)
			o.Slots = append(o.Slots, Slot{Failed: uint64(first), counts: packCounters(c.each)})
			o.Slowest = append(o.Slowest, Slow{Began: time.Duration(i) * width, Client: i, Took: d})
		}

		return o
	}
	whole := MergeOverTime([]PartOverTime{
		{OverTime: part(10*ms, 1, ms, ms, ms, 4*ms)},
		{OverTime: part(20*ms, 2, 2*ms, 3*ms), Began: 38 * ms, FirstClient: 8},
	}, 78*ms)
	require.Equal(t, 20*ms, whole.Width)
	require.Len(t, whole.Slots, 4)
	for i, want := range []struct {
		ops    int64
		failed uint64
	}{{2, 2}, {2, 2}, {1, 2}, {1, 2}} {
		require.Equal(t, want.ops, whole.Slots[i].Count(), "slot %d", i)
		require.Equal(t, want.failed, whole.Slots[i].Failed, "slot %d", i)
	}
	require.Equal(t, Slow{Began: 30 * ms, Client: 3, Took: 4 * ms}, whole.Slowest[0])
	require.Equal(t, Slow{Began: 58 * ms, Client: 9, Took: 3 * ms}, whole.Slowest[1])
}

// A duet's slots contain whole pairs and the working time of each variant.
func TestSlotsOfADuet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const us = time.Microsecond
		for _, plan := range []Plan{{Duration: 2 * time.Second, Seed: 1}, {Operations: 1000, Seed: 2}} {
			s, r, _ := duetOf(t, 4, plan, takes(1000*us), takes(1250*us))
			for variant, perSecond := range map[Variant]float64{Base: 4000, Change: 3200} {
				of := r.Of(variant, "op")
				o := of.OverTime
				require.NotNil(t, o, variant)
				require.Zero(t, o.Width%(2*r.Duet.Length), "whole pairs")
				require.Len(t, o.Slots, SlotsOf(r.Elapsed, o.Width))
				require.Len(t, o.Turns, len(o.Slots))
				ops, failed := o.sums()
				require.Equal(t, of.Durations.Count, ops)
				require.Zero(t, failed)
				var at, work time.Duration
				for i := range o.Slots {
					at += o.Turns[i]
					if i < len(o.Slots)-1 {
						require.InDelta(t, perSecond*o.Turns[i].Seconds(), o.Slots[i].Count(), 2*4, "slot %d: to two operations of each client", i)
						work += o.Work(i, r.Elapsed)
					}
				}
				require.InDelta(t, of.Time.Seconds(), at.Seconds(), 1e-4)
				require.Less(t, work, at, "the last slot is of some time as well")
				require.Len(t, o.Slowest, MostSlowest)
				require.Equal(t, of.Durations.Max, o.Slowest[0].Took)
				for _, slow := range o.Slowest {
					require.Equal(t, variant, s.duet.Load().variant(int64(slow.Began/r.Duet.Length)), "it began in a slice of its own")
				}
			}
		}
	})
}

// An operation recorded before the duet gets no slots.
func TestFailuresInTheSlotsOfADuet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Duration: time.Second}, nil)
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			c.Recorder("op") // like a module that connects first

			return c.RunDuet(t.Context(), "op", nil, func() error {
				time.Sleep(ms)

				return nil
			}, func() error {
				time.Sleep(ms)

				return errors.New("refused")
			})
		}))
		r := s.Read()
		ops, failed := r.Of(Base, "op").OverTime.sums()
		require.Positive(t, ops)
		require.Zero(t, failed)
		ops, failed = r.Of(Change, "op").OverTime.sums()
		require.Zero(t, ops)
		require.Equal(t, r.Of(Change, "op").Failed, failed)
		require.Positive(t, failed)
		require.Len(t, s.slots.kinds, 2)
	})
}

// Memory for slots is bounded, for any number of names and range of latencies.
func TestSlotsAreSmall(t *testing.T) {
	s := newSlots()
	s.next.Store(int64(s.width))
	var kinds []*overTime
	for i := range 6 {
		kinds = append(kinds, s.keep(newKind(fmt.Sprint(i), false, 1)))
	}
	const length = MostSlots + 50
	for i := range length {
		for _, k := range kinds {
			for at := range coarseCounters {
				k.of(0).ok.count(int64(coarseLowest(at)))
			}
		}
		s.tick(time.Duration(i+1) * 10 * ms)
	}
	packed := 0
	for _, k := range kinds {
		for i := range k.slots {
			packed += cap(k.slots[i].counts)
		}
	}
	require.Less(t, packed, 4<<20)
	var ops int64
	for i := range kinds {
		o := s.read(fmt.Sprint(i), false, length*10*ms)
		n, _ := o.sums()
		ops += n
	}
	require.EqualValues(t, length*len(kinds)*coarseCounters, ops)
}
