package page

import (
	"cmp"
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
