package page

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

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
