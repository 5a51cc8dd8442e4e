package paired

import (
	"errors"
	"fmt"
	"math"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Fewest is the least number of pairs for an interval.
const Fewest = 4

// power is the probability of detecting a change of the size of Visible.
const power = 0.8

var errNoRatio = errors.New("has no ratio: both values must be above 0")

// Pair is one figure of both variants.
type Pair struct {
	Base   float64 `json:"base"`
	Change float64 `json:"change"`
}

// Estimate is the ratio of change to base.
type Estimate struct {
	// Ratio is the geometric mean over the pairs.
	Ratio      float64 `json:"ratio"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence"`
	N          int     `json:"n"`

	mean, deviation float64 // mean and deviation of the logarithms of the ratios
	sequential      bool
}

// Of estimates the ratio from a number of pairs that was fixed beforehand. It returns an error for
// fewer than Fewest pairs, and for a value that is not above zero.
func Of(pairs []Pair, confidence float64) (Estimate, error) {
	e, err := newEstimate(pairs, confidence)
	if err != nil {
		return e, err
	}

	return e.within(e.standardError() * stats.StudentQuantile((1-confidence)/2, e.freedom())), nil
}

// Until estimates the ratio from pairs that are checked repeatedly, from the fourth on, for example
// until the interval is narrow enough. With probability confidence, all these intervals contain the
// true ratio. It returns an error for fewer than Fewest pairs, and for a value that is not above
// zero.
func Until(pairs []Pair, confidence float64) (Estimate, error) {
	e, err := newEstimate(pairs, confidence)
	if err != nil {
		return e, err
	}
	e.sequential = true

	return e.within(e.spread() * laiRadius(laiBound(1-confidence), e.N)), nil
}

func newEstimate(pairs []Pair, confidence float64) (Estimate, error) {
	e := Estimate{Confidence: confidence, N: len(pairs)}
	if len(pairs) < Fewest {
		return e, fmt.Errorf("an interval takes at least %d pairs, and there are %d", Fewest, len(pairs))
	}
	logs := make([]float64, len(pairs))
	for i, p := range pairs {
		if !(p.Base > 0 && p.Change > 0) || math.IsInf(p.Base, 0) || math.IsInf(p.Change, 0) {
			return e, fmt.Errorf("pair %d of %g and %g %w", i+1, p.Base, p.Change, errNoRatio)
		}
		logs[i] = math.Log(p.Change / p.Base)
		e.mean += logs[i] / float64(len(pairs))
	}
	for _, l := range logs {
		e.deviation += (l - e.mean) * (l - e.mean)
	}
	e.deviation = math.Sqrt(e.deviation / e.freedom())

	return e, nil
}

// within sets the interval from its half width in logarithms.
func (e Estimate) within(half float64) Estimate {
	e.Ratio, e.Low, e.High = math.Exp(e.mean), math.Exp(e.mean-half), math.Exp(e.mean+half)

	return e
}

// Interval returns the ratio and its interval.
func (e Estimate) Interval() (ratio, low, high float64) { return e.Ratio, e.Low, e.High }

func (e *Estimate) freedom() float64       { return float64(e.N - 1) }
func (e *Estimate) standardError() float64 { return e.deviation / math.Sqrt(float64(e.N)) }

// spread returns the deviation of these pairs, not the sample estimate.
func (e *Estimate) spread() float64 {
	return e.deviation * math.Sqrt(e.freedom()/float64(e.N))
}

// P returns the p-value of the hypothesis that the true ratio is ratio.
func (e Estimate) P(ratio float64) float64 {
	distance := math.Abs(e.mean - math.Log(ratio))
	switch {
	case distance == 0:
		return 1
	case e.deviation == 0:
		return 0
	case e.sequential:
		return laiP(distance/e.spread(), e.N)
	}

	return stats.StudentBeyond(distance/e.standardError(), e.freedom())
}

// Precision returns the relative distance from the ratio to the farther end of the interval.
func (e *Estimate) Precision() float64 { return max(e.High/e.Ratio-1, 1-e.Low/e.Ratio) }

// Visible returns the smallest relative change that such pairs detect with 80 % probability.
func (e Estimate) Visible() float64 {
	half := math.Log(e.High / e.Ratio)

	return math.Expm1(half + e.standardError()*stats.StudentQuantile(1-power, e.freedom()))
}

// PairsFor returns how many such pairs detect a relative change.
func (e *Estimate) PairsFor(change float64) int {
	if e.Visible() <= change {
		return e.N
	}
	if change <= 0 {
		return math.MaxInt
	}
	wider := math.Log1p(e.Visible()) / math.Log1p(change)

	return int(min(math.Ceil(float64(e.N)*wider*wider), math.MaxInt32))
}
