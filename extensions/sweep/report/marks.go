package report

import (
	"fmt"
	"slices"
	"time"
)

// Mark is an event in a run.
type Mark struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
	// Kind is the source of the mark; empty for sweep.mark of the script.
	Kind string `json:"kind,omitempty"`
	// Times counts repetitions within a short time; zero for a single event.
	Times uint64 `json:"times,omitempty"`
}

// MostMarks is the most marks in a report.
const MostMarks = 1000

// Shown returns the text with its count.
func (m *Mark) Shown() string {
	text := oneLineOf(m.Text)
	if m.Times > 1 {
		text += fmt.Sprintf(" (%s times)", Thousands(int64(m.Times)))
	}

	return text
}

// mergedMarks returns the marks of all parts in order of time, without duplicates.
func mergedMarks(parts []*Report) []Mark {
	var all []Mark
	for _, part := range parts {
		all = append(all, part.Marks...)
	}
	slices.SortStableFunc(all, func(a, b Mark) int { return a.At.Compare(b.At) })
	all = slices.CompactFunc(all, func(a, b Mark) bool { return a.At.Equal(b.At) && a.Text == b.Text && a.Kind == b.Kind })

	return all[:min(len(all), MostMarks)]
}
