package stats_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// server has a known service time. A neighbour slows several operations in a row.
type server struct {
	mean      time.Duration
	neighbour float64 // relative slowdown by the neighbour
	stays     float64 // probability that the neighbour does not start or stop at the next one
}

type run struct {
	server
	random  *rand.Rand
	here    bool
	elapsed time.Duration
	before  measure.OverTime // earlier slots
	slot    measure.Coarse   // current slot
	all     measure.Distribution
}

func (s server) start(random *rand.Rand) *run {
	r := &run{server: s, random: random, here: random.Float64() < 0.5}
	r.before.Width = 20 * time.Millisecond

	return r
}

func (r *run) next() time.Duration {
	if r.random.Float64() >= r.stays {
		r.here = !r.here
	}
	takes := float64(r.mean) * r.random.ExpFloat64()
	if r.here {
		takes *= 1 + r.neighbour
	}

	return time.Duration(takes)
}

func (r *run) until(end time.Duration) {
	for {
		took := r.next()
		r.elapsed += took
		if r.elapsed >= end {
			r.elapsed = end

			return
		}
		for len(r.before.Slots) < int(r.elapsed/r.before.Width) {
			r.before.Slots = append(r.before.Slots, measure.NewSlot(0, &r.slot))
			if n := len(r.before.Slots); n == measure.MostSlots {
				one := []measure.PartOverTime{{OverTime: &r.before}}
				r.before = *measure.MergeOverTime(one, (measure.MostSlots+1)*r.before.Width)
			}
		}
		r.slot.Record(took)
		r.all.Record(took)
	}
}

func (r *run) reading() *measure.Reading {
	var slot measure.Coarse
	slot.Merge(&r.slot)
	o := r.before
	o.Slots = append(slices.Clone(o.Slots), measure.NewSlot(0, &slot))

	return &measure.Reading{Window: r.elapsed, Ops: []measure.Totals{{Durations: r.all, OverTime: &o}}}
}

// truth returns the exact rate, and p99 from a very long run.
func (s server) truth() (rate, p99 float64) {
	r := s.start(rand.New(rand.NewPCG(7, 7)))
	var d measure.Distribution
	for range 3_000_000 {
		d.Record(r.next())
	}

	return 1 / (s.mean.Seconds() * (1 + s.neighbour/2)), d.Quantile(0.99).Seconds()
}

// 93 to 97 of 100 intervals of 95 % contain the truth in steps of fixed time, with and without a
// neighbour. For steps with a precision it is at least as many.
func TestSpreadsCoverTheTruth(t *testing.T) {
	t.Parallel()
	const runs = 200
	for name, tt := range map[string]struct {
		server
		lasts time.Duration // zero: until aim
		aim   stats.Aim
	}{
		"quiet":                 {server{mean: 2 * time.Millisecond, stays: 0.5}, 20 * time.Second, stats.Aim{}},
		"neighbour":             {server{mean: 2 * time.Millisecond, neighbour: 1, stays: 0.99}, 30 * time.Second, stats.Aim{}},
		"quiet until known":     {server{mean: 2 * time.Millisecond, stays: 0.5}, 0, stats.Aim{OpsPerSecond: 0.03}},
		"neighbour until known": {server{mean: 2 * time.Millisecond, neighbour: 1, stays: 0.99}, 0, stats.Aim{OpsPerSecond: 0.06}},
		"p99 until known":       {server{mean: 2 * time.Millisecond, neighbour: 1, stays: 0.99}, 0, stats.Aim{OpsPerSecond: 0.08, P99: 0.08}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rate, p99 := tt.truth()
			rates, p99s, took := 0, 0, time.Duration(0)
			for i := range runs {
				r := tt.start(rand.New(rand.NewPCG(uint64(i), 1)))
				r.until(max(tt.lasts, stats.FirstLook))
				for tt.aim.Some() {
					reached := stats.Reached(r.reading(), 1)
					if reached.Meets(tt.aim) {
						break
					}
					require.Less(t, r.elapsed, time.Hour)
					r.until(tt.aim.NextLook(r.elapsed, reached))
				}
				reading := r.reading()
				s, known := stats.NewSpread(reading.Ops[0].OverTime, reading.Window)
				require.True(t, known)
				got := float64(r.all.Count) / r.elapsed.Seconds()
				low, high, known := s.Levels(0.99)
				require.True(t, known)
				lowest, highest := r.all.Quantile(low).Seconds(), r.all.Quantile(high).Seconds()
				if middle := r.all.Quantile(0.99).Seconds(); tt.aim.P99 > 0 {
					lowest, highest = middle*(1-tt.aim.P99), middle*(1+tt.aim.P99)
				}
				if math.Abs(got-rate) <= cmp.Or(tt.aim.OpsPerSecond, s.Rate())*got {
					rates++
				}
				if lowest <= p99 && p99 <= highest {
					p99s++
				}
				took += r.elapsed
			}
			t.Logf("ops/s %d, p99 %d of %d, %s on average", rates, p99s, runs, took/runs)
			require.InDelta(t, 0.95, float64(rates)/runs, 0.035, "ops/s")
			require.InDelta(t, 0.95, float64(p99s)/runs, 0.045, "p99")
		})
	}
}
