package page

import (
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

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
