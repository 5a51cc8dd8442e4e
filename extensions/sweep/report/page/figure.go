package page

import (
	"fmt"
	"slices"
)

type figure struct {
	ID       string // one word
	Number   int
	Title    string
	Caption  []string // sentences
	Plots    []*plot
	Folded   []*plot // plots that are folded at first
	Legend   []entry
	Warnings []string // what could not be shown
	Empty    string   // text if there is nothing to draw
}

// wide is 1 for a figure of full width, else 0.
func wide(f figure) int { return min(len(f.Plots)/2, 1) }

func (f *figure) Wide() bool { return wide(*f) == 1 }

func (f *figure) say(format string, args ...any) {
	f.Caption = append(f.Caption, fmt.Sprintf(format, args...))
}

func (f *figure) sayOmitted(s *sweep) {
	if s.omitted > 0 {
		f.say("Shown are the %d busiest kinds of operations; the table has %d more.", maxSeries, s.omitted)
	}
}

// figures returns the page's figures, numbered. Those with a plot for each kind of operation come
// last.
func figures(s *sweep) []figure {
	out := []figure{throughput(s, shapesOf(s)), latency(s), tails(s), fairness(s)}
	slices.SortStableFunc(out, func(a, b figure) int { return wide(a) - wide(b) })
	if f := inside(s); f != nil {
		out = append(out, *f)
	}
	for i := range out {
		out[i].Number = i + 1
		for j, p := range slices.Concat(out[i].Plots, out[i].Folded) {
			p.ID = fmt.Sprintf("%s-%d", out[i].ID, j+1)
			if p.Slowest != nil {
				p.Slowest.ID = p.ID + "-slowest"
			}
		}
	}

	return out
}

func (s *sweep) repeated() bool {
	for _, one := range s.series {
		for _, g := range one.groups {
			if len(g.Steps) > 1 {
				return true
			}
		}
	}

	return false
}

func (s *sweep) repeatsNote() string {
	if !s.repeated() {
		return ""
	}

	return " The line joins the medians; small marks are the repeats."
}

func (s *sweep) unit() string {
	if s.byRate {
		return "asked /s"
	}

	return "clients"
}
