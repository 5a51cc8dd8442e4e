package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// writeMedians writes a table of the repeated steps with medians and their uncertainty. Repeats
// without a successful operation count for ops/s only.
func (r *Report) writeMedians(b *strings.Builder) {
	groups := slices.DeleteFunc(r.Groups(), func(g Group) bool { return len(g.Steps) < 2 })
	if len(groups) == 0 {
		return
	}
	if r.Search != nil {
		slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Or(cmp.Compare(a.Rate, b.Rate), cmp.Compare(a.Clients, b.Clients)) })
	}
	bySize := func(a, b Group) int { return len(a.Steps) - len(b.Steps) }
	fewest, most := len(slices.MinFunc(groups, bySize).Steps), len(slices.MaxFunc(groups, bySize).Steps)
	repeats := Plural(most, "repeat")
	if fewest != most {
		repeats = fmt.Sprintf("%d to %s", fewest, repeats)
	}
	fmt.Fprintf(b, "\nMedians of %s\n\n", repeats)
	writeTable(b, r.medianColumns(groups), len(groups))
	estimates := make([]Estimate, 0, len(groups))
	for i := range groups {
		estimates = append(estimates, NewEstimate(groups[i].Values(opsOf)))
	}
	if note := plusMinusNote(estimates); note != "" {
		b.WriteString("\n" + note + "\n")
	}
}

func opsOf(s *Step) float64 { return s.OpsPerSecond }

func plusMinusOf(values []float64) string {
	e := NewEstimate(values)

	return e.plusMinus()
}

func (r *Report) medianColumns(groups []Group) []column {
	of := func(row int, figure func(*Step) float64) []float64 { return groups[row].Values(figure) }
	latencies := func(row int, figure func(*Step) float64) []float64 {
		done := groups[row].Succeeded()

		return done.Values(figure)
	}
	p50 := func(s *Step) float64 { return s.Latency.P50 }
	p99 := func(s *Step) float64 { return s.Latency.P99 }

	var columns []column
	if r.hasRates() {
		columns = append(columns, column{"rate", false, func(i int) string { return rateCell(groups[i].Rate) }})
	}
	columns = append(columns, column{"clients", false, func(i int) string { return strconv.Itoa(groups[i].Clients) }})
	if slices.ContainsFunc(groups, func(g Group) bool { return g.Op != groups[0].Op }) {
		columns = append(columns, column{"op", true, func(i int) string { return groups[i].Op }})
	}
	if slices.ContainsFunc(groups, func(g Group) bool { return g.Variant != "" }) {
		columns = append(columns, column{"variant", true, func(i int) string { return groups[i].Variant }})
	}

	return append(columns,
		column{"ops/s", false, func(i int) string { return opsPerSecond(Median(of(i, opsOf))) }},
		column{"±", false, func(i int) string { return plusMinusOf(of(i, opsOf)) }},
		column{"p50", false, func(i int) string { return medianCell(&groups[i], P50, latencies(i, p50)) }},
		column{"p99", false, func(i int) string { return medianCell(&groups[i], P99, latencies(i, p99)) }},
		column{"±", false, func(i int) string { return plusMinusOf(latencies(i, p99)) }},
	)
}

// medianCell formats the median of a percentile, which rests on the operations of all repeats.
func medianCell(g *Group, p Percentile, values []float64) string {
	if len(values) == 0 {
		return "-"
	}

	return p.Show(Millis(Median(values)), g.Timings())
}
