package judgement

import (
	"fmt"
	"math"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// FewestRuns is the least number of recorded runs. The deviation of two is too uncertain.
const FewestRuns = 3

// power is the probability of detecting a change of the size of Visible.
const power = 0.8

const mostRuns = 100

// Ratio is the ratio of change to base, by Student's t on the logarithms.
type Ratio struct {
	// Geometric is the ratio of the geometric means.
	Geometric float64
	// Low and High are the interval.
	Low, High float64

	log, standardError, freedom, confidence float64

	// recorded is the number of base's values, deviation the standard deviation of their logarithms.
	recorded  int
	deviation float64
}

// Another compares one run with recorded ones, by a figure that each run has once. It uses the
// deviation between the recorded runs, times the root of 1 + 1/n.
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
	r.standardError = deviation * predictionFactor(len(recorded))

	return r.within(), nil
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

func (r *Ratio) within() *Ratio {
	half := r.standardError * stats.StudentQuantile((1-r.confidence)/2, r.freedom)
	r.Geometric, r.Low, r.High = math.Exp(r.log), math.Exp(r.log-half), math.Exp(r.log+half)

	return r
}

// Interval returns the ratio and its interval.
func (r *Ratio) Interval() (ratio, low, high float64) { return r.Geometric, r.Low, r.High }

// P returns the p-value of the hypothesis that the true ratio is ratio.
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

// Visible returns the smallest relative change that is detected with 80 % probability.
func (r *Ratio) Visible() float64 {
	return math.Expm1(r.standardError * units(r.freedom, r.confidence))
}

// units returns the smallest detectable change in standard errors.
func units(freedom, confidence float64) float64 {
	return stats.StudentQuantile((1-confidence)/2, freedom) + stats.StudentQuantile(1-power, freedom)
}

// Deviation returns the relative deviation of recorded runs from their mean.
func (r *Ratio) Deviation() float64 { return math.Expm1(r.deviation) }

// RunsFor returns how many recorded runs with this deviation would show a relative change in one
// run; zero if no number would.
func (r *Ratio) RunsFor(change float64) int {
	for n := max(FewestRuns, r.recorded); n <= mostRuns; n++ {
		if math.Expm1(r.deviation*predictionFactor(n)*units(float64(n-1), r.confidence)) <= change {
			return n
		}
	}

	return 0
}
