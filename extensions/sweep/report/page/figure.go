package page

import (
	"fmt"
	"slices"
)

// figure is one or more plots with a caption.
type figure struct {
	ID       string // what it shows, in a word
	Number   int
	Title    string
	Caption  []string // sentences
	Plots    []*plot
	Legend   []entry
	Warnings []string // what could not be shown
	Empty    string   // said instead of plots when there is nothing to draw
}

// wide is 1 for a figure that takes the whole width, else 0.
func wide(f figure) int { return min(len(f.Plots)/2, 1) }

// Wide tells whether the figure takes the whole width.
func (f *figure) Wide() bool { return wide(*f) == 1 }

func (f *figure) say(format string, args ...any) {
	f.Caption = append(f.Caption, fmt.Sprintf(format, args...))
}

func (f *figure) sayOmitted(s *sweep) {
	if s.omitted > 0 {
		f.say("Shown are the %d busiest kinds of operations; the table has %d more.", maxSeries, s.omitted)
	}
}

// figures are those of the page, numbered. With several kinds of operations, those with a plot for
// each come last.
func figures(s *sweep) []figure {
	out := []figure{throughput(s, shapesOf(s)), latency(s), tails(s), fairness(s)}
	slices.SortStableFunc(out, func(a, b figure) int { return wide(a) - wide(b) })
	if f := inside(s); f != nil {
		out = append(out, *f)
	}
	for i := range out {
		out[i].Number = i + 1
		for j, p := range out[i].Plots {
			p.ID = fmt.Sprintf("%s-%d", out[i].ID, j+1)
			if p.Slowest != nil {
				p.Slowest.ID = p.ID + "-slowest"
			}
		}
	}

	return out
}

// repeated tells whether any step was run more than once.
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

// unit names what the steps count, above their labels.
func (s *sweep) unit() string {
	if s.byRate {
		return "asked /s"
	}

	return "clients"
}
