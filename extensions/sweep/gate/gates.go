package gate

import (
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Plan returns the names of all gates that Judge will judge, in its order. They can be told before
// the run; those of relative gates, one for each step of the baseline and figure, once SetBaseline
// was called. No name has a comma, a colon, a brace, a quote or a line end in it.
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

// relativeGate is the gate of one figure, of one step of the baseline or, in a file that names
// none, of every step of a duet.
type relativeGate struct {
	Tolerance
	name string
	// step is nil where the gate is of every step.
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
