package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type besideDocument struct {
	Title string
	Runs  []besideRun
	besideSection
}

// besideSection is the comparison; a run with variants has it too.
type besideSection struct {
	Names    []string
	Warnings []fact
	Sums     []fact // summary of each run compared with the first
	Differ   table
	Figures  []figure
	Tables   []table
	Judged   string
	Reasons  []string
}

type besideRun struct{ Name, Target, Started, K6 string }

// BesideHTML renders several runs as one page.
func BesideHTML(c *report.Beside) ([]byte, error) {
	d := &besideDocument{besideSection: newBesideSection(c)}
	d.Title = besideTitle(d.Names)
	for _, run := range c.Runs {
		r := run.Report
		d.Runs = append(d.Runs, besideRun{run.Name, strings.TrimSpace(r.Scenario + ", " + targetText(r)), startedText(r.Started), r.K6})
	}

	return execute("beside", d.Title, d)
}

// besideTitle names the runs if they are few.
func besideTitle(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, " beside ")
	}

	return fmt.Sprintf("%s and %d others side by side", names[0], len(names)-1)
}

// besideWithin returns the comparison of a report with variants, or nil.
func besideWithin(r *report.Report) *besideSection {
	c, err := report.NewBeside(r.Variants())
	if err != nil {
		return nil
	}
	s := newBesideSection(c)
	s.Warnings, s.Differ = nil, table{} // the page already shows them

	return &s
}

func newBesideSection(c *report.Beside) besideSection {
	s := besideSection{Judged: c.Judged(), Reasons: c.Reasons()}
	for i, run := range c.Runs {
		s.Names = append(s.Names, run.Name)
		if i > 0 {
			s.Sums = append(s.Sums, fact{run.Name, c.Summary(i)})
		}
	}
	for _, w := range c.Warnings {
		s.Warnings = append(s.Warnings, fact{w.Run, w.Text})
	}
	s.Differ = table{
		ID: "differ-table", Class: "texts beside", Caption: "What was not the same before anything was measured",
		Columns: []column{{Name: "fact", Text: true}},
	}
	for _, name := range s.Names {
		s.Differ.Columns = append(s.Differ.Columns, column{Name: name, Text: true})
	}
	for _, f := range c.Facts {
		cells := append(make([]cell, 0, 1+len(f.Values)), head(f.Name))
		for i := range f.Values {
			cells = append(cells, cell{Text: cmp.Or(f.Values[i].Short(), "–"), Class: "text"})
		}
		s.Differ.add(cells...)
	}
	s.Figures = besideFigures(c)
	for n := range report.Compared {
		s.Tables = append(s.Tables, newBesideTable(c, n))
	}

	return s
}

func newBesideTable(c *report.Beside, n int) table {
	f, first := report.Compared[n], c.Runs[0].Name
	t := table{ID: "beside-" + f.Key, Class: "beside", Caption: f.Name, Columns: []column{{Name: "step", Text: true}, {Name: first}}}
	for _, run := range c.Runs[1:] {
		t.Columns = append(t.Columns, column{Name: run.Name}, column{Name: run.Name + " / " + first, Text: true})
	}
	for i := range c.Steps {
		cells := []cell{head(c.Steps[i].Name())}
		for j := range c.Runs {
			one := &c.Steps[i].Cells[n][j]
			value := cell{Key: f.JSON, Text: strings.Replace(one.Value(f), "-", "–", 1), Class: "n"}
			if one.N > 0 {
				value.Value = exact(one.Median)
			}
			cells = append(cells, value)
			if j > 0 {
				cells = append(cells, verdictCell(one))
			}
		}
		t.add(cells...)
	}

	return t
}

// verdictCell shows a ratio with its verdict, or the reason for none.
func verdictCell(c *report.BesideCell) cell {
	one := cell{Key: "verdict", Value: c.Verdict, Text: c.Text()}
	switch {
	case c.Verdict == report.Better:
		one.Class = "good"
	case c.Verdict == report.Worse || c.LostTo:
		one.Class = "bad"
	}
	if c.Reason != "" {
		one.Text += " " + c.Reason
	}

	return one
}

type besideOp struct {
	op    string
	steps []*report.BesideStep // in the order of the x axis
}

func (o besideOp) isCurve() bool { return len(o.steps) > 1 }

// besideOps returns the kinds of operations that have a curve: those with at least two steps, or
// all if no kind has. It returns at most maxSeries.
func besideOps(c *report.Beside, byRate bool) (ops []besideOp, omitted int) {
	index := map[string]int{}
	for i := range c.Steps {
		s := &c.Steps[i]
		name := s.Op
		if s.Variant != "" {
			name += " of " + s.Variant
		}
		at, known := index[name]
		if !known {
			at = len(ops)
			index[name] = at
			ops = append(ops, besideOp{op: name})
		}
		ops[at].steps = append(ops[at].steps, s)
	}
	if slices.ContainsFunc(ops, besideOp.isCurve) {
		ops = slices.DeleteFunc(ops, func(o besideOp) bool { return !o.isCurve() })
	}
	for _, o := range ops {
		slices.SortStableFunc(o.steps, func(a, b *report.BesideStep) int { return cmp.Compare(placeOf(a, byRate), placeOf(b, byRate)) })
	}
	if len(ops) > maxSeries {
		ops, omitted = ops[:maxSeries], len(ops)-maxSeries
	}

	return ops, omitted
}

func placeOf(s *report.BesideStep, byRate bool) float64 {
	if byRate {
		return s.Rate
	}

	return float64(s.Clients)
}
