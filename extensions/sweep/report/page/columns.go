package page

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type tabular struct {
	column
	cell func(s *report.Step) cell
}

// figureOf is a column of the values at a path of the step's JSON; a dash if a step has none.
func figureOf[T any](name, path string, text func(T) string) tabular {
	return tabular{column{Name: name}, func(s *report.Step) cell {
		if v, known := s.Value(path).(T); known {
			return cell{Key: path, Value: exact(v), Text: text(v)}
		}

		return cell{Key: path, Value: "null", Text: "–"}
	}}
}

// identity returns the columns that identify a step. One of them is the row's head.
func identity(s *sweep) []tabular {
	clients := figureOf("clients", "clients", whole)
	asked := figureOf("asked", "rate", rate)
	columns := []tabular{heading(clients)}
	if s.byRate {
		columns = []tabular{clients, heading(asked)}
	}
	if s.repeated() {
		columns = append(columns, figureOf("repeat", "repeat", whole))
	}

	return columns
}

func heading(t tabular) tabular { return changed(t, func(_ *report.Step, c *cell) { c.Head = true }) }

// changed is a column whose cells are changed.
func changed(t tabular, change func(*report.Step, *cell)) tabular {
	plain := t.cell
	t.cell = func(s *report.Step) cell {
		c := plain(s)
		change(s, &c)

		return c
	}

	return t
}

func whole(n int) string { return report.Thousands(int64(n)) }

func count(n uint64) string { return report.Thousands(int64(n)) }

// publishedColumns returns the published columns, then ours.
func publishedColumns(r *report.Report) []tabular {
	perClient := onceAStep(tabular{column{Name: "per client"}, func(s *report.Step) cell {
		c := cell{Key: "perClient", Value: exact(s.PerClient)}
		if s.Op == report.TotalOp || !r.HasTotal(s) {
			c.Text = strings.Replace(s.Share(), "-", "–", 1)
		}

		return c
	}})
	failed := changed(figureOf("failed", "failed", count), func(s *report.Step, c *cell) {
		if s.Failed > 0 {
			c.Class = "bad"
		}
	})

	return []tabular{
		perClient,
		figureOf("ops/s", "opsPerSecond", rate),
		clientTime("min"),
		clientTime("max"),
		clientTime("avg"),
		latencyColumn("p50"),
		latencyColumn("p99"),
		failed,
		{column{Name: "state", Text: true}, state},
	}
}

func clientTime(name string) tabular {
	return changed(figureOf(name+" client", "client."+name, span), func(s *report.Step, c *cell) {
		if !s.HasClientTimes() {
			c.Text = "–"
		}
	})
}

// onceAStep fills only the first row of a step.
func onceAStep(t tabular) tabular {
	var above *report.Step

	return changed(t, func(s *report.Step, c *cell) {
		if above != nil && report.SameStep(above, s) {
			c.Text = ""
		}
		above = s
	})
}

// latencyColumn is empty without a successful operation. A percentile that rests on few operations
// is in parentheses.
func latencyColumn(key string) tabular {
	f := report.FigureOf(key)

	return changed(figureOf(f.Name, f.JSON, millis), func(s *report.Step, c *cell) {
		if s.Operations == 0 {
			c.Text = "–"
		} else if f.Percentile != 0 {
			c.Text = f.Percentile.Show(c.Text, s.Timings())
		}
	})
}

func state(s *report.Step) cell {
	var parts []string
	if flaw := s.Flaw(); flaw != "" {
		parts = append(parts, flaw)
	}
	if s.Failed > 0 {
		parts = append(parts, "failed operations")
	}
	if s.StoodStill() != "" {
		parts = append(parts, "stood still")
	}
	c := cell{Key: "complete", Value: exact(s.Complete), Text: "complete"}
	if len(parts) > 0 {
		c.Text, c.Class = strings.Join(parts, ", "), "bad"
	}

	return c
}

// versionColumn has the version, if known, in the first row only, as in the published table.
func versionColumn(r *report.Report) []tabular {
	version, _ := r.Target["version"].(string)
	if version == "" {
		return nil
	}

	return []tabular{{column{Name: "Ver", Text: true}, func(s *report.Step) cell {
		c := cell{Key: "target.version", Value: version}
		if s == &r.Steps[0] {
			c.Text, c.Class = version, nameClass(version)
		}

		return c
	}}}
}

// scenarioColumn is filled if scenario or kind of operation changed from the row above.
func scenarioColumn(r *report.Report) tabular {
	var above *report.Step
	return tabular{column{Name: "scenario", Text: true}, func(s *report.Step) cell {
		c := cell{Key: "op", Value: s.Op}
		same := above != nil && above.Op == s.Op && above.Variant == s.Variant
		above = s
		if same {
			return c
		}
		c.Text = r.Scenario
		if variant := s.Key().Variant; variant != "" {
			c.Text += " " + report.NameOf(variant)
		}
		if s.Op != r.Scenario {
			c.Text += " " + report.NameOf(s.Op)
		}
		c.Class = nameClass(c.Text)

		return c
	}}
}

func nameClass(name string) string {
	if utf8.RuneCountInString(name) > maxUnbroken {
		return "name"
	}

	return ""
}

// maxUnbroken is the longest name without line breaks, in letters.
const maxUnbroken = 40

// tail is the name of the column with the time after the measured phase.
const tail = "tail"

// optionals are columns that are shown if a step has a value.
var optionals = []tabular{ //nolint:gochecknoglobals // a constant
	figureOf("ops/s of all clients", "allClients.opsPerSecond", rate),
	figureOf(tail, "window.tailSeconds", span),
	figureOf("achieved", "openLoop.achievedRate", rate),
	figureOf("longest queue", "openLoop.longestQueue", count),
	figureOf("lateness p99", "openLoop.latenessMs.p99", millis),
	{column{Name: "standstill"}, standstill},
	figureOf("client wait", "clientWaitMs.mean", millis),
	figureOf("client wait p99", "clientWaitMs.p99", millis),
	figureOf("requests p50", "requestMs.p50", millis),
	figureOf("requests p99", "requestMs.p99", millis),
	figureOf("failed p50", "failedLatencyMs.p50", millis),
	figureOf("failed p99", "failedLatencyMs.p99", millis),
}

func standstill(s *report.Step) cell {
	c := cell{Key: "standstill.longestMs", Value: "null", Text: "–"}
	if s.StoodStill() != "" {
		c.Value, c.Text = exact(s.Standstill.LongestMs), millis(s.Standstill.LongestMs)
	}

	return c
}

func counted(r *report.Report) (columns []tabular) {
	names := map[string]bool{}
	for i := range r.Steps {
		for name := range r.Steps[i].Extra.Counters {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		columns = append(columns, tabular{column{Name: name}, func(s *report.Step) cell {
			c := cell{Key: "extra.counters." + name, Value: "null", Text: "–"}
			if n, there := s.Extra.Counters[name]; there {
				c.Value, c.Text = exact(n), count(n)
			}

			return c
		}})
	}

	return columns
}

// someSteps returns the optional columns that a step makes worth showing: a tail has to last.
func someSteps(r *report.Report) []tabular {
	return slices.DeleteFunc(slices.Concat(optionals, counted(r)), func(t tabular) bool {
		return !slices.ContainsFunc(r.Steps, func(s report.Step) bool {
			c := t.cell(&s)

			return c.Text != "–" && (t.Name != tail || c.Text != span(0))
		})
	})
}
