package report

import (
	"fmt"
	"math"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Tolerances for figures that must agree. A histogram's resolution is 0.098 %.
const (
	histogramTolerance = 0.002
	rateTolerance      = 0.001
)

// Tolerances for a mean and its histogram: relative, and in nanoseconds, because a mean is a whole
// number.
const (
	meanTolerance = 0.01
	meanSlack     = 1
)

type keyed struct {
	key   string
	value float64
}

// possible returns an error for the first figure that is negative or not a number.
func possible(figures ...keyed) error {
	for _, f := range figures {
		if math.IsNaN(f.value) || math.IsInf(f.value, 0) || f.value < 0 {
			return fmt.Errorf("%s is %g, which is not a number from 0", f.key, f.value)
		}
	}

	return nil
}

// ascending returns an error for the first figure below the one before it.
func ascending(figures ...keyed) error {
	for i := 1; i < len(figures); i++ {
		if a, b := figures[i-1], figures[i]; a.value > b.value {
			return fmt.Errorf("%s of %g is above %s of %g", a.key, a.value, b.key, b.value)
		}
	}

	return nil
}

// agree returns an error for the first figure, in units of nanoseconds, that differs from the
// distribution's quantile.
func agree(d *measure.Distribution, unit float64, figures []keyed, quantiles ...float64) error {
	for i, q := range quantiles {
		f := figures[i]
		got := d.Quantile(q)
		if q == 0 {
			got = d.Min
		}
		// Above the histogram's range, only the figure is exact.
		highest := float64(measure.Highest) / unit
		if want := float64(got) / unit; !near(min(f.value, highest), min(want, highest), histogramTolerance) {
			return fmt.Errorf("%s is %g, but %g in its histogram", f.key, f.value, want)
		}
	}

	return nil
}

// agreeMean checks a mean against the distribution's, which is unknown above its range.
func agreeMean(d *measure.Distribution, unit time.Duration, mean, highest keyed) error {
	if highest.value > float64(measure.Highest)/float64(unit) {
		return nil
	}
	want := float64(d.Mean()) / float64(unit)
	if !near(mean.value, want, meanTolerance) && math.Abs(mean.value-want)*float64(unit) > meanSlack {
		return fmt.Errorf("%s is %g, but %g in its histogram", mean.key, mean.value, want)
	}

	return nil
}

// near reports whether two positive numbers differ by at most tolerance, relative to the higher
// one.
func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*max(a, b) }
