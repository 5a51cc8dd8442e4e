package page

import (
	"math"
	"slices"
	"unicode/utf8"
)

// A plot has its own units, of which a phone shows about 0.7 as a pixel and a wide screen 1.2; the
// style sheet sets texts larger where a plot is narrow, and the measures here leave room for that.
const (
	plotWidth  = 440.0
	plotHeight = 290.0
	plotTop    = 26.0
	plotBottom = plotHeight - 42
	plotLeft   = 54.0
	textHeight = 14.5 // of the larger texts
	tickGap    = 5.0
	maxLabel   = 15 // letters of a label beside a line
)

// textWidth is about as wide as the text can be, in units of the plot.
func textWidth(text string) float64 { return 7.8 * float64(utf8.RuneCountInString(text)) }

// plot is one SVG.
type plot struct {
	ID          string
	Heading     string // above it, where a figure has several
	Title, Desc string // for those who cannot see it
	Marks       []mark
	Labels      []label
	Happened    []entry    // what the marks are that have a number
	Slowest     *slowTable // nil: not known

	height float64 // zero: that of most plots
	right  float64 // where the frame ends and the labels of the lines begin
	dense  bool    // many steps: smaller marks
	ends   []ending
}

// ending is the label of a line, to be put beside its end.
type ending struct {
	class string
	text  string
	at    xy
}

// Width is that of the viewBox.
func (p *plot) Width() coordinate { return plotWidth }

// Height is that of the viewBox.
func (p *plot) Height() coordinate {
	if p.height > 0 {
		return coordinate(p.height)
	}

	return plotHeight
}

// newPlot makes an empty plot that has room for the given labels beside its lines.
func newPlot(labels []string) *plot {
	widest := 0.0
	for _, text := range labels {
		widest = max(widest, textWidth(shortened(text)))
	}

	return &plot{right: plotWidth - 14 - widest}
}

// shortened is a text that fits beside a line: of a long one its two ends, as what tells names
// apart is often the last of them.
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

// frame draws both axes: a line for each tick of y, ticks of x below.
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

// line draws a line through the points and keeps its label for the end. The style is its number
// among the lines.
func (p *plot) line(class, text string, points []xy) {
	if len(points) == 0 {
		return
	}
	if len(points) > 1 {
		p.draw("line "+class, polyline(points...))
	}
	p.ends = append(p.ends, ending{class: class, text: shortened(text), at: points[len(points)-1]})
}

// marker draws the n-th shape at a point.
func (p *plot) marker(class string, n int, at xy, tip string) {
	p.Marks = append(p.Marks, mark{Class: "marker " + class, D: shape(n, at, p.sized(markerSize)), Tip: tip})
}

const (
	markerSize = 3.4
	repeatSize = 1.7
	denseSteps = 20 // from here on marks are smaller
)

func (p *plot) sized(r float64) float64 {
	if p.dense {
		return r * 0.6
	}

	return r
}

// label puts the labels of the lines beside their ends, one below the other where these are close,
// and joins the two where a line ends early or its label had to move.
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

// spread moves sorted coordinates apart by a gap at least, so that texts at them do not overlap:
// those that are too close become a stack around their middle, which stays between top and bottom
// as long as there is room.
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
