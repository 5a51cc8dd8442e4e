package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
)

// DefaultAlpha is the usual level of significance: where nothing has changed, one comparison in
// twenty says otherwise.
const DefaultAlpha = 0.05

// fewestRepeats is how many repeats both sides need, whatever alpha is.
const fewestRepeats = 4

// wantedConfidence is what an interval is to have where there are repeats enough for it: 6 or more.
const wantedConfidence = 0.95

// Estimate is the median of a step's repeats, with an interval that holds the true median with some
// confidence.
type Estimate struct {
	Median float64 `json:"median"`
	// Low and High are the interval's ends; missing with fewer than 4 repeats, which tell none.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	// Confidence is that of the interval: 0.875 of 4 repeats, 0.9375 of 5, at least 0.95 of more.
	Confidence float64 `json:"confidence,omitempty"`
	// N is the number of repeats.
	N int `json:"n"`
}

// NewEstimate estimates one figure from its values in each repeat, without assuming how they are
// distributed. Without a value it is zero.
//
// The interval is between two of the sorted values: so many of n repeats are below the true median
// as of n coins are heads. Where not even the lowest and the highest value make 95 %, as with 4 and
// 5 repeats, the interval is between these, and its confidence is less: 1 - 2/2^n.
func NewEstimate(values []float64) Estimate {
	if len(values) == 0 {
		return Estimate{}
	}
	summary := benchmath.AssumeNothing.Summary(newSample(values, DefaultAlpha), wantedConfidence)
	e := Estimate{Median: summary.Center, N: len(values)}
	switch {
	case len(values) < fewestRepeats:
	case math.IsInf(summary.Lo, 0) || math.IsInf(summary.Hi, 0):
		low, high := slices.Min(values), slices.Max(values)
		e.Low, e.High, e.Confidence = &low, &high, 1-math.Ldexp(2, -len(values))
	default:
		e.Low, e.High, e.Confidence = &summary.Lo, &summary.Hi, summary.Confidence
	}

	return e
}

// unknownInterval stands where there are too few repeats for an interval.
const unknownInterval = "?"

// plusMinus is how far the interval's farther end is from the median, in percent of it. That is not
// known of a median of zero.
func (e *Estimate) plusMinus() string {
	switch {
	case e.Median == 0:
		return "-"
	case e.Low == nil || e.High == nil:
		return unknownInterval
	}

	return fmt.Sprintf("%.1f%%", 100*max(*e.High/e.Median-1, 1-*e.Low/e.Median))
}

// plusMinusNote says what ± means in a table of these estimates; nothing when it has none.
func plusMinusNote(estimates []Estimate) string {
	confidence := map[int]float64{}
	few := false
	for _, e := range estimates {
		switch {
		case e.N == 0:
		case e.Confidence == 0:
			few = true
		default:
			confidence[e.N] = e.Confidence
		}
	}
	known := make([]string, 0, len(confidence))
	for _, n := range slices.Sorted(maps.Keys(confidence)) {
		known = append(known, fmt.Sprintf("%g %% with %d repeats", math.Floor(10_000*confidence[n])/100, n))
	}
	note := ""
	if len(known) > 0 {
		note = "± is how far the farther end of the median's confidence interval is from it: " + strings.Join(known, ", ") + "."
	}
	if few {
		note = strings.TrimSpace(fmt.Sprintf("%s ± %s: fewer than %d repeats tell no interval.", note, unknownInterval, fewestRepeats))
	}

	return note
}

// Contrast is what one figure of a step came to in two runs.
type Contrast struct {
	Old         Estimate `json:"old"`
	New         Estimate `json:"new"`
	Ratio       *float64 `json:"ratio"` // new median to old; null when the old one is zero
	P           float64  `json:"p"`     // of the Mann-Whitney U test: how likely such a difference is when nothing has changed
	Significant bool     `json:"significant"`
}

// NewContrast compares the values that one figure has in each repeat, without assuming how they are
// distributed. The difference is significant when both sides have MinRepeats(alpha) and p is below
// alpha.
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

// MinRepeats is how many repeats each side needs for a difference to be significant at alpha: 4 for
// 0.05, 5 for 0.01.
func MinRepeats(alpha float64) int {
	n := fewestRepeats
	alpha = max(alpha, math.SmallestNonzeroFloat64)
	for leastP(n) >= alpha {
		n++
	}

	return n
}

// leastP is the p of two sides of n repeats each when all of one are above all of the other: of the
// C(2n, n) ways to order them, two are that extreme.
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
