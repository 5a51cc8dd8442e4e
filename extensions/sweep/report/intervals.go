package report

import (
	"fmt"
	"slices"
	"strings"

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

// leastBeyond is how many operations must be slower than a percentile. With fewer, the percentile
// depends on a few slow operations and varies between runs.
const leastBeyond = 10

// leastSeconds is the shortest time for a rate. Below it, the clock and the start dominate.
const leastSeconds = 0.1

// Percentile is in thousandths: 990 is p99.
type Percentile int

// The percentiles of a step.
const (
	P50  Percentile = 500
	P90  Percentile = 900
	P95  Percentile = 950
	P99  Percentile = 990
	P999 Percentile = 999
)

// String returns a name such as "p99.9".
func (p Percentile) String() string { return fmt.Sprintf("p%g", float64(p)/10) }

// key returns the name in options and metrics, such as "p999".
func (p Percentile) key() string { return strings.ReplaceAll(p.String(), ".", "") }

// Beyond returns how many of the operations are slower than the percentile.
func (p Percentile) Beyond(operations int64) int64 { return operations * int64(1000-p) / 1000 }

// Needs returns the number of operations for which 10 are slower than the percentile.
func (p Percentile) Needs() int64 { return leastBeyond * 1000 / int64(1000-p) }

// RestsOnFew reports whether fewer than 10 of the timings are slower than the percentile.
func (p Percentile) RestsOnFew(timings int64) bool { return p.Beyond(timings) < leastBeyond }

// Show puts a percentile that rests on few timings in parentheses; a dash without timings.
func (p Percentile) Show(text string, timings int64) string {
	if timings == 0 {
		return "-"
	}
	if p.RestsOnFew(timings) {
		return "(" + text + ")"
	}

	return text
}

// Timings returns the number of measured durations of successful operations. A pipeline has one.
func (s *Step) Timings() int64 {
	if s.Timed > 0 {
		return s.Timed
	}

	return s.Operations
}

// Timings returns the number of durations in all repeats.
func (g *Group) Timings() int64 {
	var n int64
	for _, s := range g.Steps {
		n += s.Timings()
	}

	return n
}

func (g *Group) timed() string {
	if slices.ContainsFunc(g.Steps, func(s *Step) bool { return s.Timed > 0 }) {
		return "pipeline"
	}

	return "operation"
}

// TooFew returns why a percentile has too few operations to be judged; "" if it has enough.
func (g *Group) TooFew(p Percentile) string {
	n := g.Timings()
	if !p.RestsOnFew(n) {
		return ""
	}

	return fmt.Sprintf("%s of %s rests on %d of them, 10 are needed: %s or more",
		p, Counted(n, g.timed()), p.Beyond(n), Counted(p.Needs(), g.timed()))
}

// FewOperations returns why a step has too few operations for a mean or a rate; "" if it has
// enough.
func (g *Group) FewOperations() string {
	n := g.Timings()
	if n >= measure.LeastOperations {
		return ""
	}

	return fmt.Sprintf("too short to measure: %s, at least %d are needed", Counted(n, g.timed()), measure.LeastOperations)
}

// TooShort returns why a step is too short for its rate to be judged; "" if it is long enough.
func (g *Group) TooShort() string {
	var n int64
	seconds := 0.0
	for _, s := range g.Steps {
		operations, took := s.rated()
		n += min(operations, s.Timings())
		seconds += took
	}
	if n >= measure.LeastOperations && seconds >= leastSeconds {
		return ""
	}

	return fmt.Sprintf("ops/s of %s in %s: at least %s and %gs are needed",
		Counted(n, g.timed()), Span(seconds), Counted(measure.LeastOperations, g.timed()), leastSeconds)
}

// SupportNote names the shown percentiles that rest on too few operations in a step, or returns "".
func SupportNote(steps []Step, shown ...Percentile) string {
	var needs []string
	for _, p := range shown {
		if slices.ContainsFunc(steps, func(s Step) bool { return s.Operations > 0 && p.RestsOnFew(s.Timings()) }) {
			needs = append(needs, fmt.Sprintf("%s needs %s operations", p, Thousands(p.Needs())))
		}
	}
	if len(needs) == 0 {
		return ""
	}

	note := fmt.Sprintf("In parentheses: percentiles with fewer than %d operations beyond them (%s).", leastBeyond, strings.Join(needs, ", "))
	if slices.ContainsFunc(steps, func(s Step) bool { return s.Timed > 0 }) {
		note += " A pipeline counts as one."
	}

	return note
}
