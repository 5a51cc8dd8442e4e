package page

import (
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
			f.add(name, plain(v))
		}
	}
}

func startedText(t time.Time) string {
	if t.IsZero() {
		return ""
	}

	return t.Format("2006-01-02 15:04:05 MST")
}

func found(s *report.Search) string {
	if s == nil {
		return ""
	}
	asked := fmt.Sprintf("the highest number of %s with %s, up to %s", s.Of, s.Bound, tickText(s.Max))
	if s.Of == "rate" {
		asked = fmt.Sprintf("the highest rate with %s, up to %s", s.Bound, rate(s.Max))
	}
	switch {
	case s.CannotTell():
		return fmt.Sprintf("The search was for %s: it is undecided.%s", asked, s.Sure())
	case s.Found == 0:
		return fmt.Sprintf("The search was for %s: not even the lowest keeps that bound.%s", asked, s.Sure())
	case s.Of == "rate":
		return fmt.Sprintf("The search was for %s: it is %s.%s", asked, rate(s.Found), s.Sure())
	}

	return fmt.Sprintf("The search was for %s: it is %s %s.%s", asked, tickText(s.Found), s.Of, s.Sure())
}

// publishedTable has the published figures: a row for each number of clients, a column for each
// series.
type publishedTable struct {
	Series []publishedSeries
	Rows   []publishedRow
}

type publishedSeries struct{ Letter, Label, Op, Machine, Source string }

type publishedRow struct {
	Clients int
	Cells   []cell // one for each series, may be empty
}

func publishedTableOf(r *report.Report) publishedTable {
	var t publishedTable
	var clients []int
	for i, one := range r.Published {
		machine := one.Machine
		if machine == "" {
			machine = "not told"
		}
		t.Series = append(t.Series, publishedSeries{letter(i), one.Label, one.Op, machine, strings.TrimSpace(one.Source)})
		for _, point := range one.Points {
			clients = append(clients, point.Clients)
		}
	}
	slices.Sort(clients)
	for _, n := range slices.Compact(clients) {
		r := publishedRowOf(r.Published, n)
		t.Rows = append(t.Rows, r)
	}

	return t
}

func publishedRowOf(published []report.Series, clients int) publishedRow {
	r := publishedRow{Clients: clients}
	for _, one := range published {
		c := cell{Text: "–"}
		for _, point := range one.Points {
			if point.Clients == clients {
				c = cell{Value: exact(point.OpsPerSecond), Text: rate(point.OpsPerSecond)}
			}
		}
		r.Cells = append(r.Cells, c)
	}

	return r
}
