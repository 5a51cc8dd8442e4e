package gate

import (
	"fmt"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// summaryFigures are the figures shown with their spread between runs.
var summaryFigures = []*report.Figure{report.FigureOf("ops_per_second"), report.FigureOf("p99")} //nolint:gochecknoglobals // a table

// String describes the recorded runs, the machine, the spread, and the smallest detectable change.
func (b *Baseline) String() string {
	last := b.Runs[len(b.Runs)-1]
	text := fmt.Sprintf("baseline of %s: %s of %s, on %s (%s, %s)", b.Scenario, report.Plural(len(b.Runs), "run"),
		report.Plural(len(b.keys()), "step"), last.Host.CPU, report.Plural(last.Host.Cores, "core"), last.Host.OS)
	if needed := stats.FewestRuns - len(b.Runs); needed > 0 {
		return fmt.Sprintf("%s; it takes %s to judge by it", text, report.Plural(needed, "more run"))
	}
	var lines strings.Builder
	for _, key := range b.keys() {
		var parts []string
		for _, f := range summaryFigures {
			values, _, doubt := b.values(key, f)
			if len(values) == 0 || doubt != "" {
				continue
			}
			e, err := stats.Another(values, report.Median(values), 1-report.DefaultAlpha)
			if err != nil {
				continue
			}
			parts = append(parts, fmt.Sprintf("%s differs by %s, a gate could see %s",
				f.Name, stats.Percent(e.Deviation()), stats.Percent(e.Visible())))
		}
		if len(parts) > 0 {
			lines.WriteString("\n  " + StepName(key) + ": " + strings.Join(parts, "; "))
		}
	}

	return text + lines.String()
}
