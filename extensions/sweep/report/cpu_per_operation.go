package report

import "strconv"

// Micros formats microseconds with four digits.
func Micros(us float64) string { return strconv.FormatFloat(us, 'g', 4, 64) + " µs" }

// CPUPerOperation returns the CPU seconds of k6 and of a server on this machine per operation, over
// all repeats of a step. Unknown values are zero. They are unknown if the step has several kinds of
// operations.
func (r *Report) CPUPerOperation(g *Group) (k6, server float64) {
	operations := 0.0
	serverKnown := true
	for _, s := range g.Steps {
		if !r.alone(s) {
			return 0, 0
		}
		operations += float64(s.Operations) + float64(s.Failed)
		k6 += s.CPU.K6
		if s.CPU.Server == nil {
			serverKnown = false
		} else {
			server += *s.CPU.Server
		}
	}
	if operations == 0 {
		return 0, 0
	}
	if !serverKnown {
		server = 0
	}

	return k6 / operations, server / operations
}

// alone reports whether the step has only one kind of operation.
func (r *Report) alone(s *Step) bool {
	for i := range r.Steps {
		other := &r.Steps[i]
		if SameStep(other, s) || SameStep(s, other) {
			return false
		}
	}

	return true
}
