package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/interval"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Intervals say how well a step's figures are known: those that a step like it would have, in so
// many of a hundred cases. Package interval describes the method.
type Intervals struct {
	// Coverage is how often an interval has the truth, as a part of 1.
	Coverage     float64 `json:"coverage"`
	OpsPerSecond Range   `json:"opsPerSecond"`
	// Latency has the intervals of latencyMs by its keys, as far as there are enough operations.
	Latency map[string]Range `json:"latencyMs"`
}

// Range is an interval.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// around is the interval to both sides of a value, of which half is a part.
func around(value, half float64) Range {
	return Range{Low: max(value*(1-half), 0), High: value * (1 + half)}
}

// newIntervals returns nil where too little was done, or where what was done over time was not
// kept.
func newIntervals(reading *measure.Reading, t *measure.Totals) *Intervals {
	counts := reading.Elapsed
	if reading.Window > 0 {
		counts = reading.Window
	}
	spread, known := interval.New(t.OverTime, counts)
	if !known || t.Variant != measure.NoVariant { // the duet itself says how well it knows both
		return nil
	}
	i := &Intervals{
		Coverage:     interval.Coverage,
		OpsPerSecond: around(OpsPerSecond(reading, t), spread.Rate()),
		Latency:      map[string]Range{"mean": around(Ms(t.Durations.Mean()), spread.Mean())},
	}
	for _, f := range Figures {
		if f.Percentile == 0 {
			continue
		}
		if low, high, known := spread.Levels(float64(f.Percentile) / 1000); known {
			i.Latency[f.Key] = Range{Low: Ms(t.Durations.Quantile(low)), High: Ms(t.Durations.Quantile(high))}
		}
	}

	return i
}

// IntervalsParam is the parameter that says that the tables have columns of intervals.
const IntervalsParam = "intervals"

// Bounded are the figures whose intervals the tables show, where they do: those that the table has.
func (r *Report) Bounded() []*Figure {
	if shown, _ := r.Params[IntervalsParam].(bool); !shown {
		return nil
	}

	return []*Figure{FigureOf("ops_per_second"), FigureOf("p50"), FigureOf("p99")}
}

// PlusMinus shows how far the true figure may be from the step's, as a part of it, such as "1.2 %",
// or to each side, such as "-2 +9 %"; a dash where that is not known.
func (s *Step) PlusMinus(f *Figure) string {
	r, known := s.Interval(f)
	value := f.Of(s)
	if !known || value <= 0 {
		return "-"
	}
	down, up := max(1-r.Low/value, 0), max(r.High/value-1, 0)
	if max(down, up) <= alike*min(down, up) {
		return judgement.Percent((down + up) / 2)
	}

	return "-" + judgement.PercentDigits(down) + " +" + judgement.Percent(up)
}

// alike is by how much the two sides of an interval may differ, and are shown as one.
const alike = 1.1

// PlusMinusNote says what the columns of intervals are; nothing where there are none.
func (r *Report) PlusMinusNote() string {
	if len(r.Bounded()) == 0 {
		return ""
	}
	for i := range r.Steps {
		if intervals := r.Steps[i].Intervals; intervals != nil {
			return fmt.Sprintf(
				"±: the true figure of the step is within it in %g of 100 cases; what changes from one step to the next is not in it.",
				100*intervals.Coverage,
			)
		}
	}

	return "±: no step has done enough, or has lasted long enough, for an interval."
}

// Interval is that of a figure; false: it is not known.
func (s *Step) Interval(f *Figure) (Range, bool) {
	switch {
	case s.Intervals == nil:
		return Range{}, false
	case f.Rate:
		return s.Intervals.OpsPerSecond, true
	}
	r, has := s.Intervals.Latency[f.Key]

	return r, has
}

func (s *Step) validateIntervals() error {
	if s.Intervals == nil {
		return nil
	}
	if c := s.Intervals.Coverage; !(c > 0 && c < 1) {
		return fmt.Errorf("intervals.coverage is %g, and is to be between 0 and 1", c)
	}
	for _, key := range slices.Sorted(maps.Keys(s.Intervals.Latency)) {
		if f := FigureOf(key); f == nil || f.Rate || f.Chance {
			return fmt.Errorf("intervals.latencyMs has %q, and there is no such figure", key)
		}
	}
	for i := range Figures {
		f := &Figures[i]
		r, has := s.Interval(f)
		if !has {
			continue
		}
		low, high := keyed{"intervals." + f.JSON + ".low", r.Low}, keyed{"intervals." + f.JSON + ".high", r.High}
		if err := possible(low, high); err != nil {
			return err
		}
		if r.Low > r.High {
			return fmt.Errorf("%s is above %s", low.key, high.key)
		}
	}

	return nil
}
