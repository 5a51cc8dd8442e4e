package report

import (
	"encoding/json"
	"fmt"
)

// benchmarkActionEntry is one figure in the format of github-action-benchmark's custom tools.
// https://github.com/benchmark-action/github-action-benchmark#examples
type benchmarkActionEntry struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"`
	Extra string  `json:"extra,omitempty"`
}

// BiggerIsBetter renders the median ops/s of each step for the tool customBiggerIsBetter of
// github-action-benchmark; 0 without a successful operation.
func (r *Report) BiggerIsBetter() ([]byte, error) { return r.benchmarkAction(true) }

// SmallerIsBetter renders the median latencies of each step in milliseconds, and its failed
// operations, for the tool customSmallerIsBetter of github-action-benchmark. A step without a
// successful operation has no latencies.
func (r *Report) SmallerIsBetter() ([]byte, error) { return r.benchmarkAction(false) }

func (r *Report) benchmarkAction(bigger bool) ([]byte, error) {
	entries := []benchmarkActionEntry{}
	groups := r.Groups()
	for i := range groups {
		g := &groups[i]
		extra := Plural(len(g.Steps), "repeat")
		add := func(figure, unit string, values []float64) {
			e := benchmarkActionEntry{Name: r.Scenario + ": " + g.Name() + ", " + figure, Unit: unit, Value: Median(values), Extra: extra}
			if of := plusMinusOf(values); len(values) > 1 && of != "" {
				e.Range = "± " + of
			}
			entries = append(entries, e)
		}
		done := g.Succeeded()
		for j := range Figures {
			f := &Figures[j]
			switch {
			case f.Chance:
			case f.Rate && bigger:
				add(f.Name, f.Name, g.Values(f.Of))
			case !f.Rate && !bigger && len(done.Steps) > 0:
				add(f.Name, "ms", done.Values(f.Of))
			}
		}
		if !bigger {
			add("failed", "operations", g.Values(func(s *Step) float64 { return float64(s.Failed) }))
		}
	}
	out, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("report of %s for github-action-benchmark: %w", r.Scenario, err)
	}

	return append(out, '\n'), nil
}
