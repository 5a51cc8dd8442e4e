package report

import (
	"encoding/json"
	"fmt"
)

// benchmarkActionEntry is one figure, as github-action-benchmark reads it from the files of its
// tools customBiggerIsBetter and customSmallerIsBetter.
// https://github.com/benchmark-action/github-action-benchmark#examples
type benchmarkActionEntry struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"`
	Extra string  `json:"extra,omitempty"`
}

// BiggerIsBetter renders ops/s of each step for github-action-benchmark's tool
// customBiggerIsBetter: the median of the repeats. A step without a successful operation has the
// value 0. The error says which value JSON cannot hold.
func (r *Report) BiggerIsBetter() ([]byte, error) { return r.benchmarkAction(true) }

// SmallerIsBetter renders the latencies of each step in milliseconds and its failed operations for
// github-action-benchmark's tool customSmallerIsBetter: medians of the repeats. A step without a
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
