package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
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

const maxErrors = 100

// failures returns the error texts of each step, most frequent first; nil without any.
func failures(s *sweep) *table {
	t := &table{
		ID: "errors-table", Class: "texts", Caption: "Why operations failed, the most frequent reason of each step first",
		Columns: []column{{Name: "step", Text: true}, {Name: "operation", Text: true}, {Name: "times"}, {Name: "error", Text: true}},
	}
	more := 0
	for i := range s.report.Steps {
		step := &s.report.Steps[i]
		name := s.name(step.Key())
		if s.repeated() {
			name += fmt.Sprintf(", repeat %d", step.Repeat)
		}
		for _, text := range measure.MostFrequent(step.Extra.Errors) {
			if len(t.Rows) == maxErrors {
				more++

				continue
			}
			t.add(head(name), cell{Text: step.Op, Class: "name"},
				cell{Text: count(step.Extra.Errors[text]), Class: "n"}, cell{Text: text, Class: "text"})
		}
	}
	if more > 0 {
		t.Notes = []string{fmt.Sprintf("%d more are in the JSON of the run.", more)}
	}
	if len(t.Rows) == 0 {
		return nil
	}

	return t
}

func scriptTables(r *report.Report) (tables []table) {
	for i, t := range r.AllTables() {
		out := table{ID: fmt.Sprintf("table-%d", i+1), Caption: t.Title, Notes: t.Notes}
		for j := range t.Columns {
			c := column{Name: t.Columns[j].Heading(), Text: t.IsText(j)}
			if better := t.Columns[j].Better; better != "" {
				c.Tip = better + " is better"
			}
			out.Columns = append(out.Columns, c)
		}
		for _, row := range t.Rows {
			cells := make([]cell, len(row))
			for j, v := range row {
				cells[j] = cell{Value: exact(v), Text: t.Columns[j].Show(v)}
				if v == nil {
					cells[j].Text = "–"
				}
				if !out.Columns[j].Text {
					cells[j].Class = "n"
				}
			}
			out.add(cells...)
		}
		tables = append(tables, out)
	}

	return tables
}

// slowTableOf returns nil if they are unknown. It omits columns that were not measured.
func slowTableOf(name string, s *report.Step) *table {
	if len(s.Slowest) == 0 {
		return nil
	}
	t := &table{Summary: fmt.Sprintf("The %d slowest operations", len(s.Slowest)), Caption: "The slowest operations of " + name}
	if len(s.Slowest) == 1 {
		t.Summary = "The slowest operation"
	}
	t.Rows = make([]row, len(s.Slowest))
	add := func(name string, text func(*report.Slow) string) {
		t.Columns = append(t.Columns, column{Name: name})
		for i := range s.Slowest {
			t.Rows[i].Cells = append(t.Rows[i].Cells, cell{Text: text(&s.Slowest[i]), Class: "n"})
		}
	}
	add("began", func(s *report.Slow) string { return span(s.At) })
	add("client", func(s *report.Slow) string { return whole(s.Client) })
	add("took", func(s *report.Slow) string { return millis(s.Ms) })
	if slices.ContainsFunc(s.Slowest, func(s report.Slow) bool { return s.Waited > 0 }) {
		add("waited for a client", func(s *report.Slow) string { return millis(s.Waited) })
	}
	add("wire and server", away)
	if slices.ContainsFunc(s.Slowest, func(s report.Slow) bool { return s.Woken != nil }) {
		add("waited to be read", wokenText)
	}

	return t
}

// away returns an operation's time on the wire and at the server. It includes the wait in k6's
// socket if that is unknown.
func away(s *report.Slow) string {
	ms := s.Ms - s.Waited
	if s.Woken == nil {
		return "≤ " + millis(max(ms, 0))
	}

	return millis(max(ms-*s.Woken, 0))
}

func wokenText(s *report.Slow) string {
	if s.Woken == nil {
		return "–"
	}

	return millis(*s.Woken)
}

func slowText(s *report.Slow) string {
	parts := []string{fmt.Sprintf("%s, client %d, from %s on", millis(s.Ms), s.Client, span(s.At))}
	if s.Waited > 0 {
		parts = append(parts, "of which it waited "+millis(s.Waited)+" for a client")
	}
	if s.Woken != nil {
		parts = append(parts, "its answer waited "+millis(*s.Woken)+" to be read")
	}

	return strings.Join(parts, "; ")
}

// limitedBy is the last column: the bottleneck, with its evidence as the tip.
func limitedBy(r *report.Report) []tabular {
	if !r.HasWitness() {
		return nil
	}

	return []tabular{onceAStep(tabular{column{Name: "limited by", Text: true}, func(s *report.Step) cell {
		word := string(s.LimitedBy())

		return cell{Key: "witness.limitedBy", Value: word, Text: word, Tip: why(s)}
	}})}
}

// witnessTables returns a table of the bottleneck of each step, and a folded one of the evidence,
// which is wide.
func witnessTables(s *sweep) []table {
	if !s.report.HasWitness() {
		return nil
	}
	columns := slices.Concat(named(s), limitedBy(s.report))
	columns = append(columns, onceAStep(tabular{column{Name: "why", Text: true}, func(s *report.Step) cell {
		return cell{Key: "witness.why", Value: why(s), Text: why(s), Class: "text"}
	}}))
	limited := table{ID: "witness", Caption: "What limited the same steps"}
	limited.fill(s, columns)

	columns = named(s)
	for _, f := range witness.Figures {
		of := figureOf(f.Title, "witness.evidence."+f.Name, f.Show)
		if slices.ContainsFunc(s.report.Steps, func(s report.Step) bool { return of.cell(&s).Value != "null" }) {
			columns = append(columns, onceAStep(of))
		}
	}
	const title = "The evidence for what limited them"
	evidence := table{ID: "evidence", Caption: title, Summary: title}
	evidence.fill(s, columns)

	return []table{limited, evidence}
}

func why(s *report.Step) string {
	if s.Witness == nil {
		return ""
	}

	return s.Witness.Why
}
