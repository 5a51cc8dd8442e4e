package page

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const maxErrors = 100

// failures returns the error texts of each step, most frequent first; nil without any.
func failures(s *sweep) *table {
	t := &table{
		ID: "errors-table", Class: "texts", Caption: "Why operations failed, the most frequent reason of each step first",
		Columns: []column{{Name: "step", Text: true}, {Name: "operation", Text: true}, {Name: "times"}, {Name: "error", Text: true}},
	}
	more := 0
	for i := range s.report.Steps {
		step := &s.report.Steps[i]
		name := s.name(step.Key())
		if s.repeated() {
			name += fmt.Sprintf(", repeat %d", step.Repeat)
		}
		for _, text := range measure.MostFrequent(step.Extra.Errors) {
			if len(t.Rows) == maxErrors {
				more++

				continue
			}
			t.add(head(name), cell{Text: step.Op, Class: "name"},
				cell{Text: count(step.Extra.Errors[text]), Class: "n"}, cell{Text: text, Class: "text"})
		}
	}
	if more > 0 {
		t.Notes = []string{fmt.Sprintf("%d more are in the JSON of the run.", more)}
	}
	if len(t.Rows) == 0 {
		return nil
	}

	return t
}
