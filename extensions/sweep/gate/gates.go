package gate

import (
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Plan returns the names of all gates in Judge's order, known before the run. Call LoadBaseline
// first for relative gates.
func (f *File) Plan() []string {
	var names []string
	for i := range f.Absolute {
		a := &f.Absolute[i]
		for _, b := range a.Bounds {
			names = append(names, a.name(b))
		}
	}
	if f.Relative != nil {
		for _, g := range f.relativeGates() {
			names = append(names, g.name)
		}
		if f.Relative.Baseline != "" {
			names = append(names, baselineFits)
		}
	}

	return append(names, everyStep)
}

// relativeGate is the gate of one figure, for one step of the baseline or for all duets.
type relativeGate struct {
	Tolerance
	name string
	// step is nil for a gate of all steps.
	step *report.Key
}

func (f *File) relativeGates() (gates []relativeGate) {
	if f.Relative.Baseline == "" {
		for _, t := range f.Relative.Tolerances {
			gates = append(gates, relativeGate{Tolerance: t, name: t.nameOfDuet()})
		}

		return gates
	}
	for _, key := range f.baseline.keys() {
		for _, t := range f.Relative.Tolerances {
			gates = append(gates, relativeGate{Tolerance: t, name: t.name(key), step: &key})
		}
	}

	return gates
}
