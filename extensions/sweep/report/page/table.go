package page

import (
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type table struct {
	ID, Caption string
	Class       string
	Summary     string // of the fold; empty if the table is not folded
	Columns     []column
	Rows        []row
	Notes       []string
}

type column struct {
	Name string
	Text bool // aligned as text; else as figures
	Tip  string
}

// row is a row of cells. The attributes identify a step for programs.
type row struct {
	Class                     string
	Clients, Repeat, Op, Rate string
	Cells                     []cell
}

// cell shows a value. Key is its path in the report's JSON, Value its exact form.
type cell struct {
	Key, Value, Text string
	Class            string
	Head             bool // names the row
	Tip              string
}

func head(text string) cell { return cell{Text: text, Head: true} }

func (t *table) add(cells ...cell) { t.Rows = append(t.Rows, row{Cells: cells}) }

func stepsTable(s *sweep) table {
	r := s.report
	t := table{ID: "steps", Caption: caption("The steps", r, report.P50, report.P99)}
	if note := r.PlusMinusNote(); note != "" {
		t.Caption = strings.TrimSuffix(t.Caption, ".") + ". " + note
	}
	t.fill(s, slices.Concat(versionColumn(r), []tabular{scenarioColumn(r)}, identity(s), publishedColumns(r), plusMinus(r), limitedBy(r)))

	return t
}

func detailsTable(s *sweep) table {
	t := table{ID: "details", Caption: caption("More of the same steps", s.report, report.P90, report.P95, report.P999)}
	slowest := latencyColumn("max")
	slowest.Name = "slowest"
	columns := slices.Concat(named(s), []tabular{
		figureOf("ops", "ops", report.Thousands),
		figureOf("step time", "seconds", span),
		latencyColumn("mean"),
		latencyColumn("p90"),
		latencyColumn("p95"),
		latencyColumn("p999"),
		slowest,
	}, traffic(s.report), []tabular{
		figureOf("CPU of k6", "cpuSeconds.k6", span),
		figureOf("CPU of server", "cpuSeconds.server", span),
	})
	if s.byRate {
		columns = append(columns, figureOf("never started", "extra.unstarted", count))
	}
	t.fill(s, columns)

	return t
}

// traffic returns the columns of rows and bytes that the run's clients counted. Few clients do.
func traffic(r *report.Report) (columns []tabular) {
	for _, t := range []tabular{
		figureOf("rows", "rows", count), figureOf("sent", "bytesSent", bytesText), figureOf("received", "bytesReceived", bytesText),
	} {
		if slices.ContainsFunc(r.Steps, func(s report.Step) bool { return t.cell(&s).Value != "0" }) {
			columns = append(columns, t)
		}
	}

	return columns
}

// partsTable has what only some steps have, such as an open loop. It is nil without any.
func partsTable(s *sweep) *table {
	columns := someSteps(s.report)
	if len(columns) == 0 {
		return nil
	}
	t := &table{ID: "parts", Caption: "Figures that only some steps have"}
	t.fill(s, slices.Concat(named(s), columns))

	return t
}

func named(s *sweep) []tabular {
	if len(s.series) <= 1 {
		return identity(s)
	}
	operation := tabular{column{Name: "operation", Text: true}, func(s *report.Step) cell {
		text := report.NameOf(s.Op)
		if variant := s.Key().Variant; variant != "" {
			text += ", " + report.NameOf(variant)
		}

		return cell{Key: "op", Value: s.Op, Text: text, Class: nameClass(text)}
	}}

	return append([]tabular{operation}, identity(s)...)
}

// notOfScripts are the columns that k6's samples cannot fill.
var notOfScripts = []string{ //nolint:gochecknoglobals // a constant
	"Ver", "per client", "min client", "max client", "avg client", "rows", "sent", "received", "CPU of k6", "CPU of server",
}

func caption(text string, r *report.Report, shown ...report.Percentile) string {
	if note := report.SupportNote(r.Steps, shown...); note != "" {
		return text + ". " + note
	}

	return text
}

func (t *table) fill(s *sweep, columns []tabular) {
	if s.report.Script != nil {
		columns = slices.DeleteFunc(columns, func(c tabular) bool { return slices.Contains(notOfScripts, c.Name) })
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.column)
	}
	for _, step := range s.report.WithTotals() {
		r := row{Clients: exact(step.Clients), Repeat: exact(step.Repeat), Op: step.Op, Rate: exact(step.Rate)}
		if !step.Complete || step.Failed > 0 {
			r.Class = "doubtful"
		}
		for _, c := range columns {
			one := c.cell(step)
			if one.Class == "" && !c.Text {
				one.Class = "n"
			} else if !c.Text {
				one.Class = "n " + one.Class
			}
			r.Cells = append(r.Cells, one)
		}
		t.Rows = append(t.Rows, r)
	}
}
