package page

import (
	"math"
	"slices"
	"unicode/utf8"
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
