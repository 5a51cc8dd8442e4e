package report

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Intervals are the confidence intervals of a step's figures. Package interval has the method.
type Intervals struct {
	// Coverage is the confidence, from 0 to 1.
	Coverage     float64 `json:"coverage"`
	OpsPerSecond Range   `json:"opsPerSecond"`
	// Latency maps keys of latencyMs to intervals. Percentiles with too few operations are missing.
	Latency map[string]Range `json:"latencyMs"`
}

// Range is an interval.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func around(value, half float64) Range {
	return Range{Low: max(value*(1-half), 0), High: value * (1 + half)}
}

// newIntervals returns nil if too little was done, or if the figures over time were not kept.
func newIntervals(reading *measure.Reading, t *measure.Totals) *Intervals {
	counts := reading.Elapsed
	if reading.Window > 0 {
		counts = reading.Window
	}
	spread, known := stats.NewSpread(t.OverTime, counts)
	if !known || t.Variant != measure.NoVariant { // a duet has its own intervals
		return nil
	}
	i := &Intervals{
		Coverage:     stats.Coverage,
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

// IntervalsParam is the parameter that adds interval columns to the tables.
const IntervalsParam = "intervals"

// Bounded returns the figures whose intervals the tables show.
func (r *Report) Bounded() []*Figure {
	if shown, _ := r.Params[IntervalsParam].(bool); !shown {
		return nil
	}

	return Compared
}

// PlusMinus formats the relative interval of a figure, such as "1.2 %" or "-2 +9 %"; a dash if
// unknown.
func (s *Step) PlusMinus(f *Figure) string {
	r, known := s.Interval(f)
	value := f.Of(s)
	if !known || value <= 0 {
		return "-"
	}
	down, up := max(1-r.Low/value, 0), max(r.High/value-1, 0)
	if max(down, up) <= alike*min(down, up) {
		return stats.Percent((down + up) / 2)
	}

	return "-" + stats.PercentDigits(down) + " +" + stats.Percent(up)
}

// alike is the largest ratio of the two sides that are shown as one.
const alike = 1.1

// PlusMinusNote explains the columns of intervals, or returns "".
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

// Interval returns the interval of a figure, if known.
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
