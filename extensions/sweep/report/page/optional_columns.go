package page

import (
	"maps"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

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
