package main

import (
	"fmt"
	"math"
	"slices"
)

// ratio is how a figure of one program stands to that of another: the median of the rounds, each of
// which is a pair, and an interval that holds the true median in nine of ten benches or more.
type ratio struct{ middle, low, high float64 }

// certain is how often an interval has to hold the true median.
const certain = 0.9

// over is the ratio of a figure of f to that of another. Both have done the same rounds. Figures of
// no rounds are taken as exact.
func (f figures) over(other figures, figure func(figures) float64) ratio {
	if f.runs == nil || other.runs == nil {
		exact := figure(f) / figure(other)

		return ratio{exact, exact, exact}
	}
	rounds := make([]float64, 0, len(*f.runs))
	for i, run := range *f.runs {
		rounds = append(rounds, figure(run)/figure((*other.runs)[i]))
	}

	return ratioOf(rounds)
}

// ratioOf is the median of rounds with its interval, from one order statistic to another: n rounds
// are all on one side of the true median once in 2^(n-1) benches, whatever their distribution. With
// less than five rounds nothing is certain.
func ratioOf(rounds []float64) ratio {
	middle := middle(rounds) // sorts them
	n := len(rounds)
	outside, missed, ways := -1, 0.0, 1.0
	for k := range (n + 1) / 2 {
		missed += 2 * ways / math.Pow(2, float64(n))
		if 1-missed < certain {
			break
		}
		outside = k
		ways = ways * float64(n-k) / float64(k+1)
	}
	if outside < 0 || slices.ContainsFunc(rounds, math.IsNaN) {
		return ratio{middle, 0, math.Inf(1)}
	}

	return ratio{middle, rounds[outside], rounds[n-1-outside]}
}

// bound is what a ratio has to hold.
type bound struct {
	limit   float64
	atLeast bool
}

func atLeast(limit float64) bound { return bound{limit, true} }
func atMost(limit float64) bound  { return bound{limit, false} }

// outcome is what rounds say about a bound.
type outcome string

const (
	held      outcome = "held"
	crossed   outcome = "crossed"
	undecided outcome = "undecided"
	// behind is crossed beside a benchmark that people use or the floor in C, for a reason that is
	// known.
	behind outcome = "behind"
)

// judge says whether the bound is held or crossed by all of the interval. Else the rounds differ
// too much to say.
func (b bound) judge(r ratio) outcome {
	switch {
	case math.IsNaN(r.middle) || math.IsInf(r.middle, 0) || r.middle == 0:
		return crossed // nothing was measured
	case b.good(r.low) && b.good(r.high):
		return held
	case !b.good(r.low) && !b.good(r.high):
		return crossed
	default:
		return undecided
	}
}

// good tells whether a value is on the right side.
func (b bound) good(value float64) bool {
	if b.atLeast {
		return value >= b.limit
	}

	return value <= b.limit
}

func (b bound) String() string {
	sign := "<="
	if b.atLeast {
		sign = ">="
	}

	return fmt.Sprintf("%s %.2f", sign, b.limit)
}

// suffix is what stands behind a bound that is not held.
func (o outcome) suffix() string {
	if o == held {
		return ""
	}

	return ": " + string(o)
}

// bounded is a ratio with its bound.
type bounded struct {
	ratio
	bound
}

func (j bounded) outcome() outcome { return j.judge(j.ratio) }

// String is the ratio with its interval, the bound, and the outcome unless it is held.
func (j bounded) String() string { return j.with(j.outcome()) }

// with is String with another outcome. Nothing over nothing is NaN, which says enough.
func (j bounded) with(o outcome) string {
	said := ""
	if !math.IsNaN(j.middle) {
		said = o.suffix()
	}

	return fmt.Sprintf("%s (%s%s)", j.ratio, j.bound, said)
}

// String is the ratio with its interval.
func (r ratio) String() string {
	switch {
	case r.low == r.high || math.IsNaN(r.middle):
		return fmt.Sprintf("%.2f", r.middle)
	case math.IsInf(r.high, 1):
		return fmt.Sprintf("%.2f, of too few rounds", r.middle)
	default:
		return fmt.Sprintf("%.2f [%.2f, %.2f]", r.middle, r.low, r.high)
	}
}

// valuesOf are those of each round.
func valuesOf[T any](rounds []T, value func(T) float64) []float64 {
	values := make([]float64, 0, len(rounds))
	for _, round := range rounds {
		values = append(values, value(round))
	}

	return values
}
