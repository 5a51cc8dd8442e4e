package report

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// OverTime has a kind of operation's figures over the step's time, in at most 300 slots of equal
// length; the last one is 0.5 to 1.5 times as long. An operation counts in the slot in which it
// ended.
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
	// Heat is a histogram of durations for each slot; measure.ReadHeat decodes it.
	Heat string `json:"heat"`
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
func newOverTime(o *measure.OverTime, elapsed time.Duration) (*OverTime, error) {
	if o == nil {
		return nil, nil //nolint:nilnil // a step without has none
	}
	heat, err := o.Heat()
	if err != nil {
		return nil, fmt.Errorf("what it did over time: %w", err)
	}
	out := &OverTime{SlotSeconds: o.Width.Seconds(), Heat: heat}
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

	return out, nil
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

// validateTurns checks the times of a variant's slices against the step.
func (s *Step) validateTurns() error {
	o := s.OverTime
	if (o.StepSeconds == 0) != (len(o.TurnSeconds) == 0) {
		return errors.New("overTime has stepSeconds and turnSeconds, or neither")
	}
	if len(o.TurnSeconds) == 0 {
		return nil
	}
	if len(o.TurnSeconds) != len(o.Failed) {
		return errors.New("the lists of overTime are not of the same number of slots")
	}
	all := 0.0
	for _, turn := range o.TurnSeconds {
		if err := possible(keyed{"overTime.turnSeconds", turn}); err != nil {
			return err
		}
		all += turn
	}
	if !near(all, s.Seconds, rateTolerance) {
		return fmt.Errorf("overTime.turnSeconds are %g together, but seconds is %g", all, s.Seconds)
	}
	if s.Seconds > o.StepSeconds {
		return fmt.Errorf("seconds of %g is above overTime.stepSeconds of %g", s.Seconds, o.StepSeconds)
	}

	return nil
}

// validateOverTime checks that the slots add up to the step's figures.
func (s *Step) validateOverTime() error {
	o := s.OverTime
	if o == nil {
		return s.validateSlowest()
	}
	n := len(o.Failed)
	if len(o.OpsPerSecond) != n || len(o.P50) != n || len(o.P99) != n {
		return errors.New("the lists of overTime are not of the same number of slots")
	}
	measured, err := s.Measured()
	if err != nil {
		return err
	}
	if err := s.validateTurns(); err != nil {
		return err
	}
	elapsed := nanoseconds(s.StepSeconds(), time.Second)
	if width := measured.Width; width < measure.ShortestSlot || n != measure.SlotsOf(elapsed, width) {
		return fmt.Errorf("overTime has %d slots of %g seconds, which do not fit seconds of %g", n, o.SlotSeconds, s.StepSeconds())
	}
	var ops int64
	var failed uint64
	for i := range measured.Slots {
		slot := &measured.Slots[i]
		ops += slot.Count()
		failed += slot.Failed
		rate := Rate(slot.Count(), measured.Work(i, elapsed))
		if err := possible(keyed{"overTime.opsPerSecond", o.OpsPerSecond[i]}, keyed{"overTime.p50Ms", o.P50[i]},
			keyed{"overTime.p99Ms", o.P99[i]}); err != nil {
			return err
		}
		if !near(o.OpsPerSecond[i], rate, rateTolerance) {
			return fmt.Errorf("overTime.opsPerSecond is %g in slot %d, but %g in its heat", o.OpsPerSecond[i], i+1, rate)
		}
		if err := ascending(keyed{"overTime.p50Ms", o.P50[i]}, keyed{"overTime.p99Ms", o.P99[i]}); err != nil {
			return err
		}
	}
	if ops != s.Operations || failed != s.Failed {
		return fmt.Errorf("overTime counts %d operations and %d failed ones, but ops are %d and failed %d", ops, failed, s.Operations, s.Failed)
	}

	return s.validateSlowest()
}

func (s *Step) validateSlowest() error {
	if len(s.Slowest) > measure.MostSlowest || int64(len(s.Slowest)) > s.Operations {
		return fmt.Errorf("slowest has %d operations: it may have %d, and no more than ops", len(s.Slowest), measure.MostSlowest)
	}
	for i, one := range s.Slowest {
		woken := 0.0
		if one.Woken != nil {
			woken = *one.Woken
		}
		if err := possible(keyed{"slowest.at", one.At}, keyed{"slowest.ms", one.Ms}, keyed{"slowest.waitMs", one.Waited},
			keyed{"slowest.wokenMs", woken}); err != nil {
			return err
		}
		switch {
		case one.Client < 0 || one.Client >= s.Clients:
			return fmt.Errorf("slowest.client is %d, but there are %s, from 0", one.Client, Plural(s.Clients, "client"))
		case i == 0 && !near(one.Ms, s.Latency.Max, histogramTolerance):
			return fmt.Errorf("the first of slowest took %g ms, but latencyMs.max is %g", one.Ms, s.Latency.Max)
		case i > 0 && one.Ms > s.Slowest[i-1].Ms:
			return errors.New("slowest begins with the slowest operation, and goes on in that order")
		}
	}

	return nil
}
