package judgement

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

// ExitCode is what a process exits with whose gates come to this, as k6 numbers such codes: 99 when
// something got worse (thresholds have failed), 110 when that cannot be told (marked as failed).
func (o Outcome) ExitCode() int {
	return map[Outcome]int{Crossed: 99, Undecided: 110}[o]
}

// Worst is crossed if any of the outcomes is, else undecided if any is, else held.
func Worst(outcomes ...Outcome) Outcome {
	for _, worst := range []Outcome{Crossed, Undecided} {
		if slices.Contains(outcomes, worst) {
			return worst
		}
	}

	return Held
}

// Estimate is what is known of the ratio of a figure of a change to that of its base.
type Estimate interface {
	// Interval returns the ratio and between which ratios the true one is.
	Interval() (ratio, low, high float64)
	// P is how likely it is to measure what was measured, or what is farther from ratio, when ratio
	// is the true one.
	P(ratio float64) float64
	// Visible is the smallest change, as a part of base, that is seen in four cases of five.
	Visible() float64
}

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

// ends are the ratio and the ends of its interval.
func (g *Gate) ends() (ratio, best, worst float64) {
	ratio, low, high := g.Interval()
	if g.Rate {
		return ratio, high, low
	}

	return ratio, low, high
}

// Worsens reports whether the whole interval is on the bad side of 1.
func (g *Gate) Worsens() bool {
	_, best, _ := g.ends()
	if g.Rate {
		return best < 1
	}

	return best > 1
}

// Beyond reports whether the whole interval is beyond what is tolerated by more than this factor.
func (g *Gate) Beyond(factor float64) bool {
	_, best, _ := g.ends()
	if g.Rate {
		return best*factor < g.bound()
	}

	return best > g.bound()*factor
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
		if ratio, _, _ := g.ends(); !g.keeps(ratio) {
			p[i] = g.P(g.bound())
		}
	}
	corrected := Holm(p)
	for i := range gates {
		g := &gates[i]
		_, best, worst := g.ends()
		switch {
		case corrected[i] < alpha && !g.keeps(best):
			outcomes[i] = Crossed
		case g.keeps(worst):
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
