package report

import (
	"fmt"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// Witness is the step's bottleneck with evidence, for all kinds of operations.
type Witness struct {
	LimitedBy witness.Word `json:"limitedBy"`
	Why       string       `json:"why"` // a sentence with the figures
	// Evidence from the kernel, the runtime and the step, by the names of package witness.
	Evidence map[string]float64 `json:"evidence"`
	OverTime *WitnessOverTime   `json:"overTime,omitempty"`
}

// WitnessOverTime is the evidence over the step's time. All lists have the same length. Each value
// covers EverySeconds.
type WitnessOverTime struct {
	EverySeconds float64 `json:"everySeconds"`
	// Idle, K6, Server, Others and Stolen are shares of the machine's CPU, 0 to 1. Server and Others
	// are missing for an unknown server.
	Idle   []float64 `json:"idle"`
	K6     []float64 `json:"k6"`
	Server []float64 `json:"server,omitempty"`
	Others []float64 `json:"others,omitempty"`
	Stolen []float64 `json:"stolen"`
	// GCPauseMs is the time that garbage collection stopped k6.
	GCPauseMs []float64 `json:"gcPauseMs"`
	// LateMs is the worst delay of a goroutine that sleeps for 50 ms.
	LateMs []float64 `json:"lateMs"`
}

// LimitedBy returns the word for the bottleneck; "" in a report of -o sweep.
func (s *Step) LimitedBy() witness.Word {
	if s.Witness == nil {
		return ""
	}

	return s.Witness.LimitedBy
}

// orWorse returns the worse bottleneck of w and of the part at that place, from zero. "short" ranks
// lowest, because the whole step may be longer.
func (w *Witness) orWorse(part *Witness, place int) *Witness {
	rank := func(w *Witness) int {
		if w.LimitedBy == witness.Short {
			return len(witness.Words)
		}

		return slices.Index(witness.Words, w.LimitedBy)
	}
	if part == nil || w != nil && rank(w) <= rank(part) {
		return w
	}

	return &Witness{
		LimitedBy: part.LimitedBy, Why: fmt.Sprintf("Part %d: %s", place+1, part.Why), Evidence: part.Evidence,
	}
}

// witnessNotes warn if figures are not the server's: each bottleneck once, for its first step. A
// duet's variants share them.
func (r *Report) witnessNotes() []string {
	type said struct {
		first, text string
		more        int
	}
	var notes []*said
	of := map[string]*said{}
	add := func(word, label, text string) {
		if one := of[word]; one != nil {
			one.more++

			return
		}
		of[word] = &said{first: label, text: text}
		notes = append(notes, of[word])
	}
	var before *Step
	for i := range r.Steps {
		s := r.Steps[i]
		if r.DuetOf(&s) != nil {
			s.Variant = ""
		}
		w := s.Witness
		if before != nil && sameNumbers(before, &s) {
			continue
		}
		before = &s
		if why := s.StoodStill(); why != "" {
			add("stood still", s.label(), ": "+why)
		}
		if w == nil {
			continue
		}
		switch w.LimitedBy { //nolint:exhaustive // of the others the column says enough
		case witness.Files, witness.Ports, witness.Neighbour, witness.Network, witness.Unsteady, witness.K6Itself, witness.Unknown:
			add(string(w.LimitedBy), s.label(), fmt.Sprintf(", limited by %s: %s", w.LimitedBy, w.Why))
		}
		if word, why := witness.Little(w.Evidence); word != "" && word != w.LimitedBy {
			add("", s.label(), ": "+why)
		}
	}
	lines := make([]string, len(notes))
	for i, one := range notes {
		more := ""
		if one.more > 0 {
			more = " and " + Plural(one.more, "more step")
		}
		lines[i] = one.first + more + one.text
	}

	return lines
}
