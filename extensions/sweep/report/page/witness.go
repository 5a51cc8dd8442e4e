package page

import (
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

func hasWitness(r *report.Report) bool {
	return slices.ContainsFunc(r.Steps, func(s report.Step) bool { return s.Witness != nil })
}

// limitedBy is the last column: the bottleneck, with its evidence as the tip.
func limitedBy(r *report.Report) []tabular {
	if !hasWitness(r) {
		return nil
	}

	return []tabular{onceAStep(tabular{column{Name: "limited by", Text: true}, func(s *report.Step) cell {
		word := string(s.LimitedBy())

		return cell{Key: "witness.limitedBy", Value: word, Text: word, Tip: why(s)}
	}})}
}

// witnessTables returns a table of the bottleneck of each step, and a folded one of the evidence,
// which is wide.
func witnessTables(s *sweep) []table {
	if !hasWitness(s.report) {
		return nil
	}
	columns := slices.Concat(named(s), limitedBy(s.report))
	columns = append(columns, onceAStep(tabular{column{Name: "why", Text: true}, func(s *report.Step) cell {
		return cell{Key: "witness.why", Value: why(s), Text: why(s), Class: "text"}
	}}))
	limited := table{ID: "witness", Caption: "What limited the same steps"}
	limited.fill(s, columns)

	columns = named(s)
	for _, f := range witness.Figures {
		of := figureOf(f.Title, "witness.evidence."+f.Name, f.Show)
		if slices.ContainsFunc(s.report.Steps, func(s report.Step) bool { return of.cell(&s).Value != "null" }) {
			columns = append(columns, onceAStep(of))
		}
	}
	const title = "The evidence for what limited them"
	evidence := table{ID: "evidence", Caption: title, Summary: title}
	evidence.fill(s, columns)

	return []table{limited, evidence}
}

func why(s *report.Step) string {
	if s.Witness == nil {
		return ""
	}

	return s.Witness.Why
}
