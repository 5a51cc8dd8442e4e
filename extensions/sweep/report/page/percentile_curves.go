package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const maxCurves = 8

type curve struct {
	key   report.Key
	count int64
	of    *measure.Distribution
	// name is for the description, short for the label.
	name, short, class string
	place              int // among the curves of the plot
}

// tails is figure 3: the distribution of some steps, with a scale that stretches the slow end.
func tails(s *sweep) figure {
	f := figure{ID: "percentiles", Title: "Latency by percentile"}
	all := make([][]curve, len(s.series))
	var drawn []curve
	left := false
	for i, one := range s.series {
		if one.kind == report.TotalOp { // it has no histogram
			continue
		}
		groups := chosen(one.groups, maxCurves)
		left = left || len(groups) < len(one.groups)
		for _, g := range groups {
			c, err := newCurve(g)
			if err != nil {
				f.Warnings = append(f.Warnings, fmt.Sprintf("%s, %s: %s", s.name(g.Key), g.Op, err))
			}
			if c.count == 0 {
				continue
			}
			c.name, c.short = s.name(g.Key), s.shortName(g.Key)
			all[i] = append(all[i], c)
		}
		drawn = append(drawn, all[i]...)
	}
	lo, hi, most := extentOf(drawn)
	if most == 0 {
		f.Empty = noLatency
		if len(f.Warnings) > 0 {
			f.Empty = "There is no distribution to show."
		}

		return f
	}

	for i, curves := range all {
		if len(curves) > 0 {
			f.Plots = append(f.Plots, tailPlot(s, s.series[i].op, curves, most, lo, hi))
		}
	}
	f.say("How long an operation took at most, by the part of operations that were as fast: each further mark leaves a " +
		"tenth of those before. A curve ends with the slowest operation of its step.")
	if left {
		f.say("Shown are %d of the steps, evenly chosen.", maxCurves)
	}
	if s.repeated() {
		f.say("Repeats are taken together.")
	}
	f.sayOmitted(s)

	return f
}

// newCurve combines the histograms of all repeats of a step. With an error, the curve has the
// readable ones.
func newCurve(g report.Group) (curve, error) {
	c := curve{key: g.Key}
	merged := &measure.Distribution{}
	var failed error
	for _, s := range g.Steps {
		if s.Operations == 0 || s.Histogram == "" {
			continue
		}
		d, err := measure.Decode(s.Histogram)
		if err != nil {
			failed = fmt.Errorf("the histogram cannot be read: %w", err)

			continue
		}
		d.SetExact(milliseconds(s.Latency.Max), milliseconds(s.Latency.Mean))
		merged.Merge(&d)
	}
	c.count, c.of = merged.Count, merged

	return c, failed
}

func milliseconds(ms float64) time.Duration {
	return time.Duration(min(max(ms*float64(time.Millisecond), 0), math.MaxInt64/2))
}

// nines returns the place of the slowest of n operations: 0 is the fastest, 1 is p90, 2 is p99, and
// so on.
func nines(n int64) float64 { return max(math.Log10(float64(n)), minNines) }

const (
	minNines  = 1.0
	fineness  = 16 // points of a curve for each nine
	drawNines = 9.0
)

// points returns nines and milliseconds, dense enough for a smooth curve.
func (c *curve) points() []xy {
	end := min(nines(c.count), drawNines)
	var at []float64
	for i := 0; float64(i) < end*fineness; i++ {
		at = append(at, float64(i)/fineness)
	}
	for _, t := range ticksOfNines {
		if t.at <= end {
			at = append(at, t.at)
		}
	}
	slices.Sort(at)
	var out []xy
	for _, n := range slices.Compact(at) {
		out = append(out, xy{n, c.after(n)})
	}

	return append(out, xy{end, report.Ms(c.of.Quantile(1))})
}

// after returns the latency in milliseconds at a number of nines.
func (c *curve) after(nines float64) float64 {
	return report.Ms(c.of.Quantile(1 - math.Pow(10, -nines)))
}

// ticksOfNines are the percentiles named on the axis.
//
//nolint:gochecknoglobals // a constant
var ticksOfNines = []struct {
	at   float64
	text string
}{
	{0, "0"}, {math.Log10(2), "50"}, {1, "90"}, {2, "99"}, {3, "99.9"}, {4, "99.99"}, {5, "99.999"},
	{6, "6 nines"}, {7, "7 nines"}, {8, "8 nines"}, {9, "9 nines"},
}

// extentOf returns the shortest and the longest duration that can be drawn, and the highest number
// of operations; zero if there is none.
func extentOf(curves []curve) (lo, hi float64, most int64) {
	var values []float64
	for i := range curves {
		most = max(most, curves[i].count)
		for _, at := range curves[i].points() {
			values = append(values, at.y)
		}
	}
	lo, hi, ok := extent(values, true)
	if !ok {
		return 0, 0, 0
	}

	return lo, hi, most
}

func tailPlot(s *sweep, op string, curves []curve, most int64, lo, hi float64) *plot {
	texts := append(make([]string, 0, 1+len(curves)), s.unit())
	for i := range curves {
		c := &curves[i]
		c.class, c.place = fmt.Sprintf("r%d", rampAt(i, len(curves))), i
		texts = append(texts, c.short)
	}
	p := curvesPlot(texts, curves, most, lo, hi)
	p.write(p.right+8, plotTop-13, "axis-title", "start", s.unit())
	p.Title = fmt.Sprintf("%s: distribution of the latency of %s in each step", s.report.Scenario, op)
	if len(s.series) > 1 {
		p.Heading = op
	}

	return p
}

// curvesPlot draws distributions up to the percentile of the slowest of the given number.
func curvesPlot(labels []string, curves []curve, most int64, lo, hi float64) *plot {
	p := newPlot(labels)
	x := ninesAxis(min(nines(most), drawNines), p.right)
	y := logAxis("ms", lo, hi, plotBottom, plotTop)
	p.frame(&x, &y)
	told := make([]string, len(curves))
	for i := range curves {
		told[i] = p.distribution(&curves[i], &x, &y)
	}
	p.label()
	p.Desc = strings.Join(told, " ")

	return p
}

func ninesAxis(end, to float64) axis {
	x := axis{scale: scale{hi: end, from: plotLeft, to: to - markerSize}, title: "percentile"}
	for _, t := range ticksOfNines {
		if t.at <= end {
			x.add(t.at, t.text)
		}
	}
	x.ticks = thinned(x.ticks, func(i int) bool { return ticksOfNines[i].at >= 1 })

	return x
}

func rampAt(i, n int) int {
	if n < 2 {
		return 0
	}

	return i * (maxCurves - 1) / (n - 1)
}

// distribution draws a curve and returns its description.
func (p *plot) distribution(c *curve, x, y *axis) string {
	var line []xy
	for _, at := range c.points() {
		if at, ok := place(x, y, at.x, at.y); ok {
			line = append(line, at)
		}
	}
	p.line(fmt.Sprintf("%s d%d", c.class, c.place), c.short, line)
	var told []string
	for _, t := range ticksOfNines[1:] {
		took := c.after(t.at)
		at, ok := place(x, y, t.at, took)
		if !ok || t.at > nines(c.count) || t.at > drawNines {
			continue
		}
		told = append(told, fmt.Sprintf("%s %s", t.text, millis(took)))
		p.marker(c.class, c.place, at, fmt.Sprintf("%s, percentile %s: %s", c.name, t.text, millis(took)))
	}

	return fmt.Sprintf("%s: %s, slowest %s.", c.name, strings.Join(told, ", "), millis(report.Ms(c.of.Quantile(1))))
}
