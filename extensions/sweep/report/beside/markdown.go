package beside

import (
	"fmt"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Markdown renders the comparison: differences, a summary of each run, and a table for each figure.
func (c *Comparison) Markdown() string {
	var b strings.Builder
	names := make([]string, len(c.Runs))
	for i, run := range c.Runs {
		names[i] = report.Escape(run.Name)
	}
	fmt.Fprintf(&b, "# %s\n", strings.Join(names, " beside "))
	for _, w := range c.Warnings {
		fmt.Fprintf(&b, "\n**%s** %s.\n", report.Escape(w.Run), report.Escape(w.Text))
	}
	b.WriteString("\n")
	for i := 1; i < len(c.Runs); i++ {
		fmt.Fprintf(&b, "- **%s**: %s\n", names[i], report.Escape(c.Summary(i)))
	}
	b.WriteString("\nWhat differs:\n\n")
	if len(c.Facts) == 0 {
		b.WriteString("nothing that the reports know of.\n")
	} else {
		header(&b, append([]string{"fact"}, names...), 1)
	}
	for _, f := range c.Facts {
		row := []string{report.Escape(f.Name)}
		for _, v := range f.Values {
			row = append(row, dash(report.Escape(v)))
		}
		line(&b, row)
	}
	for n := range FigureKeys {
		c.figureTable(&b, n, names)
	}
	b.WriteString("\n" + report.Escape(c.Judged()) + "\n")
	if reasons := c.Reasons(); len(reasons) > 0 {
		b.WriteString("\n")
		for _, reason := range reasons {
			b.WriteString("- ? " + report.Escape(reason) + "\n")
		}
	}

	return b.String()
}

func (c *Comparison) figureTable(b *strings.Builder, n int, names []string) {
	figure := report.FigureOf(FigureKeys[n])
	fmt.Fprintf(b, "\n%s\n\n", figure.Name)
	columns := make([]string, 0, 2*len(names))
	columns = append(columns, "step", names[0])
	for _, name := range names[1:] {
		columns = append(columns, name, name+" / "+names[0])
	}
	header(b, columns, 1)
	for i := range c.Steps {
		row := []string{report.Escape(c.Steps[i].Name())}
		for j := range c.Runs {
			cell := &c.Steps[i].Figures[n].Cells[j]
			row = append(row, cell.Value(figure))
			if j > 0 {
				row = append(row, cell.Text())
			}
		}
		line(b, row)
	}
}

// Value formats the median; "-" if it is missing.
func (c *Cell) Value(f *report.Figure) string {
	if c.N == 0 {
		return "-"
	}

	return f.Show(c.Median)
}

// header writes the head of a table; the first columns are texts.
func header(b *strings.Builder, columns []string, texts int) {
	line(b, columns)
	rule := make([]string, len(columns))
	for i := range rule {
		if rule[i] = "---:"; i < texts {
			rule[i] = "---"
		}
	}
	line(b, rule)
}

func line(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func dash(text string) string {
	if text == "" {
		return "-"
	}

	return text
}
