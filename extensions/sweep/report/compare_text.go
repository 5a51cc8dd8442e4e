package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Text renders the comparison: limits, then a table for each figure in the style of benchstat, with
// medians, confidence intervals and significant changes.
func (c *Comparison) Text() string {
	var b strings.Builder
	for _, text := range c.Notes {
		b.WriteString(text + "\n")
	}
	fmt.Fprintf(&b, "old: %s\nnew: %s\n", c.Old, c.New)
	for _, text := range c.Warnings {
		b.WriteString("warning: " + text + "\n")
	}
	if c.Search != nil {
		b.WriteString(c.Search.text() + "\n")
	}
	for _, figure := range Compared {
		if len(c.Rows) == 0 {
			break // two searches without a common step
		}
		b.WriteString("\n")
		writeColumns(&b, c.table(figure))
	}
	estimates := make([]Estimate, 0, 2*len(c.Rows))
	for i := range c.Rows {
		estimates = append(estimates, c.Rows[i].Old, c.Rows[i].New)
	}
	if note := plusMinusNote(estimates); note != "" {
		b.WriteString("\n" + note + "\n")
	}
	if len(c.Rows) > 0 {
		b.WriteString(ofTheseRuns + "\n")
	}

	return b.String()
}

const ofTheseRuns = "The verdicts are of these two runs: two of one build differ by more than their repeats. " +
	"Gates beside recorded runs know by how much, and ab leaves it out."

func (r Run) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s (%s, %s)", r.Name, r.Scenario, r.Started))
}

func (c *Comparison) table(f *Figure) [][]string {
	table := [][]string{{f.Name, "old", "new", "new/old", "", ""}}
	for i := range c.Rows {
		if c.Rows[i].Figure == f.Name {
			table = append(table, c.Rows[i].cells(f.Show, c.Tolerance))
		}
	}
	for _, mean := range c.Geomeans {
		if mean.Figure == f.Name {
			table = append(table, []string{"geomean", f.Show(mean.Old), f.Show(mean.New), stats.Times(mean.Ratio), "", ""})
		}
	}

	return table
}

func (r *Row) cells(show func(float64) string, tolerance float64) []string {
	ratio := "~"
	switch {
	case r.Verdict == Undecided && r.Outcome == "":
		ratio = "?"
	case r.Verdict == Same || r.Ratio == nil:
	default:
		ratio = stats.Times(*r.Ratio)
	}
	test, verdict := fmt.Sprintf("(n=%s)", r.counts()), ""
	if r.RatioLow != nil {
		test = fmt.Sprintf("%s (%s n=%s)", stats.TimesRange(*r.RatioLow, *r.RatioHigh), r.chance(), r.counts())
	}
	switch {
	case r.Problem != "":
		ratio, test, verdict = "?", "", Undecided+": "+r.Problem
		if r.Regressed {
			ratio, verdict = "", "REGRESSION: "+r.Problem
		}
	case r.Regressed:
		verdict = "REGRESSION"
	case r.Verdict == Worse:
		verdict = fmt.Sprintf("%s, within the tolerance of %.4g %%", Worse, 100*tolerance)
	case r.Verdict != Same:
		verdict = r.Verdict
	}
	switch {
	case r.Reason == "":
	case r.Verdict == Undecided:
		verdict += ": " + r.Reason
	default: // a worse figure counts even if it rests on few operations
		verdict += ", although " + r.Reason
	}

	return []string{r.Name(), r.Old.text(show), r.New.text(show), ratio, test, verdict}
}

func (r *Row) chance() string {
	const least = 0.001
	if r.P < least {
		return "p<0.001"
	}

	return fmt.Sprintf("p=%.3f", r.P)
}

func (r *Row) counts() string {
	if r.Old.N == r.New.N {
		return strconv.Itoa(r.Old.N)
	}

	return fmt.Sprintf("%d+%d", r.Old.N, r.New.N)
}

// text formats the median and the distance to the interval's farther end.
func (e *Estimate) text(show func(float64) string) string {
	if e.N == 0 {
		return "-"
	}

	return fmt.Sprintf("%s ± %s", show(e.Median), e.plusMinus())
}

func showRate(perSecond float64) string {
	if perSecond < 100 {
		return strconv.FormatFloat(perSecond, 'f', 2, 64) + "/s"
	}

	return Thousands(int64(math.Round(perSecond))) + "/s"
}

// writeColumns aligns a table: first column left, figures right, remarks left.
func writeColumns(b *strings.Builder, table [][]string) {
	const figures = 3 // number of figure columns
	widths := make([]int, len(table[0]))
	for _, row := range table {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range table {
		var line strings.Builder
		for i, cell := range row {
			padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i >= 1 && i <= figures {
				line.WriteString(padding + cell + "  ")
			} else {
				line.WriteString(cell + padding + "  ")
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
