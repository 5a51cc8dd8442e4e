package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// A plot's unit is about 0.7 pixels on a phone and 1.2 on a wide screen. The style sheet enlarges
// texts in narrow plots; these sizes leave room for that.
const (
	plotWidth  = 440.0
	plotHeight = 290.0
	plotTop    = 26.0
	plotBottom = plotHeight - 42
	plotLeft   = 54.0
	textHeight = 14.5 // height of enlarged texts
	tickGap    = 5.0
	maxLabel   = 15 // letters of a line's label
)

// textWidth is an upper bound, in units of the plot.
func textWidth(text string) float64 { return 7.8 * float64(utf8.RuneCountInString(text)) }

type plot struct {
	ID          string
	Heading     string // heading of the plot, if a figure has several
	Title, Desc string // for screen readers
	Marks       []mark
	Labels      []label
	Happened    []entry // texts of the numbered marks
	Slowest     *table  // nil: unknown

	height float64 // zero: default
	right  float64 // end of the frame, start of the lines' labels
	dense  bool    // many steps: smaller marks
	ends   []ending
}

type ending struct {
	class string
	text  string
	at    xy
}

// Width of the viewBox.
func (p *plot) Width() coordinate { return plotWidth }

// Height of the viewBox.
func (p *plot) Height() coordinate {
	if p.height > 0 {
		return coordinate(p.height)
	}

	return plotHeight
}

func newPlot(labels []string) *plot {
	widest := 0.0
	for _, text := range labels {
		widest = max(widest, textWidth(shortened(text)))
	}

	return &plot{right: plotWidth - 14 - widest}
}

// shortened cuts a long label in the middle, because names often differ at the end.
func shortened(text string) string {
	letters := []rune(text)
	if len(letters) <= maxLabel {
		return text
	}

	const last = maxLabel / 2

	return string(letters[:maxLabel-1-last]) + "…" + string(letters[len(letters)-last:])
}

func (p *plot) draw(class, d string) { p.Marks = append(p.Marks, mark{Class: class, D: d}) }

func (p *plot) write(x, y float64, class, anchor, text string) {
	p.Labels = append(p.Labels, label{X: coordinate(x), Y: coordinate(y), Class: class, Anchor: anchor, Text: text})
}

func (p *plot) frame(x, y *axis) {
	for _, t := range y.ticks {
		class := "grid"
		if t.text == "" {
			class = "grid minor"
		}
		p.draw(class, polyline(xy{plotLeft, t.at}, xy{p.right, t.at}))
		p.write(plotLeft-6, t.at+4, "tick", "end", t.text)
	}
	p.draw("axis", polyline(xy{plotLeft, plotBottom}, xy{p.right, plotBottom}))
	for _, t := range x.ticks {
		p.draw("axis", polyline(xy{t.at, plotBottom}, xy{t.at, plotBottom + 4}))
		p.write(t.at, plotBottom+17, "tick", "middle", t.text)
	}
	p.Labels = slices.DeleteFunc(p.Labels, func(l label) bool { return l.Text == "" })
	p.write(4, plotTop-13, "axis-title", "start", y.title)
	p.write(p.right, plotHeight-6, "axis-title", "end", x.title)
}

// line draws a line and keeps its label for later.
func (p *plot) line(class, text string, points []xy) {
	if len(points) == 0 {
		return
	}
	if len(points) > 1 {
		p.draw("line "+class, polyline(points...))
	}
	p.ends = append(p.ends, ending{class: class, text: shortened(text), at: points[len(points)-1]})
}

func (p *plot) marker(class string, n int, at xy, tip string) {
	p.Marks = append(p.Marks, mark{Class: "marker " + class, D: shape(n, at, p.sized(markerSize)), Tip: tip})
}

const (
	markerSize = 3.4
	repeatSize = 1.7
	denseSteps = 20 // number of steps for smaller marks
)

func (p *plot) sized(r float64) float64 {
	if p.dense {
		return r * 0.6
	}

	return r
}

// label draws the labels next to the lines' ends, below each other if they are close, with
// connectors where needed.
func (p *plot) label() {
	slices.SortStableFunc(p.ends, func(a, b ending) int {
		switch {
		case a.at.y < b.at.y:
			return -1
		case a.at.y > b.at.y:
			return 1
		}

		return 0
	})
	ys := make([]float64, len(p.ends))
	for i, e := range p.ends {
		ys[i] = e.at.y
	}
	spread(ys, plotTop+textHeight/2, plotBottom, textHeight)
	for i, e := range p.ends {
		if p.right-e.at.x > 2*markerSize || math.Abs(ys[i]-e.at.y) > textHeight/2 {
			p.draw("leader", polyline(xy{e.at.x + markerSize + 1, e.at.y}, xy{p.right + 5, ys[i]}))
		}
		p.write(p.right+8, ys[i]+4, "label "+e.class, "start", e.text)
	}
}

