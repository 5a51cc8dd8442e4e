package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// leastBeyond is how many operations have to be slower than a percentile for it to say something of
// the server. With fewer it is one of the slowest few, which another run has anywhere.
const leastBeyond = 10

// leastSeconds is the time that a rate has to rest on: less shows what the clock and the start did.
const leastSeconds = 0.1

// Percentile is one that a step has, in thousandths: 990 is p99.
type Percentile int

// The percentiles of a step.
const (
	P50  Percentile = 500
	P90  Percentile = 900
	P95  Percentile = 950
	P99  Percentile = 990
	P999 Percentile = 999
)

// String is the percentile's name, such as "p99.9".
func (p Percentile) String() string { return fmt.Sprintf("p%g", float64(p)/10) }

// key is the percentile's name in options and metrics, such as "p999".
func (p Percentile) key() string { return strings.ReplaceAll(p.String(), ".", "") }

// Beyond is how many of so many operations are slower than the percentile.
func (p Percentile) Beyond(operations int64) int64 { return operations * int64(1000-p) / 1000 }

// Needs is how many operations there have to be for 10 of them to be beyond the percentile.
func (p Percentile) Needs() int64 { return leastBeyond * 1000 / int64(1000-p) }

// RestsOnFew tells that of so many timings fewer than 10 are beyond the percentile.
func (p Percentile) RestsOnFew(timings int64) bool { return p.Beyond(timings) < leastBeyond }

// Show puts a percentile that rests on few timings in parentheses; of none there is no percentile.
func (p Percentile) Show(text string, timings int64) string {
	if timings == 0 {
		return "-"
	}
	if p.RestsOnFew(timings) {
		return "(" + text + ")"
	}

	return text
}

// Timings is how many durations of successful operations were measured, each by itself: those of a
// pipeline have one of all.
func (s *Step) Timings() int64 {
	if s.Timed > 0 {
		return s.Timed
	}

	return s.Operations
}

// Timings is how many durations there are in all repeats of a step: its median rests on all of them
// together.
func (g *Group) Timings() int64 {
	var n int64
	for _, s := range g.Steps {
		n += s.Timings()
	}

	return n
}

// timed is what has a duration of its own.
func (g *Group) timed() string {
	if slices.ContainsFunc(g.Steps, func(s *Step) bool { return s.Timed > 0 }) {
		return "pipeline"
	}

	return "operation"
}

// TooFew says that a percentile of a step rests on too few operations to be judged, or nothing.
func (g *Group) TooFew(p Percentile) string {
	n := g.Timings()
	if !p.RestsOnFew(n) {
		return ""
	}

	return fmt.Sprintf("%s of %s rests on %d of them, 10 are needed: %s or more",
		p, Counted(n, g.timed()), p.Beyond(n), Counted(p.Needs(), g.timed()))
}

// FewOperations says that the operations of a step are too few for an average or a rate, or
// nothing. A longest operation is one, however few there are.
func (g *Group) FewOperations() string {
	n := g.Timings()
	if n >= measure.LeastOperations {
		return ""
	}

	return fmt.Sprintf("too short to measure: %s, at least %d are needed", Counted(n, g.timed()), measure.LeastOperations)
}

// TooShort says that a step is too short for its rate to be judged, or nothing.
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

// SupportNote says which of the percentiles that are shown rest on too few operations in one of the
// steps; nothing when none does.
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
