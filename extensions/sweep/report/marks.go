package report

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Mark is something that happened in a run.
type Mark struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
	// Kind says who has seen it; empty: the script, by sweep.mark.
	Kind string `json:"kind,omitempty"`
	// Times is how often it happened within a short time, where that is more than once.
	Times uint64 `json:"times,omitempty"`
}

// MostMarks is how many marks a report has at most.
const MostMarks = 1000

// Shown is what happened, and how often.
func (m *Mark) Shown() string {
	text := oneLineOf(m.Text)
	if m.Times > 1 {
		text += fmt.Sprintf(" (%s times)", Thousands(int64(m.Times)))
	}

	return text
}

func (r *Report) validateMarks() error {
	if len(r.Marks) > MostMarks {
		return fmt.Errorf("there are %d marks, and at most %d are kept", len(r.Marks), MostMarks)
	}
	for _, m := range r.Marks {
		switch {
		case m.Text == "":
			return errors.New("a mark has no text")
		case m.At.IsZero():
			return fmt.Errorf("the mark %q has no time", m.Text)
		}
	}

	return nil
}

// mergedMarks are those of all parts, in the order of time. What several parts have marked at one
// time is one.
func mergedMarks(parts []*Report) []Mark {
	var all []Mark
	for _, part := range parts {
		all = append(all, part.Marks...)
	}
	slices.SortStableFunc(all, func(a, b Mark) int { return a.At.Compare(b.At) })
	all = slices.CompactFunc(all, func(a, b Mark) bool { return a.At.Equal(b.At) && a.Text == b.Text && a.Kind == b.Kind })

	return all[:min(len(all), MostMarks)]
}
