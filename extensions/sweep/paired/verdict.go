package paired

import (
	"cmp"
	"math"
	"slices"
)

// Outcome is what a gate comes to.
type Outcome string

// The outcomes.
const (
	Held      Outcome = "held"
	Crossed   Outcome = "crossed"
	Undecided Outcome = "undecided"
)

// Gate is how much worse than base a figure may get.
type Gate struct {
	Estimate
	// Rate tells that the figure gets worse when it falls.
	Rate bool
	// Tolerance is the part of base by which it may get worse.
	Tolerance float64
}

// bound is the worst ratio that is tolerated.
func (g *Gate) bound() float64 {
	if g.Rate {
		return 1 - g.Tolerance
	}

	return 1 + g.Tolerance
}

// worst and best are the ends of the interval.
func (g *Gate) worst() float64 {
	if g.Rate {
		return g.Low
	}

	return g.High
}

func (g *Gate) best() float64 {
	if g.Rate {
		return g.High
	}

	return g.Low
}

// keeps tells whether a ratio is tolerated.
func (g *Gate) keeps(ratio float64) bool {
	if g.Rate {
		return ratio >= g.bound()
	}

	return ratio <= g.bound()
}

// Judge returns what each gate of a family comes to. The chance that any of them is crossed
// although none of the true ratios is beyond its tolerance is at most alpha.
func Judge(gates []Gate, alpha float64) []Outcome {
	outcomes := make([]Outcome, len(gates))
	p := make([]float64, len(gates))
	for i := range gates {
		g := &gates[i]
		p[i] = 1
		if !g.keeps(g.Ratio) {
			p[i] = g.P(g.bound())
		}
	}
	corrected := Holm(p)
	for i := range gates {
		g := &gates[i]
		switch {
		case corrected[i] < alpha && !g.keeps(g.best()):
			outcomes[i] = Crossed
		case g.keeps(g.worst()):
			outcomes[i] = Held
		default:
			outcomes[i] = Undecided
		}
	}

	return outcomes
}

// Holm corrects the p of several tests that are judged together: rejecting those below alpha
// rejects any true one with a probability of at most alpha.
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
