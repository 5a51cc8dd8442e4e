package stats

import (
	"cmp"
	"math"
	"slices"
	"strconv"
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

// Percent formats a share with at least two digits: "0.83 %", "8.3 %", "83 %".
func Percent(part float64) string { return PercentDigits(part) + " %" }

// PercentDigits formats the digits of Percent.
func PercentDigits(part float64) string {
	digits := 0
	switch percent := 100 * part; {
	case percent < 0.995:
		digits = 2
	case percent < 9.95:
		digits = 1
	}

	return strconv.FormatFloat(100*part, 'f', digits, 64)
}

// Times formats a ratio of change to base: "1.142x", "12.3x".
func Times(ratio float64) string { return timesDigits(ratio) + "x" }

// TimesWithin formats a ratio with its interval: "1.142x (1.121 to 1.163)".
func TimesWithin(ratio, low, high float64) string {
	return Times(ratio) + " (" + TimesRange(low, high) + ")"
}

// TimesRange formats the interval of a ratio: "1.121 to 1.163".
func TimesRange(low, high float64) string { return timesDigits(low) + " to " + timesDigits(high) }

func timesDigits(ratio float64) string {
	switch {
	case ratio >= 10:
		return strconv.FormatFloat(ratio, 'f', 1, 64)
	case ratio >= 0.01:
		return strconv.FormatFloat(ratio, 'f', 3, 64)
	default:
		return strconv.FormatFloat(ratio, 'g', 2, 64)
	}
}

// The words that compare change with base.
const (
	Better     = "better"
	Worse      = "worse"
	Same       = "same" // within 5 %
	CannotTell = "cannot tell"
)

// Word compares change with base by the interval of their ratio: one of the words above, with the
// distance if it is Same: "same within 2.1 %". rate is set if the figure gets worse when it falls.
func Word(rate bool, low, high float64) string {
	word := Compared(rate, low, high)
	if word == Same {
		word += " within " + Percent(farthest(low, high))
	}

	return word
}

// Compared is Word without the distance.
func Compared(rate bool, low, high float64) string {
	const sameWithin = 0.05
	more, less := Worse, Better
	if rate {
		more, less = less, more
	}
	switch {
	case farthest(low, high) <= sameWithin:
		return Same
	case low > 1:
		return more
	case high < 1:
		return less
	default:
		return CannotTell
	}
}

// farthest returns how far an interval reaches from 1.
func farthest(low, high float64) float64 { return max(high-1, 1-low) }
