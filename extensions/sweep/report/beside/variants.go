package beside

import (
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Within returns the runs within one report: its variants, or the sides of report.SideBySide. It
// returns nil unless their number is between Fewest and Most, and for a duet, whose own ratios are
// more precise.
func Within(r *report.Report) []Run {
	if len(r.Duets) > 0 {
		return nil
	}
	named := r.SideBySide
	if len(named) == 0 {
		named = variants(r)
	}
	if len(named) < Fewest || len(named) > Most {
		return nil
	}
	runs := make([]Run, 0, len(named))
	for _, one := range named {
		part := *r
		part.Steps, part.Gates, part.Tables, part.Search = nil, nil, nil, nil
		for _, s := range r.Steps {
			op, mine := one.Ops[s.Variant]
			switch {
			case !mine || s.Variant == "":
				continue
			case op != "":
				s.Op = op
			case s.Op == s.Variant:
				s.Op = r.Scenario
			}
			s.Variant = ""
			part.Steps = append(part.Steps, s)
		}
		if len(part.Steps) > 0 {
			runs = append(runs, Run{Name: one.Name, Report: &part})
		}
	}
	if len(runs) < Fewest {
		return nil
	}

	return runs
}

func variants(r *report.Report) (named []report.Side) {
	for i := range r.Steps {
		name := r.Steps[i].Variant
		if name == "" {
			return nil
		}
		if !slices.ContainsFunc(named, func(s report.Side) bool { return s.Name == name }) {
			named = append(named, report.Side{Name: name, Ops: map[string]string{name: ""}})
		}
	}

	return named
}
