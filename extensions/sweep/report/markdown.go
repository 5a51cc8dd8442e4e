package report

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

type column struct {
	title string
	text  bool // aligned left; figures are aligned right
	cell  func(row int) string
}

// Markdown renders the table, padded to read well as plain text. Above it are the results: of a
// search, duets and gates. Below it come the medians of repeated steps, notes, and the tables of
// the script.
func (r *Report) Markdown() string {
	var b strings.Builder
	for _, answer := range r.answers() {
		b.WriteString(answer + "\n\n")
	}
	shown := r.Named().withTotals()
	writeTable(&b, shown.columns(), len(shown.Steps))
	if note := SupportNote(r.Steps, P50, P99); note != "" {
		b.WriteString("\n" + note + "\n")
	}
	if note := r.PlusMinusNote(); note != "" {
		b.WriteString("\n" + note + "\n")
	}
	shown.writeMedians(&b)
	for _, note := range r.Named().notes() {
		b.WriteString("\n" + note + "\n")
	}
	r.writeTables(&b)

	return b.String()
}

// answers returns the results of a search, duets and gates, a paragraph each.
func (r *Report) answers() (answers []string) {
	if r.Search != nil {
		answers = append(answers, Escape(r.SearchNote()))
	}
	for _, line := range r.DuetLines() {
		answers = append(answers, Escape(line))
	}
	if text, outcome := GatesText(r.Gates); len(r.Gates) > 0 && outcome != stats.Held {
		answers = append(answers, text+".")
	}

	return answers
}

// withTotals adds a total row for each step with several kinds of operations.
func (r *Report) withTotals() *Report {
	shown := *r
	shown.Steps = nil
	for _, s := range r.WithTotals() {
		shown.Steps = append(shown.Steps, *s)
	}

	return &shown
}

// columns returns the table's columns: first the published ones, then ours. Rate and repeat appear
// only if they distinguish steps.
func (r *Report) columns() []column {
	figure := func(title string, cell func(*Step) string) column {
		return column{title, false, func(i int) string { return cell(&r.Steps[i]) }}
	}

	columns := []column{{"scenario", true, r.scenarioCell}}
	if version, _ := r.Target["version"].(string); version != "" {
		columns = slices.Insert(columns, 0, column{"Ver", true, r.versionCell})
	}
	if r.hasRates() {
		columns = append(columns, figure("rate", func(s *Step) string { return rateCell(s.Rate) }))
	}
	columns = append(columns, figure("clients", clientsCell))
	if slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Repeat > 1 }) {
		columns = append(columns, figure("repeat", func(s *Step) string { return strconv.Itoa(s.Repeat) }))
	}

	opsColumn := figure("ops/s", func(s *Step) string { return opsPerSecond(s.OpsPerSecond) })
	if r.Script == nil {
		columns = append(columns,
			column{"per client", false, r.perClientCell},
			opsColumn,
			figure("min client", func(s *Step) string { return s.clientTime(s.Client.Min) }),
			figure("max client", func(s *Step) string { return s.clientTime(s.Client.Max) }),
			figure("avg client", func(s *Step) string { return s.clientTime(s.Client.Avg) }),
		)
	} else {
		columns = append(columns, opsColumn)
	}
	columns = append(columns,
		figure("p50", func(s *Step) string { return latencyCell(s, P50, s.Latency.P50) }),
		figure("p99", func(s *Step) string { return latencyCell(s, P99, s.Latency.P99) }),
		figure("failed", func(s *Step) string { return Thousands(int64(s.Failed)) }),
	)
	if slices.ContainsFunc(r.Steps, func(s Step) bool { return s.showsLateness() }) {
		columns = append(columns, figure("late p99", func(s *Step) string {
			if s.OpenLoop == nil {
				return "-"
			}

			return Millis(s.OpenLoop.Lateness.P99)
		}))
	}
	if slices.ContainsFunc(r.Steps, func(s Step) bool { return s.atItsLimit() }) {
		of := func(title string, cell func(*Step) string) column {
			return figure(title, func(s *Step) string {
				if s.OpenLoop == nil {
					return "-"
				}

				return cell(s)
			})
		}
		columns = append(columns,
			of("all busy", func(s *Step) string { return fmt.Sprintf("%.0f %%", 100*s.OpenLoop.AllBusy) }),
			of("queue", func(s *Step) string { return Thousands(int64(s.OpenLoop.LongestQueue)) }),
			of("service", func(s *Step) string { return Millis(s.serviceMs()) }),
		)
	}
	for _, f := range r.Bounded() {
		columns = append(columns, figure(f.Name+" ±", func(s *Step) string { return s.PlusMinus(f) }))
	}
	if r.HasWitness() {
		columns = append(columns, column{"limited by", true, r.limitedByCell})
	}

	return columns
}

