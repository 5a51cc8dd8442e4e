package page

import (
	"strings"
	"unicode/utf8"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type tabular struct {
	column
	cell func(s *report.Step) cell
}

func figureOf[T any](name, key string, value func(*report.Step) T, text func(T) string) tabular {
	return tabular{column{Name: name}, func(s *report.Step) cell {
		v := value(s)

		return cell{Key: key, Value: exact(v), Text: text(v)}
	}}
}

// identity returns the columns that identify a step. One of them is the row's head.
func identity(s *sweep) []tabular {
	clients := figureOf("clients", "clients", func(s *report.Step) int { return s.Clients }, whole)
	asked := figureOf("asked", "rate", func(s *report.Step) float64 { return s.Rate }, rate)
	columns := []tabular{heading(clients)}
	if s.byRate {
		columns = []tabular{clients, heading(asked)}
	}
	if s.repeated() {
		columns = append(columns, figureOf("repeat", "repeat", func(s *report.Step) int { return s.Repeat }, whole))
	}

	return columns
}

func heading(t tabular) tabular {
	plain := t.cell
	t.cell = func(s *report.Step) cell {
		c := plain(s)
		c.Head = true

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
	failed := figureOf("failed", "failed", func(s *report.Step) uint64 { return s.Failed }, count)
	plainFailed := failed.cell
	failed.cell = func(s *report.Step) cell {
		c := plainFailed(s)
		if s.Failed > 0 {
			c.Class = "bad"
		}

		return c
	}

	return []tabular{
		perClient,
		figureOf("ops/s", "opsPerSecond", opsPerSecond, rate),
		clientTime("min", func(c report.Clients) float64 { return c.Min }),
		clientTime("max", func(c report.Clients) float64 { return c.Max }),
		clientTime("avg", func(c report.Clients) float64 { return c.Avg }),
		latencyColumn("p50"),
		latencyColumn("p99"),
		failed,
		{column{Name: "state", Text: true}, state},
	}
}

func clientTime(name string, of func(report.Clients) float64) tabular {
	c := figureOf(name+" client", "client."+name, func(s *report.Step) float64 { return of(s.Client) }, span)
	shown := c.cell
	c.cell = func(s *report.Step) cell {
		one := shown(s)
		if !s.HasClientTimes() {
			one.Text = "–"
		}

		return one
	}

	return c
}

// onceAStep fills only the first row of a step.
func onceAStep(t tabular) tabular {
	plain := t.cell
	var above *report.Step
	t.cell = func(s *report.Step) cell {
		c := plain(s)
		if above != nil && report.SameStep(above, s) {
			c.Text = ""
		}
		above = s

		return c
	}

	return t
}

// latencyColumn is empty without a successful operation. A percentile that rests on few operations
// is in parentheses.
func latencyColumn(key string) tabular {
	f := report.FigureOf(key)
	c := figureOf(f.Name, f.JSON, f.Of, millis)
	shown := c.cell
	c.cell = func(s *report.Step) cell {
		one := shown(s)
		if s.Operations == 0 {
			one.Text = "–"
		} else if f.Percentile != 0 {
			one.Text = f.Percentile.Show(one.Text, s.Timings())
		}

		return one
	}

	return c
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
