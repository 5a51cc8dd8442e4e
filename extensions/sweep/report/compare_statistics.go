package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
)

// DefaultAlpha is the usual level of significance: where nothing has changed, one judgement in
// twenty says otherwise.
const DefaultAlpha = 0.05

// FewestRepeats is how many repeats an interval takes.
const FewestRepeats = 4

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
	summary := benchmath.AssumeNothing.Summary(newSample(values), wantedConfidence)
	e := Estimate{Median: summary.Center, N: len(values)}
	switch {
	case len(values) < FewestRepeats:
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
		note = strings.TrimSpace(fmt.Sprintf("%s ± %s: fewer than %d repeats tell no interval.", note, unknownInterval, FewestRepeats))
	}

	return note
}

// Contrast is what one figure of a step came to in two runs.
type Contrast struct {
	Old   Estimate `json:"old"`
	New   Estimate `json:"new"`
	Ratio *float64 `json:"ratio"` // new median to old; null when the old one is zero
	// RatioLow and RatioHigh are the ends of the interval of the ratio of the geometric means;
	// missing with fewer than 4 repeats.
	RatioLow  *float64 `json:"ratioLow,omitempty"`
	RatioHigh *float64 `json:"ratioHigh,omitempty"`
	// Visible is the smallest change, as a part, that such repeats show in four cases of five.
	Visible float64 `json:"visible,omitempty"`
	// P is how likely such a difference is when nothing has changed, by Welch's t of the
	// logarithms.
	P float64 `json:"p"`
	// Significant tells that the interval is without 1.
	Significant bool `json:"significant"`
}

// NewContrast compares the values that one figure has in each repeat. The estimate is what a gate
// is judged by; nil with fewer than 4 repeats on a side, and for values that have no ratio.
func NewContrast(before, after []float64, alpha float64) (Contrast, judgement.Estimate) {
	c := Contrast{Old: NewEstimate(before), New: NewEstimate(after), P: 1}
	if c.Old.Median != 0 {
		ratio := c.New.Median / c.Old.Median
		c.Ratio = &ratio
	}
	if min(len(before), len(after)) < FewestRepeats {
		return c, nil
	}
	estimate, err := judgement.Means(before, after, 1-alpha)
	if err != nil {
		return c, nil // a value of zero has no ratio
	}
	_, low, high := estimate.Interval()
	c.RatioLow, c.RatioHigh, c.Visible, c.P = &low, &high, estimate.Visible(), estimate.P(1)
	c.Significant = low > 1 || high < 1

	return c, estimate
}

// newSample copies the values: a sample sorts them.
func newSample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.Thresholds{CompareAlpha: DefaultAlpha})
}
