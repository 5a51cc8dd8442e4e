package gate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// SetBaseline gives the file the report that Relative.Baseline names. It refuses one that nothing
// can be judged by.
func (f *File) SetBaseline(r *report.Report) error {
	if f.Relative == nil {
		return errors.New("there are no relative gates, which a baseline would be for")
	}
	if r.Scenario != f.Scenario {
		return fmt.Errorf("baseline %s is of scenario %q: it must be of %q", f.Relative.Baseline, r.Scenario, f.Scenario)
	}
	if problem := flaw(r); problem != "" {
		return fmt.Errorf("baseline %s cannot be compared with: %s", f.Relative.Baseline, problem)
	}
	f.baseline = r

	return nil
}

// judgeFit judges whether the run may be compared with the baseline.
func (f *File) judgeFit(r *report.Report) (held bool, detail string) {
	if f.baseline == nil {
		return false, "not judged: there is no baseline"
	}
	if differences := report.Differences(f.baseline, r); len(differences) > 0 {
		return false, strings.Join(differences, "; ")
	}

	return true, "same class of host, target and parameters"
}

// Baseline returns what is recorded of a run to compare others with: the run without the gates it
// was judged by. It refuses a run that was interrupted, has no steps, lacks one that it was asked
// for, or has one that is incomplete or empty, or failed operations, a part of a run, and one with
// too few repeats for a difference to be significant.
func Baseline(r *report.Report) (*report.Report, error) {
	if problem := flaw(r); problem != "" {
		return nil, fmt.Errorf("%s is no baseline: %s", r.Scenario, problem)
	}
	needed := report.MinRepeats(report.DefaultAlpha)
	for _, g := range r.Groups() {
		if n := len(g.Steps); n < needed {
			return nil, fmt.Errorf("%s is no baseline: %s was run with %s, it needs at least %d",
				r.Scenario, steps(g.Key), report.Plural(n, "repeat"), needed)
		}
	}
	kept := *r
	kept.Gates = nil

	return &kept, nil
}