// HasWitness reports whether a step has a bottleneck.
func (r *Report) HasWitness() bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Witness != nil })
}

// limitedByCell is filled in the first row of a step only.
func (r *Report) limitedByCell(i int) string {
	if i > 0 && SameStep(&r.Steps[i-1], &r.Steps[i]) {
		return ""
	}

	return string(r.Steps[i].LimitedBy())
}

func (r *Report) hasRates() bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Rate != 0 })
}

func (r *Report) versionCell(i int) string {
	if i > 0 {
		return ""
	}
	version, _ := r.Target["version"].(string)

	return version
}

func (r *Report) scenarioCell(i int) string {
	s := &r.Steps[i]
	name := r.Scenario
	if variant := s.Key().Variant; variant != "" {
		name += " " + NameOf(variant)
	}
	switch {
	case i > 0 && s.Op == r.Steps[i-1].Op && s.Variant == r.Steps[i-1].Variant:
		return ""
	case s.Op == r.Scenario:
		return name
	}

	return name + " " + NameOf(s.Op)
}

// clientTime formats a client's time.
func (s *Step) clientTime(seconds float64) string {
	if !s.HasClientTimes() {
		return "-"
	}

	return Span(seconds)
}

// HasClientTimes reports whether the times of clients are known. In a duet, clients have none for
// one variant alone.
func (s *Step) HasClientTimes() bool { return s.Variant == "" || s.Client.Max > 0 }

func clientsCell(s *Step) string {
	if !s.Complete {
		return strconv.Itoa(s.Clients) + " (incomplete)"
	}

	return strconv.Itoa(s.Clients)
}

// perClientCell is filled in the row of a step's total or, without one, in its first row.
func (r *Report) perClientCell(i int) string {
	if s := &r.Steps[i]; s.Op != TotalOp && (r.HasTotal(s) || i > 0 && SameStep(&r.Steps[i-1], s)) {
		return ""
	}

	return r.Steps[i].Share()
}

// Share formats the operations asked of each client or, with a tilde, those that the median client
// did in the step's time.
func (s *Step) Share() string {
	switch {
	case s.PerClient == 0 && s.Client.Ops.P50 > 0:
		return "~" + Thousands(s.Client.Ops.P50)
	case s.PerClient == 0:
		return "-"
	}

	return Thousands(int64(s.PerClient))
}

// latencyCell formats a percentile; a dash without successful operations.
func latencyCell(s *Step, p Percentile, ms float64) string {
	if s.Operations == 0 {
		return "-"
	}

	return p.Show(Millis(ms), s.Timings())
}

func rateCell(rate float64) string {
	if rate == 0 {
		return "-"
	}

	return perSecond(rate)
}

func opsPerSecond(rate float64) string { return Thousands(int64(math.Round(rate))) + "/s" }

func writeTable(b *strings.Builder, columns []column, rows int) {
	lines := make([][]string, 1+rows)
	widths := make([]int, len(columns))
	for i := range lines {
		lines[i] = make([]string, len(columns))
		for j, c := range columns {
			cell := c.title
			if i > 0 {
				cell = Escape(c.cell(i - 1))
			}
			lines[i][j] = cell
			widths[j] = max(widths[j], utf8.RuneCountInString(cell), len("---"))
		}
	}

	for i, line := range lines {
		for j, c := range columns {
			if c.text {
				fmt.Fprintf(b, "| %-*s ", widths[j], line[j])
			} else {
				fmt.Fprintf(b, "| %*s ", widths[j], line[j])
			}
		}
		b.WriteString("|\n")
		if i == 0 {
			writeRule(b, columns, widths)
		}
	}
}

func writeRule(b *strings.Builder, columns []column, widths []int) {
	for j, c := range columns {
		if c.text {
			b.WriteString("|" + strings.Repeat("-", widths[j]+2))
		} else {
			b.WriteString("|" + strings.Repeat("-", widths[j]+1) + ":")
		}
	}
	b.WriteString("|\n")
}

// oneLineOf replaces white space with single spaces, and removes characters that control terminals.
func oneLineOf(text string) string {
	visible := strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && !unicode.IsSpace(c) {
			return -1
		}

		return c
	}, text)

	return strings.Join(strings.Fields(visible), " ")
}

