package command

import (
	"fmt"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/history"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type historyRow struct {
	Scenario string `json:"scenario"`
	Setup    string `json:"setup"`
	report.Key
	Figure string   `json:"figure"`
	Commit string   `json:"commit"`
	Before string   `json:"before"`
	Surely int      `json:"commits"`
	Ratio  float64  `json:"ratio"`
	Low    float64  `json:"low,omitempty"`
	High   float64  `json:"high,omitempty"`
	P      float64  `json:"p"`
	Worse  bool     `json:"worse"`
	Also   []string `json:"also,omitempty"`
}

func historyRows(found []history.Found) []historyRow {
	rows := make([]historyRow, 0, len(found))
	for _, f := range sorted(found) {
		c := f.Change
		rows = append(rows, historyRow{
			f.Setup.Scenario, f.Setup.ID, f.Series.Key, f.Series.Figure.Key, c.First.ID, c.Last.ID, c.Candidates,
			c.Ratio, c.Low, c.High, c.P, c.Worse, c.Also,
		})
	}

	return rows
}

func historyMarkdown(h *history.History) string {
	var b strings.Builder
	for _, note := range h.Notes {
		b.WriteString(note + "\n\n")
	}
	for i := range h.Setups {
		s := &h.Setups[i]
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s, setup %s: %s of %s\n\n", report.Escape(s.Scenario), s.ID, report.Plural(s.Runs, "run"),
			report.Plural(len(s.Commits), "commit"))
		for _, sentence := range s.Remarks() {
			b.WriteString(report.Escape(sentence) + "\n\n")
		}
		changes := s.Found()
		if len(changes) == 0 {
			b.WriteString("No change was found.\n")

			continue
		}
		b.WriteString(historyTable(changes))
	}

	return b.String()
}

func historyTable(found []history.Found) string {
	var b strings.Builder
	b.WriteString("| commit | subject | figure | change | how sure the commit is |\n| --- | --- | --- | --- | --- |\n")
	for _, f := range sorted(found) {
		c := f.Change
		verdict := "better"
		if c.Worse {
			verdict = "worse"
		}
		sure := c.Between()
		for _, also := range c.Also {
			sure += "; " + also
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s %s | %s |\n", c.First.Short(), report.Escape(c.First.Subject), report.Escape(f.Series.Name()),
			verdict, c.Text(), report.Escape(sure))
	}

	return b.String()
}
