package stats

import (
	"fmt"
	"math"

	moremath "github.com/aclements/go-moremath/stats"
)

const (
	// FewestPairs is the least number of pairs for an interval.
	FewestPairs = 4
	// FewestRuns is the least number of recorded runs. The deviation of two is too uncertain.
	FewestRuns = 3

	// power is the probability of detecting a change of the size of Visible.
	power    = 0.8
	mostRuns = 100
)

// Estimate is the ratio of change to base, by Student's t on the logarithms.
type Estimate struct {
	// Ratio is the geometric mean, Low and High are its interval.
	Ratio      float64 `json:"ratio"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence"`
	// N is the number of pairs, blocks or recorded runs.
	N int `json:"n"`

	log, standardError, freedom float64
	// half is half of the interval, in logarithms.
	half float64
	// deviation is the standard deviation of the logarithms of base.
	deviation  float64
	sequential bool
}

// Pair is one figure of both variants.
type Pair struct {
	Base   float64 `json:"base"`
	Change float64 `json:"change"`
}

// OfPairs estimates the ratio from a number of pairs that was fixed beforehand. It returns an error
// for fewer than FewestPairs, and for a value that is not above zero.
func OfPairs(pairs []Pair, confidence float64) (Estimate, error) {
	e, err := ofPairs(pairs, confidence)
	if err != nil {
		return e, err
	}

	return e.student(), nil
}

// Sequential estimates the ratio from pairs that are checked repeatedly, from the fourth on, for
// example until the interval is narrow enough. With probability confidence, all these intervals
// contain the true ratio: they are Lai's confidence sequence (T. L. Lai, Annals of Statistics 4,
// 1976; theorem 4.1 in Wang and Ramdas, 2024). It returns the errors of OfPairs.
func Sequential(pairs []Pair, confidence float64) (Estimate, error) {
	e, err := ofPairs(pairs, confidence)
	if err != nil {
		return e, err
	}
	e.sequential = true

	return e.within(e.spread() * laiRadius(laiBound(1-confidence), e.N)), nil
}

func ofPairs(pairs []Pair, confidence float64) (e Estimate, err error) {
	if len(pairs) < FewestPairs {
		return e, fmt.Errorf("an interval takes at least %d pairs, and there are %d", FewestPairs, len(pairs))
	}
	ratios := make([]float64, len(pairs))
	for i, p := range pairs {
		if !(p.Base > 0 && p.Change > 0) || math.IsInf(p.Base, 0) || math.IsInf(p.Change, 0) {
			return e, fmt.Errorf("pair %d of %g and %g has no ratio: both values must be above 0", i+1, p.Base, p.Change)
		}
		ratios[i] = p.Change / p.Base
	}
	log, deviation, err := ofLogs(ratios)

	return newEstimate(log, deviation/math.Sqrt(float64(len(pairs))), len(pairs), confidence), err
}

// newEstimate returns an estimate of n values, without its interval.
func newEstimate(log, standardError float64, n int, confidence float64) Estimate {
	return Estimate{log: log, standardError: standardError, freedom: float64(n - 1), N: n, Confidence: confidence}
}

// FromInterval returns an earlier estimate from its ratio, the upper end of its interval, and its
// number of pairs or blocks.
func FromInterval(ratio, high, confidence float64, n int) Estimate {
	e := newEstimate(math.Log(ratio), 0, n, confidence)
	half := math.Log(high) - e.log
	e.standardError = half / e.quantile()

	return e.within(half)
}

// Another compares one run with recorded ones, by a figure that each run has once. It uses the
// deviation between the recorded runs, times the root of 1 + 1/n.
func Another(recorded []float64, run, confidence float64) (*Estimate, error) {
	if len(recorded) < FewestRuns {
		return nil, tooFew(len(recorded), "recorded run", "runs")
	}
	mean, deviation, err := ofLogs(recorded)
	if err != nil {
		return nil, err
	}
	log, _, err := ofLogs([]float64{run})
	if err != nil {
		return nil, err
	}
	e := newEstimate(log-mean, deviation*predictionFactor(len(recorded)), len(recorded), confidence).student()
	e.deviation = deviation

	return &e, nil
}

func tooFew(n int, noun, all string) error {
	if n == 1 {
		return fmt.Errorf("1 %s tells nothing of how much %s differ", noun, all)
	}

	return fmt.Errorf("%d %ss tell nothing of how much %s differ", n, noun, all)
}

// predictionFactor returns the factor for the deviation between one run and the mean of n.
func predictionFactor(n int) float64 { return math.Sqrt(1 + 1/float64(n)) }

