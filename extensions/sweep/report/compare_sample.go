package report

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// DefaultAlpha is the usual level of significance: where nothing has changed, one comparison in twenty says otherwise.
const DefaultAlpha = 0.05

// fewestRepeats is how many repeats both sides need, whatever alpha is.
const fewestRepeats = 4

const confidence = 0.95

// Estimate is the median of a step's repeats, with its confidence interval of 95 %.
type Estimate struct {
	Median float64  `json:"median"`
	Low    *float64 `json:"low,omitempty"` // missing with fewer than 6 repeats: they tell no interval
	High   *float64 `json:"high,omitempty"`
	N      int      `json:"n"` // repeats
}

// NewEstimate estimates one figure from its values in each repeat. Without a value it is zero.
func NewEstimate(values []float64) Estimate {
	if len(values) == 0 {
		return Estimate{}
	}
	summary := benchmath.AssumeNothing.Summary(newSample(values, DefaultAlpha), confidence)
	e := Estimate{Median: summary.Center, N: len(values)}
	if !math.IsInf(summary.Lo, 0) && !math.IsInf(summary.Hi, 0) {
		e.Low, e.High = &summary.Lo, &summary.Hi
	}

	return e
}

// Contrast is what one figure of a step came to in two runs.
type Contrast struct {
	Old         Estimate `json:"old"`
	New         Estimate `json:"new"`
	Ratio       *float64 `json:"ratio"` // new median to old; null when the old one is zero
	P           float64  `json:"p"`     // of the Mann-Whitney U test: how likely such a difference is when nothing has changed
	Significant bool     `json:"significant"`
}

// NewContrast compares the values that one figure has in each repeat, without assuming how they are distributed. The
// difference is significant when both sides have MinRepeats(alpha) and p is below alpha.
func NewContrast(before, after []float64, alpha float64) Contrast {
	c := Contrast{Old: NewEstimate(before), New: NewEstimate(after), P: 1}
	if c.Old.Median != 0 {
		ratio := c.New.Median / c.Old.Median
		c.Ratio = &ratio
	}
	if len(before) > 0 && len(after) > 0 {
		// With equal values on both sides, what the library returns can be above 1.
		c.P = min(benchmath.AssumeNothing.Compare(newSample(before, alpha), newSample(after, alpha)).P, 1)
	}
	c.Significant = min(len(before), len(after)) >= MinRepeats(alpha) && c.P < alpha

	return c
}

// MinRepeats is how many repeats each side needs for a difference to be significant at alpha: 4 for 0.05, 5 for 0.01.
func MinRepeats(alpha float64) int {
	n := fewestRepeats
	alpha = max(alpha, math.SmallestNonzeroFloat64)
	for leastP(n) >= alpha {
		n++
	}

	return n
}

// leastP is the p of two sides of n repeats each when all of one are above all of the other: of the C(2n, n) ways to
// order them, two are that extreme.
func leastP(n int) float64 {
	ways := 1.0
	for i := 1; i <= n; i++ {
		ways *= float64(n+i) / float64(i)
	}

	return 2 / ways
}

// newSample copies the values: a sample sorts them.
func newSample(values []float64, alpha float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.Thresholds{CompareAlpha: alpha})
}
