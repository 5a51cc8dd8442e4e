package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type fact struct{ Name, Text string }

type facts struct {
	Title string
	Facts []fact
}

func factsOf(r *report.Report) []facts {
	h := r.Host
	host := facts{Title: "Host of k6"}
	host.add("processor", h.CPU)
	if h.Cores > 0 {
		host.add("cores", report.Thousands(int64(h.Cores)))
	}
	if h.MemBytes > 0 {
		host.add("memory", bytesText(h.MemBytes))
	}
	host.add("system", h.OS)
	for _, f := range r.Fingerprint.Facts() {
		host.add(f.Name, f.Text)
	}

	run := facts{Title: "Run"}
	run.add("scenario", r.Scenario)
	run.add("started", startedText(r.Started))
	run.add("k6", r.K6)
	run.add("command", r.Command)
	run.add("schema", r.Schema)

	target := facts{Title: "Target"}
	target.addAll(r.Target, "kind", "version", "driver", "url")
	params := facts{Title: "Parameters"}
	params.addAll(r.Params)

	return slices.DeleteFunc([]facts{target, host, run, params}, func(f facts) bool { return len(f.Facts) == 0 })
}

func (f *facts) add(name, text string) {
	if text != "" {
		f.Facts = append(f.Facts, fact{name, text})
	}
}

// addAll adds the values sorted by name, after those in first.
func (f *facts) addAll(values map[string]any, first ...string) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(name string) bool { return slices.Contains(first, name) })
	for _, name := range append(first, names...) {
		if v, known := values[name]; known {
			f.add(name, report.PlainText(v))
		}
	}
}

func startedText(t time.Time) string {
	if t.IsZero() {
		return ""
	}

	return t.Format("2006-01-02 15:04:05 MST")
}

// publishedTable has the published figures: a row for each number of clients, a column for each
// series.
type publishedTable struct {
	Series []publishedSeries
	Table  table
}

type publishedSeries struct{ Letter, Label, Op, Machine, Source string }

func publishedTableOf(r *report.Report) publishedTable {
	t := publishedTable{Table: table{ID: "published-table", Caption: "ops/s as published", Columns: []column{{Name: "clients"}}}}
	rows := map[int][]cell{}
	for i, one := range r.Published {
		t.Series = append(t.Series, publishedSeries{letter(i), one.Label, one.Op, cmp.Or(one.Machine, "not told"), strings.TrimSpace(one.Source)})
		t.Table.Columns = append(t.Table.Columns, column{Name: letter(i), Tip: one.Label})
		for _, point := range one.Points {
			cells := rows[point.Clients]
			if cells == nil {
				cells = append(cells, cell{Text: fmt.Sprint(point.Clients), Head: true, Class: "n"})
				cells = append(cells, slices.Repeat([]cell{{Text: "–", Class: "n"}}, len(r.Published))...)
				rows[point.Clients] = cells
			}
			cells[i+1].Value, cells[i+1].Text = exact(point.OpsPerSecond), rate(point.OpsPerSecond)
		}
	}
	for _, clients := range slices.Sorted(maps.Keys(rows)) {
		t.Table.add(rows[clients]...)
	}

	return t
}
