package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type besideSweep struct {
	*sweep
	*report.Beside
	ops     []besideOp
	omitted int
}

// besideFigures returns the curves of all runs, their ratios to the first run, and the
// distributions. Runs of a single step have distributions only.
func besideFigures(c *report.Beside) []figure {
	b := &besideSweep{Beside: c, sweep: &sweep{report: &report.Report{}}}
	for i := range c.Runs {
		b.byRate = b.byRate || slices.ContainsFunc(c.Runs[i].Report.Steps, func(s report.Step) bool { return s.Rate > 0 })
	}
	b.ops, b.omitted = besideOps(c, b.byRate)
	for _, o := range b.ops {
		one := series{op: o.op}
		for _, s := range o.steps {
			one.groups = append(one.groups, report.Group{Key: s.Key})
		}
		b.series = append(b.series, one)
	}
	out := []figure{b.distributions()}
	if slices.ContainsFunc(b.ops, besideOp.isCurve) {
		out = []figure{b.curves(0), b.ratios(0), b.curves(1), b.curves(2), b.ratios(2), out[0]}
	}
	for i := range out {
		out[i].Number = i + 1
		for j, p := range out[i].Plots {
			p.ID = fmt.Sprintf("%s-%d", out[i].ID, j+1)
		}
	}

	return out
}

func runClass(n int) string { return fmt.Sprintf("b%d", n) }

func (b *besideSweep) curves(n int) figure {
	f := report.Compared[n]
	out := figure{ID: "beside-curves-" + f.Key, Title: f.Name + " of each run"}
	b.plots(&out, n, 0, "No run has a figure to show.")
	out.say("Medians of the repeats.")
	if !f.Rate {
		out.say("Milliseconds, on a logarithmic axis.")
	}
	b.sayLeftOut(&out)

	return out
}

func (b *besideSweep) ratios(n int) figure {
	f := report.Compared[n]
	out := figure{ID: "beside-ratios-" + f.Key, Title: fmt.Sprintf("%s beside %s", f.Name, b.Runs[0].Name)}
	b.plots(&out, n, 1, "No step can be compared.")
	better := "below"
	if f.Rate {
		better = "above"
	}
	out.say("The ratio to %s in each step; %s the line at 1 is better.", b.Runs[0].Name, better)
	out.say("Bars are intervals of 95 %%, where both runs have repeats enough; " +
		"hollow marks are no significant difference, or cannot be judged.")
	b.sayLeftOut(&out)

	return out
}

func (b *besideSweep) sayLeftOut(f *figure) {
	if b.omitted > 0 {
		f.say("Shown are %d kinds of operations; the tables have %d more.", maxSeries, b.omitted)
	}
}

func (b *besideSweep) names() []string {
	names := make([]string, len(b.Runs))
	for i, run := range b.Runs {
		names[i] = run.Name
	}

	return names
}

// plots adds a plot of a figure for each kind of operation: of all runs or, from the first one on,
// of the ratios to the run before it.
func (b *besideSweep) plots(out *figure, n, first int, empty string) {
	for _, o := range b.ops {
		if p := b.plotOf(n, first, &o); p != nil {
			out.Plots = append(out.Plots, p)
		}
	}
	if len(out.Plots) == 0 {
		out.Empty = empty
	}
}

func (b *besideSweep) plotOf(n, first int, o *besideOp) *plot {
	f, ratio := report.Compared[n], first > 0
	x, y, p := b.frameOf(n, first, o)
	if p == nil {
		return nil
	}
	told := make([]string, 0, len(b.Runs))
	for j := first; j < len(b.Runs); j++ {
		name, class := b.Runs[j].Name, runClass(j)
		var line []xy
		var figures []string
		for _, s := range o.steps {
			c := &s.Cells[n][j]
			value, text, aside := c.Median, f.Show(c.Median), 0.0
			if ratio {
				value, text, aside = c.Ratio, c.Text(), (float64(j)-float64(len(b.Runs))/2)*barGap
			}
			at, drawn := place(x, y, placeOf(s, b.byRate), value)
			if c.N == 0 || !drawn || ratio && c.Ratio == 0 {
				continue
			}
			at.x += aside
			line = append(line, at)
			figures = append(figures, fmt.Sprintf("%s: %s", b.name(s.Key), text))
			tip := name + ", " + figures[len(figures)-1]
			if ratio {
				p.ratioMark(c, j, at, y, tip)
			} else {
				p.marker(class, j, at, strings.TrimSpace(tip+" "+c.Text()))
			}
		}
		style := fmt.Sprintf("%s d%d", class, j)
		if ratio {
			style = "thin " + style
		}
		p.line(style, name, line)
		told = append(told, name+": "+enumeration(figures)+".")
	}
	p.label()
	p.Title, p.Desc = fmt.Sprintf("%s of %s by %s, each run", f.Name, o.op, b.xTitle()), strings.Join(told, " ")
	if ratio {
		p.Title = fmt.Sprintf("%s of %s beside %s, by %s", f.Name, o.op, b.Runs[0].Name, b.xTitle())
	}
	if len(b.ops) > 1 {
		p.Heading = o.op
	}

	return p
}

