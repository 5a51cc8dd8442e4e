package report

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// Standstill is how long a step stood still while all of its clients were at work, all kinds of
// operations together.
type Standstill struct {
	// LongestMs is the longest time in which no operation ended, to 10 ms; 0: less than 20 ms.
	LongestMs float64 `json:"longestMs"`
	// Part is the part of the time, 0 to 1, that such times come to, where slow operations are no
	// reason for them: see measure.Standstill.
	Part float64 `json:"part"`
}

// mostStill is the part of a step for which it may stand still. Beyond that its latencies hide what
// clients waited: of each client one operation was slow, of which percentiles know nothing.
const mostStill = 0.1

func newStandstill(from *measure.Standstill) *Standstill {
	if from == nil {
		return nil
	}

	return &Standstill{LongestMs: Ms(from.Longest), Part: from.Part}
}

// and is that of a step of two parts: nothing ended while nothing ended in either.
func (s *Standstill) and(part *Standstill) *Standstill {
	if s == nil || part == nil {
		return nil
	}

	return &Standstill{LongestMs: min(s.LongestMs, part.LongestMs), Part: min(s.Part, part.Part)}
}

// StoodStill says for how long the step stood still, where that is a tenth of its time, or nothing.
func (s *Step) StoodStill() string {
	if s.Standstill == nil || s.Standstill.Part <= mostStill {
		return ""
	}

	return fmt.Sprintf("it stood still for %.0f %% of the time: no operation ended for up to %s",
		100*s.Standstill.Part, Span(s.Standstill.LongestMs/1000))
}

// Hidden says why the figure does not show for how long clients of a step waited, and what a gate
// on it comes to therefore. A latency does not where the server stood still: that is one operation
// of each client, which no percentile shows, and the gate is crossed. Where k6 stood still as well,
// or started too many operations late, nothing is known of the server, and the gate is undecided.
// Where the figure shows it, the outcome is held, and why is empty.
func (f *Figure) Hidden(g *Group) (outcome judgement.Outcome, why string) {
	outcome = judgement.Held
	if g == nil {
		return outcome, ""
	}
	for _, s := range g.Steps {
		still, late := s.StoodStill(), s.LateByK6()
		switch {
		case f == &LongestStandstill:
			if s.Standstill == nil {
				return judgement.Undecided, "nobody knows how long the step stood still"
			}
		case f.Rate:
		case still != "" && s.LimitedBy() != witness.Client && (s.Witness == nil || !witness.Evidence(s.Witness.Evidence).StillByK6()):
			return judgement.Crossed, still
		case still != "":
			outcome, why = judgement.Undecided, still+", and so did k6"
		case late != "":
			outcome, why = judgement.Undecided, late
		}
	}

	return outcome, why
}

// LongestStandstill is the figure that gates may bound beside those of all outputs.
var LongestStandstill = Figure{ //nolint:gochecknoglobals // a constant
	Name: "standstill", Key: "standstill", JSON: "standstill", Of: func(s *Step) float64 {
		if s.Standstill == nil {
			return 0
		}

		return s.Standstill.LongestMs
	},
}

func (s *Step) validateStandstill() error {
	if s.Standstill == nil {
		return nil
	}
	part := keyed{"standstill.part", s.Standstill.Part}
	if err := possible(keyed{"standstill.longestMs", s.Standstill.LongestMs}, part); err != nil {
		return err
	}

	return ascending(part, keyed{"the whole", 1})
}
