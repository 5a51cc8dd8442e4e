package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const maxTold = 12

// throughput is figure 1: operations a second, each repeat and the median.
func throughput(s *sweep, published []publishedShape) figure {
	f := figure{ID: "throughput", Title: "Operations a second"}
	p := newPlot(names(s))
	p.dense = len(distinct(s.xs())) > denseSteps
	x := s.xAxis(p.right)
	y := linearAxis("ops/s", 0, highest(s, published), plotBottom, plotTop, tickText)
	p.frame(&x, &y)
	if s.byRate {
		ideal(p, &x, &y)
	}
	drawPublished(p, &x, &y, published)

	marked := false
	told := make([]string, 0, len(s.series))
	for i, one := range s.series {
		told = append(told, p.curve(s, i, one.op, report.FigureOf("ops_per_second"), one.groups, &x, &y))
		for _, g := range one.groups {
			marked = marked || doubtful(g)
		}
	}
	p.label()

	p.Title = fmt.Sprintf("%s: operations a second by %s", s.report.Scenario, s.xTitle())
	p.Desc = strings.Join(told, " ")
	f.Plots = []*plot{p}
	f.say("Successful operations over the step time; in steps with a duration, those that ended within it over that time.%s", s.repeatsNote())
	if s.byRate {
		f.say("The dotted line is where all that was asked for is done.")
	}
	if marked {
		f.say("A “!” marks a step that is incomplete or has failed operations.")
	}
	f.sayWhiskers(s)
	f.sayOmitted(s)
	f.sayPublished(published)

	return f
}

func names(s *sweep) []string {
	out := make([]string, 0, len(s.series))
	for _, one := range s.series {
		out = append(out, one.op)
	}

	return out
}

func highest(s *sweep, published []publishedShape) float64 {
	values := s.values(report.FigureOf("ops_per_second"))
	for _, one := range published {
		for _, point := range one.points {
			values = append(values, point.OpsPerSecond*one.factor)
		}
	}

	return highestOf(values)
}

// values returns the values of a figure in all steps, with the ends of intervals that are drawn.
func (s *sweep) values(f *report.Figure) (values []float64) {
	for _, one := range s.series {
		for _, g := range one.groups {
			if !f.Rate {
				g = g.Succeeded()
			}
			values = append(values, g.Values(f.Of)...)
			if len(g.Steps) == 1 {
				if interval, known := g.Steps[0].Interval(f); known {
					values = append(values, interval.Low, interval.High)
				}
			}
		}
	}

	return values
}

// curve draws a figure of each step as the n-th series, and returns its description.
func (p *plot) curve(s *sweep, n int, name string, f *report.Figure, groups []report.Group, x, y *axis) string {
	class, show := fmt.Sprintf("s%d", n), millis
	if f.Rate {
		show = rate
	}
	var line []xy
	var told []string
	for _, g := range groups {
		if !f.Rate {
			g = g.Succeeded()
		}
		at, ok := p.repeats(class, s.x(g.Key), g.Values(f.Of), x, y)
		if !ok {
			continue
		}
		p.whisker(class, f, g, at.x, y)
		line = append(line, at)
		told = append(told, fmt.Sprintf("%s: %s", s.name(g.Key), show(report.Median(g.Values(f.Of)))))
		tip := name + ", " + told[len(told)-1]
		if f.Rate {
			tip += doubts(g)
		}
		p.marker(class, n, at, tip)
		if f.Rate && doubtful(g) {
			p.write(at.x, at.y-7, "flag", "middle", "!")
		}
	}
	p.line(class, name, line)

	return name + ": " + enumeration(told) + "."
}

// repeats draws each value as a small mark and returns the place of the median.
func (p *plot) repeats(class string, x float64, values []float64, xs, ys *axis) (at xy, ok bool) {
	at.x, ok = xs.at(x)
	if !ok {
		return at, false
	}
	if len(values) > 1 {
		for _, v := range values {
			if y, ok := ys.at(v); ok {
				p.draw("repeat "+class, circle(xy{at.x, y}, p.sized(repeatSize)))
			}
		}
	}
	at.y, ok = ys.at(report.Median(values))

	return at, ok
}

func ideal(p *plot, x, y *axis) {
	const pieces = 40
	var line []xy
	for i := range pieces + 1 {
		v := x.lo + (x.hi-x.lo)*float64(i)/pieces
		at, ok := x.at(v)
		if up, drawn := y.at(v); ok && drawn && v <= y.hi {
			line = append(line, xy{at, up})
		}
	}
	if len(line) > 1 {
		p.draw("ideal", polyline(line...))
	}
}

func doubts(g report.Group) string {
	var failed uint64
	text := ""
	for _, s := range g.Steps {
		failed += s.Failed
		if !s.Complete {
			text = ", incomplete"
		}
	}
	if failed > 0 {
		text += fmt.Sprintf(", %s failed", report.Thousands(int64(failed)))
	}

	return text
}

func enumeration(parts []string) string {
	if len(parts) == 0 {
		return "nothing to show"
	}
	if more := len(parts) - maxTold; more > 0 {
		parts = append(parts[:maxTold:maxTold], fmt.Sprintf("and %d more steps in the table", more))
	}

	return strings.Join(parts, "; ")
}

// percentiles to draw.
//
//nolint:gochecknoglobals // a constant
var percentiles = []*report.Figure{report.FigureOf("p50"), report.FigureOf("p99"), report.FigureOf("p999")}

// latency is figure 2: three percentiles of each step, a plot for each kind of operation.
func latency(s *sweep) figure {
	f := figure{ID: "latency", Title: "Latency"}
	values := slices.Concat(s.values(percentiles[0]), s.values(percentiles[1]), s.values(percentiles[2]))
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
