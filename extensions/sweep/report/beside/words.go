package beside

import (
	"fmt"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Text formats the ratio with interval and verdict, such as "1.031x (1.024 to 1.038) better". "~"
// means no difference of the tolerated size, "?" undecided.
func (c *Cell) Text() string {
	if c.Verdict == "" {
		return ""
	}
	switch {
	case c.Sure():
		return stats.TimesWithin(c.Ratio, c.Low, c.High) + " " + c.Sign()
	case c.Ratio > 0:
		return stats.Times(c.Ratio) + " " + c.Sign()
	}

	return c.Sign()
}

// Sign formats the verdict in a word or the sign of `k6 x sweep compare`.
func (c *Cell) Sign() string {
	switch c.Verdict {
	case report.Same:
		return "~"
	case report.Better, report.Worse, "":
		return c.Verdict
	}

	return "?"
}

// Reasons lists why cells are undecided or not comparable, each with its first step and the number
// of others.
func (c *Comparison) Reasons() (told []string) {
	type of struct {
		first string
		more  int
	}
	found := map[string]*of{}
	var order []string
	for i := range c.Steps {
		for _, f := range c.Steps[i].Figures {
			for j := range f.Cells {
				reason := f.Cells[j].Reason
				switch {
				case reason == "" || f.Cells[j].Verdict == "":
				case found[reason] == nil:
					found[reason] = &of{first: fmt.Sprintf("%s of %s in %s", f.Name, c.Steps[i].Name(), c.Runs[j].Name)}
					order = append(order, reason)
				default:
					found[reason].more++
				}
			}
		}
	}
	for _, reason := range order {
		text := reason + ": " + found[reason].first
		if found[reason].more > 0 {
			text += fmt.Sprintf(", and %d more", found[reason].more)
		}
		told = append(told, text)
	}

	return told
}

// Summary describes a run compared with the first, without its name.
func (c *Comparison) Summary(run int) string {
	count := map[string]int{}
	total, worst, best := 0, "", ""
	low, high := 1.0, 1.0
	for i := range c.Steps {
		for _, f := range c.Steps[i].Figures {
			cell := &f.Cells[run]
			total++
			count[cell.Verdict]++
			better := cell.Ratio
			if !f.Rate && better > 0 {
				better = 1 / better
			}
			said := fmt.Sprintf("%s of %s, %s", f.Name, c.Steps[i].Name(), stats.Times(cell.Ratio))
			if cell.Verdict == report.Worse && better < low {
				low, worst = better, said
			}
			if cell.Verdict == report.Better && better > high {
				high, best = better, said
			}
		}
	}
	text := fmt.Sprintf("of %s, %d better, %d worse, %d alike, %d that cannot be judged", report.Plural(total, "figure"),
		count[report.Better], count[report.Worse], count[report.Same], count[report.Undecided]+count[report.NotComparable])
	if best != "" {
		text += "; best: " + best
	}
	if worst != "" {
		text += "; worst: " + worst
	}

	return text
}

// Judged describes the method of comparison.
func (c *Comparison) Judged() string {
	sure := slices.ContainsFunc(c.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Figures, func(f Figure) bool { return slices.ContainsFunc(f.Cells, func(c Cell) bool { return c.Sure() }) })
	})
	text := "Ratios are of the medians to those of " + c.Runs[0].Name + ", the first run. "
	if sure {
		text += "In parentheses is the interval of 95 % of that of the geometric means (Welch's t). "
	}

	return text + fmt.Sprintf("A verdict takes %d repeats of both; "+
		"better and worse are significant, ~ is a difference of less than %g %%, ? could not be told from more.",
		report.FewestRepeats, 100*Tolerance)
}
