package page

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// maxErrors is how many lines the list of errors has.
const maxErrors = 100

// failure is why operations of a step failed.
type failure struct {
	Step, Op, Text string
	Count          string
}

// failures lists the error texts of each step, the most frequent first, and counts those that are
// left out.
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
