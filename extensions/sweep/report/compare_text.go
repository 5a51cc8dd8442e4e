package report

import (
	"fmt"
	"math"
	"slices"
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

// Sought compares the results of two searches with the same goal.
type Sought struct {
	Of    string  `json:"of"`    // "clients" or "rate"
	Bound string  `json:"bound"` // such as "p99 <= 5ms"
	Old   float64 `json:"old"`
	New   float64 `json:"new"`
	// OldBracket and NewBracket are the certain bounds of both results; nil if unknown.
	OldBracket *Bracket `json:"oldBracket,omitempty"`
	NewBracket *Bracket `json:"newBracket,omitempty"`
	// Regressed reports whether the new result is lower by more than the tolerance, with brackets that
	// do not overlap.
	Regressed bool `json:"regressed"`
}

func newSought(before, after *Search, tolerance float64) *Sought {
	if before.Of != after.Of || before.Bound != after.Bound {
		return nil
	}

	surely := before.Bracket
	if surely == nil && after.CannotTell() {
		surely = &Bracket{Low: before.Found}
	}

	return &Sought{
		Of: after.Of, Bound: after.Bound, Old: before.Found, New: after.Found,
		OldBracket: before.Bracket, NewBracket: after.Bracket,
		Regressed: before.Found-after.Found > tolerance*before.Found && !overlap(surely, after.Bracket),
	}
}

// overlap reports whether the brackets overlap, for a new result that is lower.
func overlap(before, after *Bracket) bool {
	return before != nil && after != nil && (after.High == 0 || before.Low <= after.High)
}

// ofBoth returns the pairs that both searches measured, except steps that failed in both: a search
// also measures loads that are too high.
func ofBoth(all []pair) []pair {
	both := slices.DeleteFunc(all, func(p pair) bool { return p.before == nil || p.after == nil })
	for i := range both {
		both[i].lost = both[i].lost && FlawOf(both[i].before) == ""
	}

	return both
}

// text returns one line, such as "search: the most clients with p99 <= 5ms: old 64, new 32, 0.500x
// REGRESSION".
func (s *Sought) text() string {
	show := func(n float64) string { return Thousands(int64(n)) }
	if s.Of == ofRate {
		show = perSecond
	}
	result := func(found float64, b *Bracket) string {
		if found == 0 && b != nil && b.Low > 0 {
			return "undecided" + b.text(show)
		}

		return show(found) + b.text(show)
	}
	line := fmt.Sprintf("search: %s with %s: old %s, new %s", mostOf(s.Of), oneLineOf(s.Bound),
		result(s.Old, s.OldBracket), result(s.New, s.NewBracket))
	if s.Old > 0 && (s.New > 0 || s.NewBracket == nil || s.NewBracket.Low == 0) {
		line += ", " + stats.Times(s.New/s.Old)
	}
	if s.Regressed {
		line += "  REGRESSION"
	}

	return line
}

// text formats the bracket to follow the result, such as " (8 to 10)"; "" if unknown.
func (b *Bracket) text(show func(float64) string) string {
	switch {
	case b == nil:
		return ""
	case b.High == 0:
		return fmt.Sprintf(" (%s or more)", show(b.Low))
	}

	return fmt.Sprintf(" (%s to %s)", show(b.Low), show(b.High))
}

func mostOf(of string) string {
	if of == ofRate {
		return "the highest rate"
	}

	return "the most clients"
}