// Means compares the means of two sets of repeats by Welch's t test.
func Means(base, change []float64, confidence float64) (*Estimate, error) {
	if n := min(len(base), len(change)); n < FewestRuns {
		return nil, tooFew(n, "repeat", "repeats")
	}
	mean, deviation, err := ofLogs(base)
	if err != nil {
		return nil, err
	}
	changed, changedDeviation, err := ofLogs(change)
	if err != nil {
		return nil, err
	}
	n, m := float64(len(base)), float64(len(change))
	a, b := deviation*deviation/n, changedDeviation*changedDeviation/m
	e := newEstimate(changed-mean, math.Sqrt(a+b), len(base), confidence)
	e.freedom = n + m - 2
	if a+b > 0 {
		e.freedom = (a + b) * (a + b) / (a*a/(n-1) + b*b/(m-1))
	}
	e = e.student()

	return &e, nil
}

// ofLogs returns the mean and the standard deviation of the values' logarithms.
func ofLogs(values []float64) (mean, deviation float64, err error) {
	logs := make([]float64, len(values))
	for i, v := range values {
		if !(v > 0) || math.IsInf(v, 0) {
			return 0, 0, fmt.Errorf("%g has no ratio to others: it must be above 0", v)
		}
		logs[i] = math.Log(v)
		mean += logs[i] / float64(len(values))
	}
	if len(values) < 2 {
		return mean, 0, nil
	}
	for _, l := range logs {
		deviation += (l - mean) * (l - mean)
	}

	return mean, math.Sqrt(deviation / float64(len(values)-1)), nil
}

// quantile returns the half width of the interval, in standard errors.
func (e *Estimate) quantile() float64 { return StudentQuantile((1-e.Confidence)/2, e.freedom) }

func (e Estimate) student() Estimate { return e.within(e.standardError * e.quantile()) }

// within sets the interval from its half width in logarithms.
func (e Estimate) within(half float64) Estimate {
	e.half = half
	e.Ratio, e.Low, e.High = math.Exp(e.log), math.Exp(e.log-half), math.Exp(e.log+half)

	return e
}

// Interval returns the ratio and its interval.
func (e *Estimate) Interval() (ratio, low, high float64) { return e.Ratio, e.Low, e.High }

// spread returns the deviation of these pairs, not the sample estimate.
func (e *Estimate) spread() float64 { return e.standardError * math.Sqrt(e.freedom) }

// P returns the p-value of the hypothesis that the true ratio is ratio.
func (e *Estimate) P(ratio float64) float64 {
	distance := math.Abs(e.log - math.Log(ratio))
	switch {
	case distance == 0:
		return 1
	case e.standardError == 0:
		return 0
	case e.sequential:
		return laiP(distance/e.spread(), e.N)
	}

	return StudentBeyond(distance/e.standardError, e.freedom)
}

// Precision returns the relative distance from the ratio to the farther end of the interval.
func (e *Estimate) Precision() float64 { return max(e.High/e.Ratio-1, 1-e.Low/e.Ratio) }

// Visible returns the smallest relative change that is detected with 80 % probability.
func (e *Estimate) Visible() float64 {
	return math.Expm1(e.half + e.standardError*StudentQuantile(1-power, e.freedom))
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

// Deviation returns the relative deviation of recorded runs from their mean.
func (e *Estimate) Deviation() float64 { return math.Expm1(e.deviation) }

// RunsFor returns how many recorded runs with this deviation would show a relative change in one
// run; zero if no number would.
func (e *Estimate) RunsFor(change float64) int {
	for n := max(FewestRuns, e.N); n <= mostRuns; n++ {
		another := newEstimate(0, e.deviation*predictionFactor(n), n, e.Confidence).student()
		if another.Visible() <= change {
			return n
		}
	}

	return 0
}

// laiFirst is the number of values from which on the sequence holds.
const laiFirst = FewestPairs

// laiBound returns the a of the theorem, which solves alpha = 2 (1 - F(a) + a f(a)) with F and f of
// laiFirst - 1 degrees of freedom.
func laiBound(alpha float64) float64 {
	// The right side falls from the square root of the degrees of freedom on, at a value above any
	// useful alpha.
	return Root(func(a float64) float64 {
		if a < 1 {
			return 1
		}

		return laiAlpha(a) - alpha
	})
}

func laiAlpha(a float64) float64 {
	t := moremath.TDist{V: laiFirst - 1}

	return StudentBeyond(a, laiFirst-1) + 2*a*t.PDF(a)
}

// laiRadius returns the half width of the interval of n values, in their standard deviations.
func laiRadius(a float64, n int) float64 {
	const first = laiFirst
	ratio := float64(n) / first * math.Pow(1+a*a/(first-1), first)

	return math.Sqrt(math.Pow(ratio, 1/float64(n)) - 1)
}

// laiP returns the alpha of the sequence whose interval has this half width.
func laiP(distance float64, n int) float64 {
	const first = laiFirst
	// Logarithms avoid an overflow of the power of n.
	logOfRatio := float64(n) * math.Log1p(distance*distance)
	logOfBase := (logOfRatio - math.Log(float64(n)/first)) / first
	if logOfBase <= 0 {
		return 1
	}
	a := math.Sqrt((first - 1) * math.Expm1(logOfBase))
	if math.IsInf(a, 0) {
		return 0
	}
	if a < 1 {
		return 1
	}

	return min(1, laiAlpha(a))
}
