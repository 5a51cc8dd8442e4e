package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// percentiles to draw.
//
//nolint:gochecknoglobals // a constant
var percentiles = []*report.Figure{report.FigureOf("p50"), report.FigureOf("p99"), report.FigureOf("p999")}

// latency is figure 2: three percentiles of each step, a plot for each kind of operation.
func latency(s *sweep) figure {
	f := figure{ID: "latency", Title: "Latency"}
	var values []float64
	for _, of := range percentiles {
		values = append(values, s.values(of)...)
	}
	if lo, hi, ok := extent(values, true); ok {
		for _, one := range s.series {
			if p := latencyPlot(s, one, lo, hi); p != nil {
				f.Plots = append(f.Plots, p)
			}
		}
	}
	if len(f.Plots) == 0 {
		f.Empty = noLatency

		return f
	}
	logarithmic := "their axis is"
	if s.xAxis(plotWidth).log {
		logarithmic = "both axes are"
	}
	f.say("Percentiles of the durations of successful operations, in milliseconds; %s logarithmic.%s", logarithmic, s.repeatsNote())
	if s.byRate {
		f.say("A duration begins when the operation should have started, so that a stall counts for all that had to wait.")
	}
	if report.SupportNote(s.report.Steps, report.P50, report.P99, report.P999) != "" {
		f.say("Of steps with few operations, a high percentile is one of the slowest few, and says little: the tables have it in parentheses.")
	}
	f.sayWhiskers(s)
	f.sayOmitted(s)

	return f
}

const noLatency = "No operation succeeded: there is no latency to show."

func latencyPlot(s *sweep, one series, lo, hi float64) *plot {
	p := newPlot([]string{"p99.9"})
	p.dense = len(distinct(s.xs())) > denseSteps
	x := s.xAxis(p.right)
	y := logAxis("ms", lo, hi, plotBottom, plotTop)
	p.frame(&x, &y)

	var told []string
	for n, of := range slices.Backward(percentiles) {
		told = append(told, p.curve(s, n, of.Name, of, one.groups, &x, &y))
	}
	if len(p.ends) == 0 {
		return nil
	}
	p.label()
	slices.Reverse(told)
	p.Title = fmt.Sprintf("%s: latency of %s by %s", s.report.Scenario, one.op, s.xTitle())
	p.Desc = strings.Join(told, " ")
	if len(s.series) > 1 {
		p.Heading = one.op
	}

	return p
}
