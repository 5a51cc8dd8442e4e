package stats

import (
	"math"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const (
	// FirstLook is the time of the first check of the precision.
	FirstLook = 3 * time.Second
	// The next check is at least sooner times and at most later times as late as this one.
	sooner = 1.25
	later  = 4
	// more extends the estimated time, because the estimate is uncertain.
	more = 1.1
)

// Aim is the precision of a step's figures: half of the interval relative to the figure; zero: not
// asked for.
type Aim struct{ OpsPerSecond, P99 float64 }

// Some reports whether a precision is set.
func (a Aim) Some() bool { return a != Aim{} }

// NextLook returns the time of the next check, when the precision should be reached by the current
// estimate. Frequent checks would stop at intervals that are narrow by chance.
func (a Aim) NextLook(at time.Duration, reached Aim) time.Duration {
	if at == 0 {
		return FirstLook
	}
	enough := float64(at) * more / max(reached.Done(a), 1e-6)

	return time.Duration(min(max(enough, sooner*float64(at)), later*float64(at)))
}

// Reached returns the precision of a running step's figures, for its least precise kind of
// operation. It is infinite if unknown.
func Reached(r *measure.Reading, clients int) Aim {
	reached, operations := Aim{}, 0.0
	for i := range r.Ops {
		t := &r.Ops[i]
		s, known := NewSpread(t.OverTime, r.Window)
		if !known {
			return Aim{math.Inf(1), math.Inf(1)}
		}
		operations += s.Operations
		reached.OpsPerSecond = max(reached.OpsPerSecond, s.Rate())
		reached.P99 = max(reached.P99, part(s, &t.Durations))
	}
	if operations == 0 {
		return Aim{math.Inf(1), math.Inf(1)}
	}
	// Clients start together, and operations active at the end are not counted.
	reached.OpsPerSecond = max(reached.OpsPerSecond, float64(clients)/operations)

	return reached
}

// part returns half of the interval of p99, relative to it.
func part(s *Spread, d *measure.Distribution) float64 {
	low, high, known := s.Levels(0.99)
	if !known {
		return math.Inf(1)
	}

	return (d.Quantile(high) - d.Quantile(low)).Seconds() / (2 * d.Quantile(0.99).Seconds())
}

// Meets reports whether a precision is at least the one asked for.
func (a Aim) Meets(asked Aim) bool {
	return (asked.OpsPerSecond == 0 || a.OpsPerSecond <= asked.OpsPerSecond) && (asked.P99 == 0 || a.P99 <= asked.P99)
}

// Done estimates the completed share of the time. Intervals narrow with the square root of the
// time.
func (a Aim) Done(asked Aim) float64 {
	done := 1.0
	for _, one := range [][2]float64{{a.OpsPerSecond, asked.OpsPerSecond}, {a.P99, asked.P99}} {
		if is, wanted := one[0], one[1]; wanted > 0 && is > wanted {
			done = min(done, wanted/is*(wanted/is))
		}
	}

	return done
}
