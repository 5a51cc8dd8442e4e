package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// FewestBeside and MostBeside are the limits on runs side by side: more curves could not be
// distinguished.
const (
	FewestBeside = 2
	MostBeside   = 8
)

// DefaultTolerance is the allowed worsening of a median.
const DefaultTolerance = 0.05

// NamedRun is a run to set beside others. Name identifies it, such as its file name.
type NamedRun struct {
	Name   string
	Report *Report
}

// Beside compares several runs, each with the first. The verdicts are those of Compare.
type Beside struct {
	Runs []NamedRun
	// Facts are the differences besides figures.
	Facts    []Difference
	Warnings []BesideWarning
	// Steps of the first run in order, then the steps that only others have.
	Steps []BesideStep
}

// BesideWarning is a reason to doubt the figures of a run.
type BesideWarning struct{ Run, Text string }

// BesideStep is a step of at least one of the runs. It has a row for each figure in Compared, with
// a cell for each run.
type BesideStep struct {
	Key
	Cells [][]BesideCell
}

// BesideCell is a figure of a step in one run.
type BesideCell struct {
	Estimate
	// Ratio is relative to the first run's median; zero in the first run, and if unknown.
	Ratio float64
	// Low and High are the interval of the ratio; zero with too few repeats.
	Low, High float64
	// Verdict is Compare's verdict; empty in the first run.
	Verdict string
	Reason  string
	// LostTo reports whether the run got worse by more than the tolerance, or lacks the step.
	LostTo bool
}

// NewBeside compares runs. It returns an error for too few or too many runs, duplicate names, or
// runs without steps.
func NewBeside(runs []NamedRun) (*Beside, error) {
	if len(runs) < FewestBeside || len(runs) > MostBeside {
		return nil, fmt.Errorf("%d runs cannot be set side by side: it must be from %d to %d", len(runs), FewestBeside, MostBeside)
	}
	c := &Beside{Runs: runs}
	reports := make([]*Report, len(runs))
	index := map[Key]int{}
	for i, run := range runs {
		if slices.ContainsFunc(runs[:i], func(other NamedRun) bool { return other.Name == run.Name }) {
			return nil, fmt.Errorf("two runs have the name %q: names tell them apart", run.Name)
		}
		reports[i] = run.Report
		c.warn(run)
		for _, g := range run.Report.Groups() {
			if _, known := index[g.Key]; !known {
				index[g.Key] = len(c.Steps)
				c.Steps = append(c.Steps, BesideStep{Key: g.Key})
			}
		}
	}
	if len(c.Steps) == 0 {
		return nil, errors.New("there is nothing to set side by side: none of the runs has a step")
	}
	c.Facts = differences(reports...)
	for i := range c.Steps {
		c.Steps[i].Cells = make([][]BesideCell, len(Compared))
		for n := range Compared {
			c.Steps[i].Cells[n] = make([]BesideCell, len(runs))
		}
	}
	for j := range runs {
		c.fill(j, index)
	}

	return c, nil
}

func (c *Beside) warn(run NamedRun) {
	add := func(text string) { c.Warnings = append(c.Warnings, BesideWarning{run.Name, text}) }
	if run.Report.Interrupted {
		add("was interrupted: steps that are missing were not done")
	}
	var failed uint64
	incomplete := 0
	for i := range run.Report.Steps {
		failed += run.Report.Steps[i].Failed
		if !run.Report.Steps[i].Complete {
			incomplete++
		}
	}
	if incomplete > 0 {
		add(fmt.Sprintf("%d of its %s incomplete", incomplete, Plural(len(run.Report.Steps), "step")))
	}
	if failed > 0 {
		add(Counted(int64(failed), "operation") + " failed")
	}
}

