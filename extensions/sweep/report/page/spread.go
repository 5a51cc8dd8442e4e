package page

import (
	"fmt"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const (
	maxSlots   = 12 // steps with boxes
	maxRepeats = 5  // boxes of a step
	widestBox  = 22.0
)

// five are the numbers of a box plot.
type five struct{ min, p25, p50, p75, max float64 }

func times(s *report.Step) five {
	c := s.Client

	return five{c.Min, c.P25, c.P50, c.P75, c.Max}
}

func shares(s *report.Step) five {
	o := s.Client.Ops

	return five{float64(o.Min), float64(o.P25), float64(o.P50), float64(o.P75), float64(o.Max)}
}

type slot struct {
	key   report.Key
	boxes []five
	text  string // description
}

// fairness is figure 4: the spread over the clients of a step, by time if each had the same number
// of operations, else by operations.
func fairness(s *sweep) figure {
	f := figure{ID: "spread", Title: "Spread over the clients"}
	counted := len(s.report.Steps) > 0 && s.report.Steps[0].PerClient > 0
	of, what, write := shares, "operations of each client", func(v float64) string { return report.Thousands(int64(v)) }
	if counted {
		of, what, write = times, "time of each client", span
	}
	slots := slotsOf(s, of, write)
	if len(slots) == 0 {
		f.Empty = "No client came to an end: there is no spread to show."
		if len(s.report.Duets) > 0 {
			f.Empty = "Each client worked for both variants in turn, so that none has a time of one of them alone."
		}

		return f
	}
	f.Plots = []*plot{fairnessPlot(s, slots, what)}
	f.say("%s%s, as a multiple of the median client of the same step: 1 is that client. The box holds the middle half of "+
		"the clients, the line reaches from the least to the most.", strings.ToUpper(what[:1]), what[1:])
	if len(s.groups()) > maxSlots {
		f.say("Shown are %d of the steps, evenly chosen.", maxSlots)
	}
	if s.repeated() {
		f.say("Each repeat has a box of its own, up to %d.", maxRepeats)
	}

	return f
}

// groups returns the steps, one for all kinds of operations, because client times cover all kinds.
func (s *sweep) groups() []report.Group {
	seen := map[report.Key]bool{}
	var out []report.Group
	for _, one := range s.series {
		for _, g := range one.groups {
			step := g.Key
			step.Op, step.Variant = "", ""
			if !seen[step] {
				seen[step] = true
				out = append(out, g)
			}
		}
	}

	s.sort(out)

	return out
}

func slotsOf(s *sweep, of func(*report.Step) five, write func(float64) string) []slot {
	var slots []slot
	for _, g := range chosen(s.groups(), maxSlots) {
		one := slot{key: g.Key}
		for _, step := range g.Steps[:min(len(g.Steps), maxRepeats)] {
			b := of(step)
			if b.p50 <= 0 || b.min < 0 || b.max < b.min || b.max > largest*b.p50 {
				continue
			}
			if len(one.boxes) == 0 {
				one.text = fmt.Sprintf("%s: least %s, median %s, most %s", s.name(g.Key), write(b.min), write(b.p50), write(b.max))
			}
			one.boxes = append(one.boxes, five{b.min / b.p50, b.p25 / b.p50, 1, b.p75 / b.p50, b.max / b.p50})
		}
		if len(one.boxes) > 0 {
			slots = append(slots, one)
		}
	}

	return slots
}

func fairnessPlot(s *sweep, slots []slot, what string) *plot {
	p := newPlot(nil)
	p.right = plotWidth - 10
	var values []float64
	for _, one := range slots {
		for _, b := range one.boxes {
			values = append(values, b.min, b.max)
		}
	}
	lo, hi, _ := extent(append(values, 1), false)
	if hi-lo < 0.02 {
		lo, hi = max(lo-0.01, 0), hi+0.01 // all equal: draw a line
	}
	y := linearAxis(what+" ÷ median client", lo, hi, plotBottom, plotTop, func(v float64) string { return shortFloat(v) + "x" })
	x := axis{title: s.xTitle()}
	width := (p.right - plotLeft) / float64(len(slots))
	for i, one := range slots {
		x.ticks = append(x.ticks, tick{at: plotLeft + (float64(i)+0.5)*width, text: s.shortName(one.key)})
	}
	ticks := x.ticks
	x.ticks = thinned(ticks, func(int) bool { return false })
	p.frame(&x, &y)
	if at, ok := y.at(1); ok {
		p.draw("one", polyline(xy{plotLeft, at}, xy{p.right, at}))
	}

	told := make([]string, 0, len(slots))
	for i, one := range slots {
		drawSlot(p, one, ticks[i].at, width, &y)
		told = append(told, one.text)
	}
	p.Title = fmt.Sprintf("%s: spread of the %s", s.report.Scenario, what)
	p.Desc = enumeration(told) + "."

	return p
}

func drawSlot(p *plot, one slot, x, width float64, y *axis) {
	n := float64(len(one.boxes))
	each := min(width*0.8/n, widestBox)
	for i, b := range one.boxes {
		center := x + (float64(i)-(n-1)/2)*each
		half := each * 0.38
		at := func(v float64) float64 {
			up, _ := y.at(v)

			return up
		}
		p.draw("whisker", polyline(xy{center, at(b.min)}, xy{center, at(b.max)}))
		for _, end := range []float64{b.min, b.max} {
			p.draw("whisker", polyline(xy{center - half/2, at(end)}, xy{center + half/2, at(end)}))
		}
		tip := ""
		if i == 0 {
			tip = one.text
		}
		p.Marks = append(p.Marks, mark{Class: "box", D: rectangle(center-half, at(b.p75), center+half, at(b.p25)), Tip: tip})
		p.draw("median", polyline(xy{center - half, at(1)}, xy{center + half, at(1)}))
	}
}
