package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const maxSeries = 6

// sweep is a report prepared for figures.
type sweep struct {
	report  *report.Report
	byRate  bool     // steps are rates instead of numbers of clients
	series  []series // at most maxSeries
	omitted int      // kinds of operations in the table only
}

type series struct {
	op     string         // name with the variant, if any
	kind   string         // name without the variant
	groups []report.Group // steps in the order of the x axis
}

func newSweep(r *report.Report) *sweep {
	s := &sweep{report: r, byRate: slices.ContainsFunc(r.Steps, func(s report.Step) bool { return s.Rate > 0 })}
	at := map[string]int{}
	withTotals := *r
	withTotals.Steps = nil
	for _, step := range r.WithTotals() {
		withTotals.Steps = append(withTotals.Steps, *step)
	}
	for _, g := range withTotals.Groups() {
		op := g.Op
		if g.Variant != "" {
			op += " of " + g.Variant
		}
		i, known := at[op]
		if !known {
			i = len(s.series)
			at[op] = i
			s.series = append(s.series, series{op: op, kind: g.Op})
		}
		s.series[i].groups = append(s.series[i].groups, g)
	}
	for i := range s.series {
		s.sort(s.series[i].groups)
	}
	s.keepBusiest()

	return s
}

// keepBusiest keeps the kinds with the most operations, in their order.
func (s *sweep) keepBusiest() {
	if len(s.series) <= maxSeries {
		return
	}
	done := func(one series) int64 {
		var n int64
		for _, g := range one.groups {
			for _, step := range g.Steps {
				n += step.Operations
			}
		}

		return n
	}
	busiest := slices.Clone(s.series)
	slices.SortStableFunc(busiest, func(a, b series) int { return cmp.Compare(done(b), done(a)) })
	busiest = busiest[:maxSeries]

	s.omitted = len(s.series) - maxSeries
	s.series = slices.DeleteFunc(s.series, func(one series) bool {
		return !slices.ContainsFunc(busiest, func(b series) bool { return b.op == one.op })
	})
}

func (s *sweep) x(k report.Key) float64 {
	if s.byRate {
		return k.Rate
	}

	return float64(k.Clients)
}

func (s *sweep) sort(groups []report.Group) {
	slices.SortStableFunc(groups, func(a, b report.Group) int { return cmp.Compare(s.x(a.Key), s.x(b.Key)) })
}

func (s *sweep) xs() []float64 {
	var values []float64
	for _, one := range s.series {
		for _, g := range one.groups {
			values = append(values, s.x(g.Key))
		}
	}

	return values
}

func (s *sweep) xTitle() string {
	if s.byRate {
		return "operations a second asked for"
	}

	return "clients"
}

func (s *sweep) xAxis(to float64) axis {
	const margin = 12
	values := s.xs()
	if lo, hi, ok := extent(values, true); s.byRate && ok && hi <= maxLinear*lo {
		a := axis{scale: scale{hi: hi, from: plotLeft, to: to - margin}, title: s.xTitle()}
		a.add(0, "0")
		for _, v := range distinct(values) {
			a.add(v, tickText(v))
		}
		a.ticks = thinned(a.ticks, func(int) bool { return false })

		return a
	}

	return stepAxis(s.xTitle(), values, plotLeft+margin, to-margin)
}

// maxLinear is the largest ratio of rates on a linear axis.
const maxLinear = 20

func (s *sweep) name(k report.Key) string {
	if s.byRate {
		return rate(k.Rate)
	}

	return report.Counted(int64(k.Clients), "client")
}

func (s *sweep) shortName(k report.Key) string { return tickText(s.x(k)) }

// chosen returns at most n of the groups, evenly spaced, with the first and the last.
func chosen(groups []report.Group, n int) []report.Group {
	if len(groups) <= n {
		return groups
	}
	out := make([]report.Group, n)
	for i := range out {
		out[i] = groups[i*(len(groups)-1)/(n-1)]
	}

	return out
}

func doubtful(g report.Group) bool {
	return slices.ContainsFunc(g.Steps, func(s *report.Step) bool { return !s.Complete || s.Failed > 0 })
}

func opsPerSecond(s *report.Step) float64 { return s.OpsPerSecond }

func p99(s *report.Step) float64 { return s.Latency.P99 }

type figure struct {
	ID       string // one word
	Number   int
	Title    string
	Caption  []string // sentences
	Plots    []*plot
	Folded   []*plot // plots that are folded at first
	Legend   []entry
	Warnings []string // what could not be shown
	Empty    string   // text if there is nothing to draw
}