// fill sets the cells of one run. Runs of scenarios with different names are compared, since the
// facts show that.
func (c *Beside) fill(run int, index map[Key]int) {
	own := *c.Runs[run].Report
	for _, g := range own.Groups() {
		done := g.Succeeded()
		for n, f := range Compared {
			c.Steps[index[g.Key]].Cells[n][run].Estimate = NewEstimate(done.Values(f.Of))
		}
	}
	if run == 0 {
		return
	}
	own.Scenario = c.Runs[0].Report.Scenario
	compared, err := Compare(c.Runs[0].Report, &own, CompareOptions{Tolerance: DefaultTolerance})
	missing := "missing in both"
	if err != nil {
		compared, missing = &Comparison{}, err.Error()
	}
	for i := range c.Steps {
		for n := range Compared {
			cell := &c.Steps[i].Cells[n][run]
			cell.Verdict, cell.Reason = NotComparable, missing
		}
	}
	for i := range compared.Rows {
		r := &compared.Rows[i]
		n := slices.IndexFunc(Compared, func(f *Figure) bool { return f.Name == r.Figure })
		cells := c.Steps[index[r.Key]].Cells[n]
		cell := &cells[run]
		cell.Verdict, cell.Reason, cell.LostTo = r.Verdict, cmp.Or(r.Problem, r.Reason), r.Regressed
		if r.Verdict == NotComparable || cells[0].N == 0 || cell.N == 0 {
			continue
		}
		if r.Ratio != nil {
			cell.Ratio = *r.Ratio
		}
		if r.RatioLow != nil {
			cell.Low, cell.High = *r.RatioLow, *r.RatioHigh
		}
	}
}

// Variants returns the runs within one report: its variants. It returns nil unless they can be set
// side by side, and for a duet, whose own ratios are more precise.
func (r *Report) Variants() (runs []NamedRun) {
	if len(r.Duets) > 0 {
		return nil
	}
	for _, s := range r.Steps {
		name := s.Variant
		if name == "" {
			return nil
		}
		at := slices.IndexFunc(runs, func(one NamedRun) bool { return one.Name == name })
		if at < 0 {
			part := *r
			part.Steps, part.Gates, part.Tables, part.Search = nil, nil, nil, nil
			at, runs = len(runs), append(runs, NamedRun{Name: name, Report: &part})
		}
		if s.Op == name {
			s.Op = r.Scenario
		}
		s.Variant = ""
		runs[at].Report.Steps = append(runs[at].Report.Steps, s)
	}
	if len(runs) < FewestBeside || len(runs) > MostBeside {
		return nil
	}

	return runs
}

// Sure reports whether the interval of the ratio is known.
func (c *BesideCell) Sure() bool { return c.High > 0 }

// Value formats the median; "-" if it is missing.
func (c *BesideCell) Value(f *Figure) string {
	if c.N == 0 {
		return "-"
	}

	return f.Show(c.Median)
}

// Text formats the ratio with interval and verdict, such as "1.031x (1.024 to 1.038) better". "~"
// means no difference of the tolerated size, "?" undecided.
func (c *BesideCell) Text() string {
	sign := "?"
	switch c.Verdict {
	case "":
		return ""
	case Same:
		sign = "~"
	case Better, Worse:
		sign = c.Verdict
	}
	switch {
	case c.Sure():
		return stats.TimesWithin(c.Ratio, c.Low, c.High) + " " + sign
	case c.Ratio > 0:
		return stats.Times(c.Ratio) + " " + sign
	}

	return sign
}

// Reasons lists why cells are undecided or not comparable, each with its first step and the number
// of others.
func (c *Beside) Reasons() (told []string) {
	first, count := map[string]string{}, map[string]int{}
	var order []string
	for i := range c.Steps {
		for n, f := range Compared {
			for j := range c.Runs {
				reason := c.Steps[i].Cells[n][j].Reason
				if reason == "" {
					continue
				}
				if count[reason]++; count[reason] == 1 {
					first[reason] = fmt.Sprintf("%s of %s in %s", f.Name, c.Steps[i].Name(), c.Runs[j].Name)
					order = append(order, reason)
				}
			}
		}
	}
	for _, reason := range order {
		text := reason + ": " + first[reason]
		if more := count[reason] - 1; more > 0 {
			text += fmt.Sprintf(", and %d more", more)
		}
		told = append(told, text)
	}

	return told
}

