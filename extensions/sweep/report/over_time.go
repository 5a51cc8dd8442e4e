package report

import (
	"fmt"
	"math"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// OverTime has the figures of one kind of operation over the time of the step, in at most 300 slots
// of equal length; the last one is 0.5 to 1.5 times as long. An operation counts in the slot in
// which it ended.
//
// In a duet, each variant has its own over the time of both, with slots of one or more pairs of
// slices.
type OverTime struct {
	SlotSeconds float64 `json:"slotSeconds"`
	// StepSeconds is the step time of both variants, only in a duet.
	StepSeconds float64 `json:"stepSeconds,omitempty"`
	// TurnSeconds is the mean time for which the variant's clients worked in each slot, only in a
	// duet. OpsPerSecond refers to it.
	TurnSeconds []float64 `json:"turnSeconds,omitempty"`
	// OpsPerSecond counts successful operations, with four digits.
	OpsPerSecond []float64 `json:"opsPerSecond"`
	// P50 and P99 are at most 3.1 % too high; 12.5 % in a merged step. They are zero without a
	// successful operation.
	P50    []float64 `json:"p50Ms"`
	P99    []float64 `json:"p99Ms"`
	Failed []uint64  `json:"failed"`
	// Heat is a histogram of durations for each slot, see measure.OverTime.Heat.
	Heat [][]uint64 `json:"heat"`
}

// Slow is one of a step's slowest operations.
type Slow struct {
	// At is its start in seconds after the start line; in an open loop, its due time.
	At float64 `json:"at"`
	// Client is the client's number, from zero.
	Client int     `json:"client"`
	Ms     float64 `json:"ms"`
	// Waited is the part of it spent waiting for a free client, in an open loop.
	Waited float64 `json:"waitMs,omitempty"`
	// Woken is the part of it from the arrival of the answer until the client read it; nil if not
	// measured.
	Woken *float64 `json:"wokenMs,omitempty"`
}

// slotDigits is the precision of a slot's figures.
const slotDigits = 4

// newOverTime returns nil if the figures over time were not kept.
func newOverTime(o *measure.OverTime, elapsed time.Duration) *OverTime {
	if o == nil {
		return nil
	}
	out := &OverTime{SlotSeconds: o.Width.Seconds(), Heat: o.Heat()}
	if o.Turns != nil {
		out.StepSeconds = elapsed.Seconds()
	}
	for _, turn := range o.Turns {
		out.TurnSeconds = append(out.TurnSeconds, turn.Seconds())
	}
	for i := range o.Slots {
		s := &o.Slots[i]
		out.OpsPerSecond = append(out.OpsPerSecond, rounded(Rate(s.Count(), o.Work(i, elapsed))))
		out.P50 = append(out.P50, rounded(Ms(s.Quantile(0.5))))
		out.P99 = append(out.P99, rounded(Ms(s.Quantile(0.99))))
		out.Failed = append(out.Failed, s.Failed)
	}

	return out
}

func rounded(v float64) float64 {
	if v == 0 {
		return 0
	}
	unit := math.Pow(10, slotDigits-1-math.Floor(math.Log10(v)))

	return math.Round(v*unit) / unit
}

func newSlowest(o *measure.OverTime) []Slow {
	if o == nil {
		return nil
	}
	var all []Slow
	for _, s := range o.Slowest {
		one := Slow{At: s.Began.Round(time.Microsecond).Seconds(), Client: s.Client, Ms: Ms(s.Took), Waited: Ms(s.Waited)}
		if s.Woken != nil {
			woken := Ms(*s.Woken)
			one.Woken = &woken
		}
		all = append(all, one)
	}

	return all
}

// Measured decodes the figures over time, or returns nil.
func (s *Step) Measured() (*measure.OverTime, error) {
	if s.OverTime == nil {
		return nil, nil //nolint:nilnil // only some kinds of operations have it
	}
	slots, err := measure.ReadHeat(s.OverTime.Heat)
	if err != nil {
		return nil, fmt.Errorf("overTime.heat: %w", err)
	}
	if len(slots) != len(s.OverTime.Failed) {
		return nil, fmt.Errorf("overTime.heat has %d slots, but overTime.failed %d", len(slots), len(s.OverTime.Failed))
	}
	for i := range slots {
		slots[i].Failed = s.OverTime.Failed[i]
	}
	o := &measure.OverTime{Width: nanoseconds(s.OverTime.SlotSeconds, time.Second), Slots: slots}
	for _, turn := range s.OverTime.TurnSeconds {
		o.Turns = append(o.Turns, nanoseconds(turn, time.Second))
	}
	for _, one := range s.Slowest {
		slow := measure.Slow{
			Began: nanoseconds(one.At, time.Second), Client: one.Client, Took: nanoseconds(one.Ms, time.Millisecond),
			Waited: nanoseconds(one.Waited, time.Millisecond),
		}
		if one.Woken != nil {
			woken := nanoseconds(*one.Woken, time.Millisecond)
			slow.Woken = &woken
		}
		o.Slowest = append(o.Slowest, slow)
	}

	return o, nil
}

// StepSeconds returns the time from the start line to the last client's end; in a duet of both
// variants, if known.
func (s *Step) StepSeconds() float64 {
	if s.OverTime != nil && s.OverTime.StepSeconds > 0 {
		return s.OverTime.StepSeconds
	}

	return s.Seconds
}
