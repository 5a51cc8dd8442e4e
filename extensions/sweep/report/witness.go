package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// Witness is what limited a step, all kinds of operations together.
type Witness struct {
	LimitedBy witness.Word `json:"limitedBy"`
	Why       string       `json:"why"` // a sentence with the figures
	// Evidence is what the kernel, the runtime and the step itself have told, by the names of
	// package witness.
	Evidence map[string]float64 `json:"evidence"`
	// OverTime is missing where the system tells nothing.
	OverTime *WitnessOverTime `json:"overTime,omitempty"`
}

// WitnessOverTime is the evidence within the step, from the start line on. All lists are of the
// same length, one value for each time of EverySeconds.
type WitnessOverTime struct {
	EverySeconds float64 `json:"everySeconds"`
	// Idle, K6, Server, Others and Stolen are parts of the machine's processors, 0 to 1. Server and
	// Others are missing where the server is not known.
	Idle   []float64 `json:"idle"`
	K6     []float64 `json:"k6"`
	Server []float64 `json:"server,omitempty"`
	Others []float64 `json:"others,omitempty"`
	Stolen []float64 `json:"stolen"`
	// GCPauseMs is for how long the collection of garbage stopped all of k6.
	GCPauseMs []float64 `json:"gcPauseMs"`
	// LateMs is how late a goroutine of k6 woke that slept for 50 ms, at worst.
	LateMs []float64 `json:"lateMs"`
}

// parts are the lists whose values are parts of the machine, and times those of milliseconds.
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

// LimitedBy is the word of what limited the step; empty in a report of any script.
func (s *Step) LimitedBy() witness.Word {
	if s.Witness == nil {
		return ""
	}

	return s.Witness.LimitedBy
}

// orWorse is what limited a step worst: what did so in the parts before, or in the part at that
// place, counted from zero. That a part is short matters least: the whole may be longer.
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

// witnessNotes say what a reader must know of what limited a step: that its figures are not the
// server's. The variants of a duet share what limited them.
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

func (s *Step) validateWitness() error {
	w := s.Witness
	if w == nil {
		return nil
	}
	if !w.LimitedBy.Known() {
		return fmt.Errorf("witness.limitedBy is %q, which is none of its words", w.LimitedBy)
	}
	if w.Why == "" {
		return errors.New("witness.why is empty")
	}
	for _, name := range slices.Sorted(maps.Keys(w.Evidence)) {
		if err := possible(keyed{"witness.evidence." + name, w.Evidence[name]}); err != nil {
			return err
		}
	}
	if w.OverTime == nil {
		return nil
	}

	return w.OverTime.validate()
}

func (o *WitnessOverTime) validate() error {
	if o.EverySeconds <= 0 {
		return fmt.Errorf("witness.overTime.everySeconds is %g, but is to be above 0", o.EverySeconds)
	}
	parts, times := o.lists()
	for _, lists := range []map[string][]float64{parts, times} {
		for _, name := range slices.Sorted(maps.Keys(lists)) {
			key := "witness.overTime." + name
			if len(lists[name]) != len(o.Idle) {
				return fmt.Errorf("%s has %d values, but witness.overTime.idle has %d", key, len(lists[name]), len(o.Idle))
			}
			for _, value := range lists[name] {
				if err := possible(keyed{key, value}); err != nil {
					return err
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		for _, part := range parts[name] {
			if err := ascending(keyed{"witness.overTime." + name, part}, keyed{"the whole", 1}); err != nil {
				return err
			}
		}
	}

	return nil
}
