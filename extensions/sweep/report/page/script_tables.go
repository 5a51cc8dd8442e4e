package page

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type scriptTable struct {
	ID, Title string
	Columns   []scriptColumn
	Rows      [][]cell
	Notes     []string
}

type scriptColumn struct {
	column
	Better string
}

func scriptTables(r *report.Report) []scriptTable {
	tables := r.AllTables()
	out := make([]scriptTable, len(tables))
	for i := range tables {
		t := &tables[i]
		out[i] = scriptTable{ID: fmt.Sprintf("table-%d", i+1), Title: t.Title, Notes: t.Notes}
		for j := range t.Columns {
			c := scriptColumn{column: column{Name: t.Columns[j].Heading(), Text: t.IsText(j)}}
			if better := t.Columns[j].Better; better != "" {
				c.Better = better + " is better"
			}
			out[i].Columns = append(out[i].Columns, c)
		}
		for _, row := range t.Rows {
			cells := make([]cell, len(row))
			for j, v := range row {
				cells[j] = cell{Value: exact(v), Text: t.Columns[j].Show(v)}
				if v == nil {
					cells[j].Text = "–"
				}
				if !out[i].Columns[j].Text {
					cells[j].Class = "n"
				}
			}
			out[i].Rows = append(out[i].Rows, cells)
		}
	}

	return out
}