// spread moves sorted coordinates apart by at least gap. Close ones become a stack around their
// middle, between top and bottom if there is room.
func spread(ys []float64, top, bottom, gap float64) {
	type stack struct {
		n           int
		sum, center float64
	}
	var stacks []stack
	height := func(s stack) float64 { return float64(s.n-1) * gap }
	for _, y := range ys {
		next := stack{n: 1, sum: y}
		for {
			half := height(next) / 2
			next.center = max(min(next.sum/float64(next.n), bottom-half), top+half)
			last := len(stacks) - 1
			if last < 0 || next.center-half-stacks[last].center-height(stacks[last])/2 >= gap {
				break
			}
			next = stack{n: next.n + stacks[last].n, sum: next.sum + stacks[last].sum}
			stacks = stacks[:last]
		}
		stacks = append(stacks, next)
	}

	i := 0
	for _, s := range stacks {
		for j := range s.n {
			ys[i] = s.center - height(s)/2 + float64(j)*gap
			i++
		}
	}
}

// Everything in a plot is a mark (a path) or a label (a text), so that only one template writes and
// escapes them.

type mark struct {
	Class string
	D     string
	Tip   string // shown under the pointer; may be empty
	// Transform maps the coordinates of D to the plot; may be empty.
	Transform string
}

type label struct {
	X, Y   coordinate
	Class  string
	Anchor string // start, middle or end
	Text   string
}

// coordinate is written with one decimal.
type coordinate float64

// String formats the coordinate for SVG.
func (c coordinate) String() string {
	return strconv.FormatFloat(math.Round(float64(c)*10)/10, 'f', -1, 64)
}

type xy struct{ x, y float64 }

func polyline(points ...xy) string {
	var b strings.Builder
	for i, p := range points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%s %s", command, coordinate(p.x), coordinate(p.y))
	}

	return b.String()
}

func polygon(points ...xy) string { return polyline(points...) + "Z" }

func rectangle(x0, y0, x1, y1 float64) string {
	return polygon(xy{x0, y0}, xy{x1, y0}, xy{x1, y1}, xy{x0, y1})
}

const shapes = 8

// shape is the outline of the n-th kind of marker around p. Shapes distinguish series in grey
// prints.
func shape(n int, p xy, r float64) string {
	x, y := p.x, p.y
	switch n % shapes {
	case 0:
		return circle(p, r)
	case 1:
		return rectangle(x-r*0.9, y-r*0.9, x+r*0.9, y+r*0.9)
	case 2:
		return polygon(xy{x, y - r*1.2}, xy{x + r*1.1, y + r*0.8}, xy{x - r*1.1, y + r*0.8})
	case 3:
		return polygon(xy{x, y - r*1.3}, xy{x + r*1.3, y}, xy{x, y + r*1.3}, xy{x - r*1.3, y})
	case 4:
		return polygon(xy{x, y + r*1.2}, xy{x + r*1.1, y - r*0.8}, xy{x - r*1.1, y - r*0.8})
	case 5:
		return rectangle(x-r*1.3, y-r*0.45, x+r*1.3, y+r*0.45)
	case 6:
		return polygon(xy{x - r*0.8, y - r*1.1}, xy{x + r*1.2, y}, xy{x - r*0.8, y + r*1.1})
	default:
		return rectangle(x-r*0.45, y-r*1.3, x+r*0.45, y+r*1.3)
	}
}

func circle(p xy, r float64) string {
	return fmt.Sprintf("M%s %sa%[3]s %[3]s 0 1 0 %[4]s 0a%[3]s %[3]s 0 1 0 -%[4]s 0Z",
		coordinate(p.x-r), coordinate(p.y), coordinate(r), coordinate(2*r))
}

func plusMinus(r *report.Report) (columns []tabular) {
	for _, f := range r.Bounded() {
		columns = append(columns, tabular{column{Name: f.Name + " ±"}, func(s *report.Step) cell {
			c := cell{Key: "intervals." + f.JSON, Text: s.PlusMinus(f)}
			if interval, known := s.Interval(f); known {
				c.Value = exact(interval)
				c.Tip = f.Show(interval.Low) + " to " + f.Show(interval.High)
			}

			return c
		}})
	}

	return columns
}

// whisker draws the interval of a step without repeats. With repeats, the marks show the spread.
func (p *plot) whisker(class string, f *report.Figure, g report.Group, x float64, ys *axis) {
	if len(g.Steps) != 1 {
		return
	}
	interval, known := g.Steps[0].Interval(f)
	if !known {
		return
	}
	low, lowDrawn := ys.at(max(interval.Low, ys.lo))
	high, highDrawn := ys.at(min(interval.High, ys.hi))
	if lowDrawn && highDrawn {
		half := p.sized(whiskerSize)
		p.draw("interval "+class, polyline(xy{x, low}, xy{x, high})+
			polyline(xy{x - half, low}, xy{x + half, low})+polyline(xy{x - half, high}, xy{x + half, high}))
	}
}

// whiskerSize is half of the width of a whisker's ends.
const whiskerSize = 4.0

func (f *figure) sayWhiskers(s *sweep) {
	for _, one := range s.series {
		for _, g := range one.groups {
			if len(g.Steps) == 1 && g.Steps[0].Intervals != nil {
				f.say("Whiskers are intervals that have the true figure of the step in %g of 100 cases.", 100*g.Steps[0].Intervals.Coverage)

				return
			}
		}
	}
}