// Summary describes a run compared with the first, without its name.
func (c *Beside) Summary(run int) string {
	count := map[string]int{}
	worst, best := "", ""
	low, high := 1.0, 1.0
	for i := range c.Steps {
		for n, f := range Compared {
			cell := &c.Steps[i].Cells[n][run]
			count[cell.Verdict]++
			better := cell.Ratio
			if !f.Rate && better > 0 {
				better = 1 / better
			}
			said := fmt.Sprintf("%s of %s, %s", f.Name, c.Steps[i].Name(), stats.Times(cell.Ratio))
			if cell.Verdict == Worse && better < low {
				low, worst = better, "; worst: "+said
			}
			if cell.Verdict == Better && better > high {
				high, best = better, "; best: "+said
			}
		}
	}

	return fmt.Sprintf("of %s, %d better, %d worse, %d alike, %d that cannot be judged", Plural(len(c.Steps)*len(Compared), "figure"),
		count[Better], count[Worse], count[Same], count[Undecided]+count[NotComparable]) + best + worst
}

// Judged describes the method of comparison.
func (c *Beside) Judged() string {
	sure := ""
	for i := range c.Steps {
		for _, cells := range c.Steps[i].Cells {
			if slices.ContainsFunc(cells, func(c BesideCell) bool { return c.Sure() }) {
				sure = "In parentheses is the interval of 95 % of that of the geometric means (Welch's t). "
			}
		}
	}

	return "Ratios are of the medians to those of " + c.Runs[0].Name + ", the first run. " + sure +
		fmt.Sprintf("A verdict takes %d repeats of both; "+
			"better and worse are significant, ~ is a difference of less than %g %%, ? could not be told from more.",
			FewestRepeats, 100*DefaultTolerance)
}

// Markdown renders the comparison: differences, a summary of each run, and a table for each figure.
func (c *Beside) Markdown() string {
	var b strings.Builder
	names := make([]string, len(c.Runs))
	for i, run := range c.Runs {
		names[i] = Escape(run.Name)
	}
	fmt.Fprintf(&b, "# %s\n", strings.Join(names, " beside "))
	for _, w := range c.Warnings {
		fmt.Fprintf(&b, "\n**%s** %s.\n", Escape(w.Run), Escape(w.Text))
	}
	b.WriteString("\n")
	for i := 1; i < len(c.Runs); i++ {
		fmt.Fprintf(&b, "- **%s**: %s\n", names[i], Escape(c.Summary(i)))
	}
	b.WriteString("\nWhat differs:\n\n")
	if len(c.Facts) == 0 {
		b.WriteString("nothing that the reports know of.\n")
	} else {
		columns := make([]column, 1, 1+len(names))
		columns[0] = column{"fact", true, func(i int) string { return c.Facts[i].Name }}
		for j, name := range names {
			columns = append(columns, column{name, false, func(i int) string { return cmp.Or(c.Facts[i].Values[j].Short(), "-") }})
		}
		writeTable(&b, columns, len(c.Facts))
	}
	for n, f := range Compared {
		fmt.Fprintf(&b, "\n%s\n\n", f.Name)
		columns := []column{{"step", true, func(i int) string { return c.Steps[i].Name() }}}
		for j, name := range names {
			columns = append(columns, column{name, false, func(i int) string { return c.Steps[i].Cells[n][j].Value(f) }})
			if j > 0 {
				columns = append(columns, column{name + " / " + names[0], false, func(i int) string { return c.Steps[i].Cells[n][j].Text() }})
			}
		}
		writeTable(&b, columns, len(c.Steps))
	}
	b.WriteString("\n" + Escape(c.Judged()) + "\n")
	for i, reason := range c.Reasons() {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- ? " + Escape(reason) + "\n")
	}

	return b.String()
}