// writeMedians writes a table of the repeated steps with medians and their uncertainty. Repeats
// without a successful operation count for ops/s only.
func (r *Report) writeMedians(b *strings.Builder) {
	groups := slices.DeleteFunc(r.Groups(), func(g Group) bool { return len(g.Steps) < 2 })
	if len(groups) == 0 {
		return
	}
	if r.Search != nil {
		slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Or(cmp.Compare(a.Rate, b.Rate), cmp.Compare(a.Clients, b.Clients)) })
	}
	bySize := func(a, b Group) int { return len(a.Steps) - len(b.Steps) }
	fewest, most := len(slices.MinFunc(groups, bySize).Steps), len(slices.MaxFunc(groups, bySize).Steps)
	repeats := Plural(most, "repeat")
	if fewest != most {
		repeats = fmt.Sprintf("%d to %s", fewest, repeats)
	}
	fmt.Fprintf(b, "\nMedians of %s\n\n", repeats)
	writeTable(b, r.medianColumns(groups), len(groups))
	estimates := make([]Estimate, 0, len(groups))
	for i := range groups {
		estimates = append(estimates, NewEstimate(groups[i].Values(opsOf)))
	}
	if note := plusMinusNote(estimates); note != "" {
		b.WriteString("\n" + note + "\n")
	}
}

func opsOf(s *Step) float64 { return s.OpsPerSecond }

func plusMinusOf(values []float64) string {
	e := NewEstimate(values)

	return e.plusMinus()
}

func (r *Report) medianColumns(groups []Group) []column {
	of := func(row int, figure func(*Step) float64) []float64 { return groups[row].Values(figure) }
	latencies := func(row int, figure func(*Step) float64) []float64 {
		done := groups[row].Succeeded()

		return done.Values(figure)
	}
	p50 := func(s *Step) float64 { return s.Latency.P50 }
	p99 := func(s *Step) float64 { return s.Latency.P99 }

	var columns []column
	if r.hasRates() {
		columns = append(columns, column{"rate", false, func(i int) string { return rateCell(groups[i].Rate) }})
	}
	columns = append(columns, column{"clients", false, func(i int) string { return strconv.Itoa(groups[i].Clients) }})
	if slices.ContainsFunc(groups, func(g Group) bool { return g.Op != groups[0].Op }) {
		columns = append(columns, column{"op", true, func(i int) string { return groups[i].Op }})
	}
	if slices.ContainsFunc(groups, func(g Group) bool { return g.Variant != "" }) {
		columns = append(columns, column{"variant", true, func(i int) string { return groups[i].Variant }})
	}

	return append(columns,
		column{"ops/s", false, func(i int) string { return opsPerSecond(Median(of(i, opsOf))) }},
		column{"±", false, func(i int) string { return plusMinusOf(of(i, opsOf)) }},
		column{"p50", false, func(i int) string { return medianCell(&groups[i], P50, latencies(i, p50)) }},
		column{"p99", false, func(i int) string { return medianCell(&groups[i], P99, latencies(i, p99)) }},
		column{"±", false, func(i int) string { return plusMinusOf(latencies(i, p99)) }},
	)
}

// medianCell formats the median of a percentile, which rests on the operations of all repeats.
func medianCell(g *Group, p Percentile, values []float64) string {
	if len(values) == 0 {
		return "-"
	}

	return p.Show(Millis(Median(values)), g.Timings())
}

// markup matches what CommonMark and its tables interpret: special characters, and the start of a
// tag, a link in angle brackets, or an entity.
var markup = regexp.MustCompile("[\\\\`*\\[\\]|]|~~|<[A-Za-z/!?]|&[A-Za-z#]|_")

// Escape makes Markdown show a text from outside as it is. An underscore within a word needs no
// escape.
func Escape(text string) string {
	text = oneLineOf(text)
	var b strings.Builder
	last := 0
	for _, at := range markup.FindAllStringIndex(text, -1) {
		b.WriteString(text[last:at[0]])
		last = at[0]
		if text[last] != '_' || !withinWord(text, last) {
			b.WriteByte('\\')
		}
	}
	b.WriteString(text[last:])

	return b.String()
}

// withinWord reports whether the byte at an offset is between letters or digits.
func withinWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+1:])
	inWord := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

	return inWord(before) && inWord(after)
}

// codeSpan formats a text as code, so that it has no markup, links or mentions.
func codeSpan(text string) string {
	text = oneLineOf(text)
	fence, run := 1, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0

			continue
		}
		run++
		fence = max(fence, run+1)
	}
	mark := strings.Repeat("`", fence)
	if text == "" || strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}

	return mark + text + mark
}
