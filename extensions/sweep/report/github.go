package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Limits that keep a summary below 60 lines.
const (
	mostGatesShown = 12
	mostRowsShown  = 24
	mostPlotsShown = 6
)

// GitHub renders a summary of at most 60 lines for a pull request: the verdict, gates that did not
// hold, plots as text, and the folded table. It is GitHub's Markdown, for $GITHUB_STEP_SUMMARY or a
// comment; GitLab shows it as well.
func (r *Report) GitHub() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s %s\n\n", r.verdictMark(), Escape(r.Scenario)+": "+r.verdictLine())
	r.writeGates(&b)
	r.writeDuets(&b)
	r.writePlots(&b)
	r.writeFoldedTable(&b)
	fmt.Fprintf(&b, "\n%s. Page with plots: %s among the run's files.\n", r.setting(), codeSpan(r.Scenario+".html"))

	return b.String()
}

func (r *Report) notHeld() []Verdict {
	return slices.DeleteFunc(slices.Clone(r.Gates), func(v Verdict) bool { return v.Outcome == stats.Held })
}

func (r *Report) flawed() (incomplete, failed int) {
	for i := range r.Steps {
		if !r.Steps[i].Complete {
			incomplete++
		}
		if r.Steps[i].Failed > 0 {
			failed++
		}
	}

	return incomplete, failed
}

func (r *Report) verdictMark() string {
	incomplete, failed := r.flawed()
	_, outcome := GatesText(r.Gates)
	switch {
	case outcome != stats.Held || r.Interrupted || incomplete > 0 || len(r.Steps) == 0:
		return ":x:"
	case failed > 0 || len(r.Gates) == 0 || len(r.notHeld()) > 0:
		return ":information_source:"
	}

	return ":white_check_mark:"
}

func (r *Report) verdictLine() string {
	var parts []string
	if text, _ := GatesText(r.Gates); len(r.Gates) > 0 {
		parts = append(parts, text)
	} else {
		parts = append(parts, "no gates")
	}
	incomplete, failed := r.flawed()
	if r.Interrupted {
		parts = append(parts, "the run was interrupted")
	}
	if len(r.Steps) == 0 {
		parts = append(parts, "no step was measured")
	}
	if incomplete > 0 {
		parts = append(parts, Plural(incomplete, "row")+" incomplete")
	}
	if failed > 0 {
		parts = append(parts, Plural(failed, "row")+" with failed operations")
	}

	return strings.Join(parts, ", ")
}

// writeGates writes the gates that did not hold, and the smallest change that each other gate would
// detect.
func (r *Report) writeGates(b *strings.Builder) {
	shown := slices.DeleteFunc(slices.Clone(r.Gates), func(v Verdict) bool { return v.Outcome == stats.Held && v.Visible == 0 })
	slices.SortStableFunc(shown, func(x, y Verdict) int { return cmp.Compare(x.rank(), y.rank()) })
	for i := range shown[:min(len(shown), mostGatesShown)] {
		v := &shown[i]
		outcome := string(v.Outcome)
		if !v.Held {
			outcome = "**" + outcome + "**"
		}
		fmt.Fprintf(b, "- %s %s: %s\n", outcome, codeSpan(v.Gate), Escape(v.Explained()))
	}
	endList(b, len(shown), mostGatesShown)
}

// endList ends a list of n entries, of which most are shown.
func endList(b *strings.Builder, n, most int) {
	if n > most {
		fmt.Fprintf(b, "- and %d more\n", n-most)
	}
	if n > 0 {
		b.WriteString("\n")
	}
}

const mostDuetsShown = 8

func (r *Report) writeDuets(b *strings.Builder) {
	lines := r.DuetLines()
	for _, line := range lines[:min(len(lines), mostDuetsShown)] {
		b.WriteString("- " + Escape(line) + "\n")
	}
	endList(b, len(lines), mostDuetsShown)
}

// writePlots writes ops/s and p99 by clients as one line for each kind of operation.
func (r *Report) writePlots(b *strings.Builder) {
	type kind struct{ op, variant string }
	var kinds []kind
	groups := map[kind][]Group{}
	for _, g := range r.Groups() {
		if g = g.Succeeded(); len(g.Steps) == 0 {
			continue
		}
		k := kind{g.Op, g.Variant}
		if groups[k] == nil {
			kinds = append(kinds, k)
		}
		groups[k] = append(groups[k], g)
	}
	written := 0
	for _, k := range kinds {
		if len(groups[k]) < 2 { // one value is no plot
			continue
		}
		if written == mostPlotsShown {
			break
		}
		if written == 0 {
			b.WriteString("```text\n")
		}
		written++
		writePlot(b, k.op+" "+k.variant, groups[k])
	}
	if written > 0 {
		b.WriteString("```\n\n")
	}
}

func writePlot(b *strings.Builder, name string, groups []Group) {
	slices.SortStableFunc(groups, func(x, y Group) int {
		return cmp.Or(cmp.Compare(x.Rate, y.Rate), cmp.Compare(x.Clients, y.Clients))
	})
	ops, p99 := make([]float64, len(groups)), make([]float64, len(groups))
	for i := range groups {
		ops[i] = Median(groups[i].Values(opsOf))
		p99[i] = Median(groups[i].Values(func(s *Step) float64 { return s.Latency.P99 }))
	}
	first, last := &groups[0], &groups[len(groups)-1]
	axis := fmt.Sprintf("%d to %s", first.Clients, Plural(last.Clients, "client"))
	if first.Rate != 0 {
		axis = fmt.Sprintf("%s to %s", perSecond(first.Rate), perSecond(last.Rate))
	}
	// The name comes last: at the start of a line it could end the block.
	fmt.Fprintf(b, "ops/s %s up to %s, p99 %s up to %s: %s, %s\n",
		blocks(ops), opsPerSecond(slices.Max(ops)), blocks(p99), Millis(slices.Max(p99)), strings.TrimSpace(oneLineOf(name)), axis)
}

// blocks draws the values as one bar character each, scaled to the largest.
func blocks(values []float64) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	largest := slices.Max(values)
	line := make([]rune, len(values))
	for i, v := range values {
		at := 0
		if largest > 0 {
			at = min(int(v/largest*float64(len(bars))), len(bars)-1)
		}
		line[i] = bars[at]
	}

	return string(line)
}

func (r *Report) writeFoldedTable(b *strings.Builder) {
	shown := r.withTotals()
	rows := min(len(shown.Steps), mostRowsShown)
	if rows == 0 {
		return
	}
	title := Plural(rows, "row")
	if more := len(shown.Steps) - rows; more > 0 {
		title = fmt.Sprintf("%d of %s", rows, Plural(len(shown.Steps), "row"))
	}
	fmt.Fprintf(b, "<details><summary>Table, %s</summary>\n\n", title)
	writeTable(b, shown.columns(), rows)
	b.WriteString("\n</details>\n")
}

func (r *Report) setting() string {
	var parts []string
	for _, key := range []string{"kind", "version", "driver"} {
		if value, is := r.Target[key].(string); is && value != "" {
			parts = append(parts, value)
		}
	}
	target := strings.Join(parts, " ")
	host := strings.TrimSpace(fmt.Sprintf("%s, %s", r.Host.CPU, Plural(r.Host.Cores, "core")))
	known := slices.DeleteFunc([]string{target, "k6 " + r.K6, strings.TrimPrefix(host, ", ")}, func(s string) bool { return s == "" })

	return Escape(strings.Join(known, "; "))
}
