package stats

import (
	"cmp"
	"math"
	"slices"
)

// Outcome is the result of a gate.
type Outcome string

// The outcomes.
const (
	Held      Outcome = "held"
	Crossed   Outcome = "crossed"
	Undecided Outcome = "undecided"
)

// ExitCode returns k6's exit code for the outcome: 0, 99 for crossed (thresholds have failed), 110
// for undecided (marked as failed).
func (o Outcome) ExitCode() int {
	return map[Outcome]int{Crossed: 99, Undecided: 110}[o]
}

// Worst returns the worst outcome; held without any.
func Worst(outcomes ...Outcome) Outcome {
	for _, worst := range []Outcome{Crossed, Undecided} {
		if slices.Contains(outcomes, worst) {
			return worst
		}
	}

	return Held
}

// Gate limits how much worse than base a figure may get.
type Gate struct {
	Estimate
	// Rate is set if the figure gets worse when it falls.
	Rate      bool
	Tolerance float64
}

// ends returns the ratio, the better and the worse end of its interval, and the bound, so that a
// figure is worse the higher they are.
func (g *Gate) ends() (ratio, best, worst, bound float64) {
	ratio, low, high := g.Interval()
	if g.Rate {
		return 1 / ratio, 1 / high, 1 / low, 1 / (1 - g.Tolerance)
	}

	return ratio, low, high, 1 + g.Tolerance
}

// Worsens reports whether the whole interval is on the bad side of 1.
func (g *Gate) Worsens() bool {
	_, best, _, _ := g.ends()

	return best > 1
}

// Beyond reports whether the whole interval exceeds the tolerance by more than this factor.
func (g *Gate) Beyond(factor float64) bool {
	_, best, _, bound := g.ends()

	return best > bound*factor
}

// Judge returns the outcomes of a family of gates. The probability that any is crossed while all
// true ratios are tolerated is at most alpha.
func Judge(gates []Gate, alpha float64) []Outcome {
	outcomes := make([]Outcome, len(gates))
	p := make([]float64, len(gates))
	for i := range gates {
		g := &gates[i]
		p[i] = 1
		if ratio, _, _, bound := g.ends(); ratio > bound {
			p[i] = g.P(bound)
			if g.Rate {
				p[i] = g.P(1 / bound)
			}
		}
	}
	corrected := Holm(p)
	for i := range gates {
		_, best, worst, bound := gates[i].ends()
		switch {
		case corrected[i] < alpha && best > bound:
			outcomes[i] = Crossed
		case worst <= bound:
			outcomes[i] = Held
		default:
			outcomes[i] = Undecided
		}
	}

	return outcomes
}

// Holm corrects the p-values of tests that are judged together.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected := make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, math.Min(1, p[i]*float64(len(p)-rank)))
		corrected[i] = highest
	}

	return corrected
}
