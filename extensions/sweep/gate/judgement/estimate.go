package judgement

import (
	"fmt"
	"math"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// FewestRuns is how many recorded runs an interval of another run takes. Two tell their deviation
// so badly that nothing but a change by several times would show.
const FewestRuns = 3

// power is how often a change of the size that Visible returns is seen.
const power = 0.8

// mostRuns is how many recorded runs RunsFor tries.
const mostRuns = 100

// Ratio is the ratio of a figure of a change to that of its base, by Student's t of the logarithms
// of the figure.
type Ratio struct {
	// Geometric is the ratio of the geometric means.
	Geometric float64
	// Low and High are the ends of the interval.
	Low, High float64

	log, standardError, freedom, confidence float64

	// recorded and deviation are the number of base's values and the standard deviation of their
	// logarithms.
	recorded  int
	deviation float64
}

// Another is the ratio of one more run to recorded ones, by a figure that each run has once. The
// deviation between runs is that of the recorded ones: n of them and one more differ by the root of
// 1 + 1/n times that.
func Another(recorded []float64, run, confidence float64) (*Ratio, error) {
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
	r := &Ratio{log: log - mean, freedom: float64(len(recorded) - 1), recorded: len(recorded), deviation: deviation, confidence: confidence}
	r.standardError = deviation * besides(len(recorded))

	return r.within(), nil
}

// tooFew is the error of so few values that they tell no deviation.
func tooFew(n int, noun, all string) error {
	if n == 1 {
		return fmt.Errorf("1 %s tells nothing of how much %s differ", noun, all)
	}

	return fmt.Errorf("%d %ss tell nothing of how much %s differ", n, noun, all)
}

// besides is by how many deviations the mean of n recorded runs and another run differ.
func besides(n int) float64 { return math.Sqrt(1 + 1/float64(n)) }

// Means is the ratio of the means of two sets of repeats, by Welch's t: their deviations may
// differ.
func Means(base, change []float64, confidence float64) (*Ratio, error) {
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
	r := &Ratio{
		log: changed - mean, standardError: math.Sqrt(a + b), freedom: n + m - 2,
		recorded: len(base), deviation: deviation, confidence: confidence,
	}
	if a+b > 0 {
		r.freedom = (a + b) * (a + b) / (a*a/(n-1) + b*b/(m-1))
	}

	return r.within(), nil
}

// ofLogs are the mean and the deviation of the logarithms of values, which must be above zero.
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

// within sets the ratio and its interval.
func (r *Ratio) within() *Ratio {
	half := r.standardError * stats.StudentQuantile((1-r.confidence)/2, r.freedom)
	r.Geometric, r.Low, r.High = math.Exp(r.log), math.Exp(r.log-half), math.Exp(r.log+half)

	return r
}

// Interval returns the ratio and its interval.
func (r *Ratio) Interval() (ratio, low, high float64) { return r.Geometric, r.Low, r.High }

// P is how likely figures that differ from ratio as much as these are when ratio is the true one.
func (r *Ratio) P(ratio float64) float64 {
	distance := math.Abs(r.log - math.Log(ratio))
	switch {
	case distance == 0:
		return 1
	case r.standardError == 0:
		return 0
	}

	return stats.StudentBeyond(distance/r.standardError, r.freedom)
}

// Visible is the smallest change, as a part of base, that such figures show in four cases of five:
// their interval is then without 1.
func (r *Ratio) Visible() float64 {
	return math.Expm1(r.standardError * units(r.freedom, r.confidence))
}

// units is how many standard errors of so many degrees of freedom a change has to have to be seen.
func units(freedom, confidence float64) float64 {
	return stats.StudentQuantile((1-confidence)/2, freedom) + stats.StudentQuantile(1-power, freedom)
}

// Deviation is by which part recorded runs differ from their mean.
func (r *Ratio) Deviation() float64 { return math.Expm1(r.deviation) }

// RunsFor is how many recorded runs of such a deviation it takes to see a change, as a part of
// base, in one run beside them. It is zero where no number of them does: another run alone differs
// by too much.
func (r *Ratio) RunsFor(change float64) int {
	for n := max(FewestRuns, r.recorded); n <= mostRuns; n++ {
		if math.Expm1(r.deviation*besides(n)*units(float64(n-1), r.confidence)) <= change {
			return n
		}
	}

	return 0
}
