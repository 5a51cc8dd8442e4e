package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// columns are those of the table that the store's authors publish, followed by what they leave out.
var columns = []string{ //nolint:gochecknoglobals // a constant
	"Ver", "scenario", "clients", "per client", "ops/s", "min client", "max client", "avg client", "p50", "p99", "failed",
}

// leftAligned is the number of columns that hold text; the others hold figures and are aligned to the right.
const leftAligned = 2

// Markdown renders the published table: one line a step, columns padded so that it reads well as plain text too.
func (r *Report) Markdown() string {
	rows := make([][]string, 0, len(r.Steps))
	for i := range r.Steps {
		rows = append(rows, r.row(i))
	}

	var b strings.Builder
	writeTable(&b, columns, rows)
	for _, note := range r.notes() {
		b.WriteString("\n" + note + "\n")
	}

	return b.String()
}

func (r *Report) row(i int) []string {
	s := &r.Steps[i]
	version, name := "", ""
	if i == 0 {
		version, _ = r.Target["version"].(string)
	}
	if i == 0 || s.Op != r.Steps[i-1].Op {
		name = r.Scenario
		if s.Op != r.Scenario {
			name += " " + s.Op
		}
	}
	perClient := "-"
	if s.PerClient != 0 {
		perClient = Thousands(int64(s.PerClient))
	}
	clients := strconv.Itoa(s.Clients)
	if !s.Complete {
		clients += " (incomplete)"
	}

	return []string{
		version, name, clients, perClient, Thousands(int64(math.Round(s.OpsPerSecond))) + "/s",
		Span(s.Client.Min), Span(s.Client.Max), Span(s.Client.Avg),
		Millis(s.Latency.P50), Millis(s.Latency.P99), Thousands(int64(s.Failed)),
	}
}

// notes are the sentences under the table: all that a reader must know before believing a row.
func (r *Report) notes() []string {
	var notes []string
	last := len(r.Steps) - 1
	if r.Interrupted {
		missing := "The run was interrupted: steps that are missing were not done."
		if last >= 0 && !r.Steps[last].Complete {
			missing = "The run was interrupted: the last step shown, and those that are missing, were not done."
		}
		notes = append(notes, missing)
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if i > 0 && sameStep(&r.Steps[i-1], s) {
			continue // another kind of operation: the notes are the whole step's
		}
		clients := plural(s.Clients, "client")
		if s.Repeat > 1 {
			clients += fmt.Sprintf(" (repeat %d)", s.Repeat)
		}
		if !s.Complete && (!r.Interrupted || !sameNumbers(s, &r.Steps[last])) {
			notes = append(notes, fmt.Sprintf("The step of %s is incomplete: not every client did its whole share.", clients))
		}
		for _, text := range measure.MostFrequent(s.Extra.Errors) {
			line := strings.Join(strings.Fields(text), " ")
			notes = append(notes, fmt.Sprintf("%s: %s x %s", clients, Thousands(int64(s.Extra.Errors[text])), line))
		}
	}

	return notes
}

// sameStep tells whether b, which comes next, is of the same step as a: the kinds of operations of a step are sorted.
func sameStep(a, b *Step) bool {
	return sameNumbers(a, b) && a.Op < b.Op
}

func sameNumbers(a, b *Step) bool { return a.Clients == b.Clients && a.Repeat == b.Repeat }

func writeTable(b *strings.Builder, header []string, rows [][]string) {
	widths := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell), len("---"))
		}
	}

	line := func(cells []string) {
		for i, cell := range cells {
			if i < leftAligned {
				fmt.Fprintf(b, "| %-*s ", widths[i], cell)
			} else {
				fmt.Fprintf(b, "| %*s ", widths[i], cell)
			}
		}
		b.WriteString("|\n")
	}
	line(header)
	for i, w := range widths {
		if i < leftAligned {
			b.WriteString("|" + strings.Repeat("-", w+2))
		} else {
			b.WriteString("|" + strings.Repeat("-", w+1) + ":")
		}
	}
	b.WriteString("|\n")
	for _, row := range rows {
		line(row)
	}
}

// Span writes seconds as the published tables do: "12.5s", "1m 9s"; below ten seconds with milliseconds.
func Span(seconds float64) string {
	switch {
	case seconds < 9.9995: // what is shown as less than ten
		return strconv.FormatFloat(seconds, 'f', 3, 64) + "s"
	case seconds < 59.95:
		return strconv.FormatFloat(seconds, 'f', 1, 64) + "s"
	}
	d := time.Duration(math.Round(seconds)) * time.Second

	return fmt.Sprintf("%dm%2ds", int(d.Minutes()), int(d.Seconds())%60)
}

// Millis writes milliseconds with at least three digits: "0.178ms", "12.5ms", "1234ms".
func Millis(ms float64) string {
	digits := 0
	switch {
	case ms < 9.9995:
		digits = 3
	case ms < 99.95:
		digits = 1
	}

	return strconv.FormatFloat(ms, 'f', digits, 64) + "ms"
}

// Thousands writes a whole number with commas: "10,000".
func Thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}

	return s
}

// plural writes "1 client" and "8 clients".
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}

	return fmt.Sprintf("%d %s", n, noun)
}
