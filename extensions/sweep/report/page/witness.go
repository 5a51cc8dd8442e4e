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

// witnessTable has the bottleneck of each step with the evidence; nil without any.
func witnessTable(s *sweep) *table {
	if !hasWitness(s.report) {
		return nil
	}
	columns := slices.Concat(named(s), limitedBy(s.report))
	columns = append(columns, onceAStep(tabular{column{Name: "why", Text: true}, func(s *report.Step) cell {
		return cell{Key: "witness.why", Value: why(s), Text: why(s), Class: "text"}
	}}))
	for _, f := range witness.Figures {
		value := func(s *report.Step) *float64 {
			if s.Witness == nil {
				return nil
			}
			v, known := s.Witness.Evidence[f.Name]
			if !known {
				return nil
			}

			return &v
		}
		if slices.ContainsFunc(s.report.Steps, func(s report.Step) bool { return value(&s) != nil }) {
			columns = append(columns, onceAStep(figureOf(f.Title, "witness.evidence."+f.Name, value, func(v *float64) string {
				if v == nil {
					return "–"
				}

				return f.Show(*v)
			})))
		}
	}
	t := &table{ID: "witness", Caption: "What limited the same steps, and the evidence"}
	t.fill(s, columns)

	return t
}

func why(s *report.Step) string {
	if s.Witness == nil {
		return ""
	}

	return s.Witness.Why
}
