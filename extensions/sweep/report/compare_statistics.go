package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// DefaultAlpha is the default level of significance: one false alarm in twenty judgements.
const DefaultAlpha = 0.05

// FewestRepeats is the least number of repeats for an interval.
const FewestRepeats = 4

// wantedConfidence is reached with 6 or more repeats.
const wantedConfidence = 0.95

// Estimate is the median of a step's repeats with a confidence interval.
type Estimate struct {
	Median float64 `json:"median"`
	// Low and High are the ends of the interval; nil with fewer than 4 repeats.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	// Confidence of the interval: 0.875 with 4 repeats, 0.9375 with 5, at least 0.95 with more.
	Confidence float64 `json:"confidence,omitempty"`
	N          int     `json:"n"`
}

// NewEstimate estimates the median of one figure from its repeats, without assuming a distribution.
// It is zero without values.
//
// The interval lies between two order statistics, by the sign test. With 4 or 5 repeats, it spans
// the lowest and the highest value, with confidence 1 - 2/2^n.
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

// unknownInterval is shown if the repeats are too few.
const unknownInterval = "?"

// plusMinus returns the distance from the median to the farther end, in percent. It is unknown for
// a median of zero.
func (e *Estimate) plusMinus() string {
	switch {
	case e.Median == 0:
		return "-"
	case e.Low == nil || e.High == nil:
		return unknownInterval
	}

	return fmt.Sprintf("%.1f%%", 100*max(*e.High/e.Median-1, 1-*e.Low/e.Median))
}

// plusMinusNote explains ± in a table of these estimates; "" if none has an interval.
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

// Contrast compares one figure of a step in two runs.
type Contrast struct {
	Old   Estimate `json:"old"`
	New   Estimate `json:"new"`
	Ratio *float64 `json:"ratio"` // new median / old median; nil if the old one is zero
	// RatioLow and RatioHigh are the interval of the ratio of the geometric means; nil with fewer than
	// 4 repeats.
	RatioLow  *float64 `json:"ratioLow,omitempty"`
	RatioHigh *float64 `json:"ratioHigh,omitempty"`
	// Visible is the smallest relative change that such repeats detect with 80 % probability.
	Visible float64 `json:"visible,omitempty"`
	// P is the p-value of Welch's t test on the logarithms.
	P float64 `json:"p"`
	// Significant reports whether the interval excludes 1.
	Significant bool `json:"significant"`
}

// NewContrast compares the repeats of one figure. The estimate, for gates, is nil with fewer than 4
// repeats on a side, or if a value is not above zero.
func NewContrast(before, after []float64, alpha float64) (Contrast, *stats.Estimate) {
	c := Contrast{Old: NewEstimate(before), New: NewEstimate(after), P: 1}
	if c.Old.Median != 0 {
		ratio := c.New.Median / c.Old.Median
		c.Ratio = &ratio
	}
	if min(len(before), len(after)) < FewestRepeats {
		return c, nil
	}
	estimate, err := stats.Means(before, after, 1-alpha)
	if err != nil {
		return c, nil // a value of zero has no ratio
	}
	_, low, high := estimate.Interval()
	c.RatioLow, c.RatioHigh, c.Visible, c.P = &low, &high, estimate.Visible(), estimate.P(1)
	c.Significant = low > 1 || high < 1

	return c, estimate
}

// newSample copies the values, because a sample sorts them.
func newSample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.Thresholds{CompareAlpha: DefaultAlpha})
}