// wide is 1 for a figure of full width, else 0.
func wide(f figure) int { return min(len(f.Plots)/2, 1) }

func (f *figure) Wide() bool { return wide(*f) == 1 }

func (f *figure) say(format string, args ...any) {
	f.Caption = append(f.Caption, fmt.Sprintf(format, args...))
}

func (f *figure) sayOmitted(s *sweep) {
	if s.omitted > 0 {
		f.say("Shown are the %d busiest kinds of operations; the table has %d more.", maxSeries, s.omitted)
	}
}

// figures returns the page's figures, numbered. Those with a plot for each kind of operation come
// last.
func figures(s *sweep) []figure {
	out := []figure{throughput(s, shapesOf(s)), latency(s), tails(s), fairness(s)}
	slices.SortStableFunc(out, func(a, b figure) int { return wide(a) - wide(b) })
	if f := inside(s); f != nil {
		out = append(out, *f)
	}
	for i := range out {
		out[i].Number = i + 1
		for j, p := range slices.Concat(out[i].Plots, out[i].Folded) {
			p.ID = fmt.Sprintf("%s-%d", out[i].ID, j+1)
			if p.Slowest != nil {
				p.Slowest.ID = p.ID + "-slowest"
			}
		}
	}

	return out
}

func (s *sweep) repeated() bool {
	for _, one := range s.series {
		for _, g := range one.groups {
			if len(g.Steps) > 1 {
				return true
			}
		}
	}

	return false
}

func (s *sweep) repeatsNote() string {
	if !s.repeated() {
		return ""
	}

	return " The line joins the medians; small marks are the repeats."
}

func (s *sweep) unit() string {
	if s.byRate {
		return "asked /s"
	}

	return "clients"
}

const maxInside = 24

// inside is the figure of the steps over their time, or nil.
func inside(s *sweep) *figure {
	steps, left := stepsToLookInto(s)
	f := &figure{ID: "inside", Title: "Inside each step"}
	for _, step := range steps {
		p, err := newTimePlot(s, step)
		if err != nil {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s, %s: %s", s.name(step.Key()), step.Op, err))

			continue
		}
		if step == busiest(steps, step) {
			f.Plots = append(f.Plots, p)
		} else {
			f.Folded = append(f.Folded, p)
		}
	}
	if len(f.Plots) == 0 && len(f.Warnings) == 0 {
		return nil
	}
	f.say("What each step did over its time, in seconds from its start line: operations a second, their 99th percentile, and " +
		"below, every operation by how long it took: the stronger the colour, the more. An operation that took longer than " +
		"a slot is in all slots in which it was under way, so that a second without an answer is a bar of a second. " +
		"Circles are the slowest operations; failed ones are not among these, and have a row of their own.")
	if slices.ContainsFunc(steps, func(s *report.Step) bool { return s.OverTime.StepSeconds > 0 }) {
		f.say("Variants of a duet took turns over the same time: operations a second are of a variant's own turns.")
	}
	if left {
		f.say("Shown are %d of the steps, evenly chosen, and of repeats the median one.", len(f.Plots)+len(f.Folded))
	}

	return f
}

// busiest is the kind of operation of the same step that did most.
func busiest(steps []*report.Step, of *report.Step) *report.Step {
	most := of
	for _, s := range steps {
		same := s.Clients == of.Clients && s.Rate == of.Rate && s.Repeat == of.Repeat && s.Variant == of.Variant
		if same && (s.Operations > most.Operations || s.Operations == most.Operations && s.Op < most.Op) {
			most = s
		}
	}

	return most
}

// stepsToLookInto returns the steps that have figures over time: all, or the median repeats of
// some.
func stepsToLookInto(s *sweep) (steps []*report.Step, left bool) {
	total := 0
	for _, one := range s.series {
		for _, g := range one.groups {
			kept := slices.DeleteFunc(slices.Clone(g.Steps), func(s *report.Step) bool { return s.OverTime == nil })
			steps = append(steps, kept...)
			total += len(kept)
		}
	}
	if total <= maxInside {
		return steps, false
	}
	steps = nil
	for _, one := range s.series {
		for _, g := range chosen(one.groups, max(maxInside/len(s.series), 2)) {
			kept := slices.DeleteFunc(slices.Clone(g.Steps), func(s *report.Step) bool { return s.OverTime == nil })
			slices.SortStableFunc(kept, func(a, b *report.Step) int { return cmp.Compare(a.OpsPerSecond, b.OpsPerSecond) })
			if len(kept) > 0 {
				steps = append(steps, kept[(len(kept)-1)/2])
			}
		}
	}

	return steps, true
}
