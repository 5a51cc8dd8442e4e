package page

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const maxErrors = 100

type failure struct {
	Step, Op, Text string
	Count          string
}

// failures returns the error texts of each step, most frequent first, and counts those it leaves
// out.
func failures(s *sweep) (list []failure, more int) {
	for i := range s.report.Steps {
		step := &s.report.Steps[i]
		name := s.name(step.Key())
		if s.repeated() {
			name += fmt.Sprintf(", repeat %d", step.Repeat)
		}
		for _, text := range measure.MostFrequent(step.Extra.Errors) {
			if len(list) == maxErrors {
				more++

				continue
			}
			list = append(list, failure{Step: name, Op: step.Op, Text: text, Count: count(step.Extra.Errors[text])})
		}
	}

	return list, more
}
