package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

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
