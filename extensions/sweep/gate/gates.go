package gate

import (
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// judged is one gate that will be judged: its name and how.
type judged struct {
	name  string
	judge func(*report.Report) (held bool, detail string)
}

// Plan returns the names of all gates that Judge will judge, in its order. They can be told before
// the run; those of relative gates, one for each step of the baseline and figure, once SetBaseline
// was called. No name has a comma, a colon, a brace, a quote or a line end in it.
func (f *File) Plan() []string {
	gates := f.gates()
	names := make([]string, len(gates))
	for i, g := range gates {
		names[i] = g.name
	}

	return names
}

func (f *File) gates() []judged {
	var gates []judged
	for i := range f.Absolute {
		a := &f.Absolute[i]
		for _, b := range a.Bounds {
			gates = append(gates, judged{a.name(b), func(r *report.Report) (bool, string) { return a.judge(b, r) }})
		}
	}
	if f.Relative != nil {
		gates = append(gates, f.relativeGates()...)
		gates = append(gates, judged{baselineFits, f.judgeFit})
	}

	return append(gates, judged{everyStep, judgeEveryStep})
}

func (f *File) relativeGates() []judged {
	if f.baseline == nil {
		return nil
	}

	groups := f.baseline.Groups()
	gates := make([]judged, 0, len(groups)*len(f.Relative.Tolerances))
	for i := range groups {
		for _, t := range f.Relative.Tolerances {
			gates = append(gates, judged{t.name(groups[i].Key), func(r *report.Report) (bool, string) {
				if fits, _ := f.judgeFit(r); !fits {
					return false, "not judged: the baseline does not fit"
				}

				return t.judge(&groups[i], r, f.Relative.Alpha)
			}})
		}
	}

	return gates
}
