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

// WitnessOverTime is the evidence over the step's time. All lists have the same length, one value
// for EverySeconds each.
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

// lists returns the lists of shares, and the lists of milliseconds.
func (o *WitnessOverTime) lists() (parts, times map[string][]float64) {
	parts = map[string][]float64{"idle": o.Idle, "k6": o.K6, "stolen": o.Stolen}
	if o.Server != nil {
		parts["server"] = o.Server
	}
	if o.Others != nil {
		parts["others"] = o.Others
	}

	return parts, map[string][]float64{"gcPauseMs": o.GCPauseMs, "lateMs": o.LateMs}
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

// witnessNotes warns if figures are not the server's. A duet's variants share them.
func (r *Report) witnessNotes(s *Step) (notes []string) {
	w := s.Witness
	if w == nil {
		return nil
	}
	label := s.label()
	if r.DuetOf(s) != nil {
		both := *s
		both.Variant = ""
		label = both.label()
	}
	switch w.LimitedBy { //nolint:exhaustive // of the others the column says enough
	case witness.Files, witness.Ports, witness.Neighbour, witness.Network, witness.Unsteady, witness.Client:
		notes = append(notes, fmt.Sprintf("%s, limited by %s: %s", label, w.LimitedBy, w.Why))
	}
	if word, why := witness.Little(w.Evidence); word != "" && word != w.LimitedBy {
		notes = append(notes, fmt.Sprintf("%s: %s", label, why))
	}

	return notes
}
