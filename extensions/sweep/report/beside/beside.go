package beside

import (
	"cmp"
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Fewest and Most are the limits on runs side by side: more curves could not be distinguished.
const (
	Fewest = 2
	Most   = 8
)

// Tolerance is the allowed worsening of a median, as for `k6 x sweep compare`.
const Tolerance = 0.05

// Run is a run to compare.
type Run struct {
	// Name identifies the run, such as its file name.
	Name   string
	Report *report.Report
}

// Comparison compares each run with the first.
type Comparison struct {
	Runs []Run
	// Facts are the differences besides figures.
	Facts    []Fact
	Warnings []Warning
	// Steps of the first run in order, then the steps that only others have.
	Steps []Step
}

// Fact is a property in which runs differ.
type Fact struct {
	// Name is the path in the report, such as "target.version".
	Name   string
	Values []string
}

// Warning is a reason to doubt the figures of a run.
type Warning struct{ Run, Text string }

// Step is a step of at least one of the runs.
type Step struct {
	report.Key
	// Figures are ops/s, p50 and p99, in this order.
	Figures []Figure
}

// Figure is a figure of a step in all runs.
type Figure struct {
	*report.Figure
	Cells []Cell
}

// Cell is a figure of a step in one run.
type Cell struct {
	report.Estimate
	// Ratio is relative to the first run's median; zero in the first run, and if unknown.
	Ratio float64
	// Low and High are the interval of the ratio; zero with too few repeats.
	Low, High float64
	// Verdict is report.Compare's verdict; empty in the first run.
	Verdict string
	Reason  string
	// LostTo reports whether the run got worse by more than the tolerance, or lacks the step.
	LostTo bool
}

// Sure reports whether the interval of the ratio is known.
func (c *Cell) Sure() bool { return c.High > 0 }

// FigureKeys are the CSV keys of the compared figures.
var FigureKeys = []string{"ops_per_second", "p50", "p99"} //nolint:gochecknoglobals // a constant

// Of compares runs. It returns an error for too few or too many runs, duplicate names, or runs
// without steps.
func Of(runs []Run) (*Comparison, error) {
	if len(runs) < Fewest || len(runs) > Most {
		return nil, fmt.Errorf("%d runs cannot be set side by side: it must be from %d to %d", len(runs), Fewest, Most)
	}
	seen, steps := map[string]bool{}, 0
	for _, run := range runs {
		if seen[run.Name] {
			return nil, fmt.Errorf("two runs have the name %q: names tell them apart", run.Name)
		}
		seen[run.Name] = true
		steps += len(run.Report.Steps)
	}
	if steps == 0 {
		return nil, fmt.Errorf("there is nothing to set side by side: none of the runs has a step")
	}
	c := &Comparison{Runs: runs, Facts: facts(runs), Warnings: warnings(runs)}
	c.fill()

	return c, nil
}

func (c *Comparison) fill() {
	index := map[report.Key]int{}
	groups := make([]map[report.Key]*report.Group, len(c.Runs))
	for i, run := range c.Runs {
		groups[i] = map[report.Key]*report.Group{}
		all := run.Report.Groups()
		for j := range all {
			key := all[j].Key
			groups[i][key] = &all[j]
			if _, known := index[key]; !known {
				index[key] = len(c.Steps)
				c.Steps = append(c.Steps, Step{Key: key})
			}
		}
	}
	judges := make([]judge, len(c.Runs))
	for i := 1; i < len(c.Runs); i++ {
		judges[i] = newJudge(c.Runs[0].Report, c.Runs[i].Report)
	}
	for i := range c.Steps {
		s := &c.Steps[i]
		for _, key := range FigureKeys {
			f := Figure{Figure: report.FigureOf(key), Cells: make([]Cell, len(c.Runs))}
			for j := range c.Runs {
				f.Cells[j] = cellOf(f.Figure, s.Key, groups[0][s.Key], groups[j][s.Key], &judges[j])
				if j == 0 {
					f.Cells[j] = Cell{Estimate: f.Cells[j].Estimate}
				}
			}
			s.Figures = append(s.Figures, f)
		}
	}
}

func cellOf(f *report.Figure, key report.Key, first, own *report.Group, j *judge) Cell {
	var c Cell
	before, after := values(f, first), values(f, own)
	c.Estimate = report.NewEstimate(after)
	row, known := j.rows[rowKey{f.Name, key}]
	switch {
	case !known:
		c.Verdict, c.Reason = report.NotComparable, cmp.Or(j.problem, "missing in both")
	default:
		c.Verdict, c.Reason, c.LostTo = row.Verdict, cmp.Or(row.Problem, row.Reason), row.Regressed
	}
	if c.Verdict == report.NotComparable || len(before) == 0 || len(after) == 0 {
		return c
	}
	if row.Ratio != nil {
		c.Ratio = *row.Ratio
	}
	if row.RatioLow != nil {
		c.Low, c.High = *row.RatioLow, *row.RatioHigh
	}

	return c
}

// values returns the figure of each repeat in which an operation succeeded.
func values(f *report.Figure, g *report.Group) []float64 {
	if g == nil {
		return nil
	}
	done := g.Succeeded()

	return done.Values(f.Of)
}

type rowKey struct {
	figure string
	report.Key
}

type judge struct {
	rows    map[rowKey]*report.Row
	problem string
}

// newJudge compares two runs even if their scenarios differ, since the facts show that.
func newJudge(first, own *report.Report) judge {
	renamed := *own
	renamed.Scenario = first.Scenario
	compared, err := report.Compare(first, &renamed, report.CompareOptions{Tolerance: Tolerance})
	if err != nil {
		return judge{problem: err.Error()}
	}
	j := judge{rows: map[rowKey]*report.Row{}}
	for i := range compared.Rows {
		r := &compared.Rows[i]
		j.rows[rowKey{r.Figure, report.Key{Op: r.Op, Clients: r.Clients, Rate: r.Rate, Variant: r.Variant}}] = r
	}

	return j
}

func warnings(runs []Run) (found []Warning) {
	for _, run := range runs {
		r := run.Report
		if r.Interrupted {
			found = append(found, Warning{run.Name, "was interrupted: steps that are missing were not done"})
		}
		var failed uint64
		incomplete := 0
		for i := range r.Steps {
			failed += r.Steps[i].Failed
			if !r.Steps[i].Complete {
				incomplete++
			}
		}
		if incomplete > 0 {
			found = append(found, Warning{run.Name, fmt.Sprintf("%d of its %s incomplete", incomplete, report.Plural(len(r.Steps), "step"))})
		}
		if failed > 0 {
			found = append(found, Warning{run.Name, report.Counted(int64(failed), "operation") + " failed"})
		}
	}

	return found
}