// frameOf returns the axes of a plot, and the plot with its frame; nil without a value.
func (b *besideSweep) frameOf(n, first int, o *besideOp) (x, y *axis, p *plot) {
	f, ratio := report.Compared[n], first > 0
	var values []float64
	for _, s := range o.steps {
		for j := first; j < len(b.Runs); j++ {
			switch c := &s.Cells[n][j]; {
			case ratio && c.Ratio > 0:
				values = append(values, 1, c.Ratio, c.Low, c.High)
			case !ratio && c.N > 0:
				values = append(values, c.Median)
			}
		}
	}
	lo, hi, ok := extent(values, ratio || !f.Rate)
	if !ok {
		return nil, nil, nil
	}
	p = newPlot(b.names()[first:])
	across, up := b.xAxis(p.right), linearAxis(f.Name, 0, hi, plotBottom, plotTop, tickText)
	if ratio {
		up = ratioAxis(lo, hi)
	} else if !f.Rate {
		up = logAxis("ms", lo, hi, plotBottom, plotTop)
	}
	p.frame(&across, &up)
	if one, drawn := up.at(1); ratio && drawn {
		p.draw("one", polyline(xy{plotLeft, one}, xy{p.right, one}))
	}

	return &across, &up, p
}

// place returns the coordinates of a value; false outside of the axes.
func place(x, y *axis, at, value float64) (xy, bool) {
	px, okX := x.at(at)
	py, okY := y.at(value)

	return xy{px, py}, okX && okY
}

// barGap is the distance between the bars of two runs.
const barGap = 3.2

func (p *plot) ratioMark(c *report.BesideCell, n int, at xy, y *axis, tip string) {
	if c.Sure() {
		low, okLow := y.at(c.Low)
		high, okHigh := y.at(c.High)
		if okLow && okHigh {
			p.draw("bar "+runClass(n), polyline(xy{at.x, low}, xy{at.x, high}))
		}
	}
	class := "marker "
	if c.Verdict != report.Better && c.Verdict != report.Worse {
		class = "hollow "
	}
	p.Marks = append(p.Marks, mark{Class: class + runClass(n), D: shape(n, at, markerSize), Tip: tip})
}

// ratioAxis is linear for ratios near 1, else logarithmic.
func ratioAxis(lo, hi float64) axis {
	const far = 4.0
	if hi > far*lo {
		return logAxis("ratio", lo, hi, plotBottom, plotTop)
	}
	margin := math.Max(0.02, (hi-lo)/20)

	return linearAxis("ratio", math.Max(lo-margin, 0), hi+margin, plotBottom, plotTop, tickText)
}

const besideSteps = 4

func (b *besideSweep) distributions() figure {
	out := figure{ID: "beside-percentiles", Title: "Latency by percentile in the same step"}
	perOp := max(1, besideSteps/len(b.ops))
	for _, o := range b.ops {
		groups := make([]report.Group, len(o.steps))
		for i, s := range o.steps {
			groups[i] = report.Group{Key: s.Key}
		}
		shown := groups[len(groups)-1:]
		if perOp > 1 {
			shown = chosen(groups, perOp)
		}
		for _, g := range shown {
			p, warnings := b.distributionPlot(g.Key)
			out.Warnings = append(out.Warnings, warnings...)
			if p != nil {
				out.Plots = append(out.Plots, p)
			}
		}
	}
	if len(out.Plots) == 0 {
		out.Empty = noLatency
	}
	out.say("How long an operation took at most, by the part of operations that were as fast. Repeats are taken together.")

	return out
}

// distributionPlot returns nil if no operation of the step succeeded.
func (b *besideSweep) distributionPlot(key report.Key) (p *plot, warnings []string) {
	var curves []curve
	for j, run := range b.Runs {
		for _, g := range run.Report.Groups() {
			if g.Key != key {
				continue
			}
			c, err := newCurve(g)
			if err != nil {
				warnings = append(warnings, fmt.Sprintf("%s, %s: %s", run.Name, key.Name(), err))
			}
			c.name, c.short, c.class, c.place = run.Name, run.Name, runClass(j), j
			if c.count > 0 {
				curves = append(curves, c)
			}
		}
	}
	lo, hi, most := extentOf(curves)
	if most == 0 {
		return nil, warnings
	}
	p = curvesPlot(b.names(), curves, most, lo, hi)
	p.Heading, p.Title = key.Name(), "distribution of the latency of "+key.Name()+", each run"

	return p, warnings
}
