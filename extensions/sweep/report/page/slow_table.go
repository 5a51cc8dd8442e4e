package page

import (
	"fmt"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type slowTable struct {
	ID, Summary, Caption string
	Columns              []string
	Rows                 [][]string
}

// slowTableOf returns nil if they are unknown. It omits columns that were not measured.
func slowTableOf(name string, s *report.Step) *slowTable {
	if len(s.Slowest) == 0 {
		return nil
	}
	waited, woken := false, false
	for _, one := range s.Slowest {
		waited = waited || one.Waited > 0
		woken = woken || one.Woken != nil
	}
	t := &slowTable{
		Summary: fmt.Sprintf("The %d slowest operations", len(s.Slowest)),
		Caption: fmt.Sprintf("The slowest operations of %s", name),
		Columns: []string{"began", "client", "took"},
	}
	if len(s.Slowest) == 1 {
		t.Summary = "The slowest operation"
	}
	if waited {
		t.Columns = append(t.Columns, "waited for a client")
	}
	t.Columns = append(t.Columns, "wire and server")
	if woken {
		t.Columns = append(t.Columns, "waited to be read")
	}
	for _, one := range s.Slowest {
		row := []string{span(one.At), whole(one.Client), millis(one.Ms)}
		if waited {
			row = append(row, millis(one.Waited))
		}
		row = append(row, away(&one))
		if woken {
			row = append(row, wokenText(&one))
		}
		t.Rows = append(t.Rows, row)
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
