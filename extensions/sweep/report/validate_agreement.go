package report

import (
	"fmt"
	"math"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// How far figures may be apart that say the same. A histogram tells values apart to 0.098 %.
const (
	histogramTolerance = 0.002
	rateTolerance      = 0.001
)

// How far a mean may be from its histogram's: a part of it, and nanoseconds, since a mean is a
// whole number of them.
const (
	meanTolerance = 0.01
	meanSlack     = 1
)

// keyed is a number by the key that it has in the JSON.
type keyed struct {
	key   string
	value float64
}

// possible returns an error for the first figure that is negative or no number.
func possible(figures ...keyed) error {
	for _, f := range figures {
		if math.IsNaN(f.value) || math.IsInf(f.value, 0) || f.value < 0 {
			return fmt.Errorf("%s is %g, which is not a number from 0", f.key, f.value)
		}
	}

	return nil
}

// ascending returns an error for the first figure that is below the one before it.
func ascending(figures ...keyed) error {
	for i := 1; i < len(figures); i++ {
		if a, b := figures[i-1], figures[i]; a.value > b.value {
			return fmt.Errorf("%s of %g is above %s of %g", a.key, a.value, b.key, b.value)
		}
	}

	return nil
}

// agree returns an error for the first figure, in units of so many ns, that is not the quantile of
// the distribution.
func agree(d *measure.Distribution, unit float64, figures []keyed, quantiles ...float64) error {
	for i, q := range quantiles {
		f := figures[i]
		got := d.Quantile(q)
		if q == 0 {
			got = d.Min
		}
		// Above what a histogram tells apart, the figure is exact and the histogram is not.
		highest := float64(measure.Highest) / unit
		if want := float64(got) / unit; !near(min(f.value, highest), min(want, highest), histogramTolerance) {
			return fmt.Errorf("%s is %g, but %g in its histogram", f.key, f.value, want)
		}
	}

	return nil
}

// agreeMean holds a mean against the distribution's, which is not known for durations above its
// range. The unit is the one of the figures.
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

// near tells whether two numbers from 0 are apart by no more than the part tolerance of the higher
// one.
func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*max(a, b) }
