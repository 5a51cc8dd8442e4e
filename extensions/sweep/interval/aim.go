package interval

import (
	"math"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const (
	// FirstLook is after how long it is looked for the first time whether enough is known.
	FirstLook = 3 * time.Second
	// sooner and later are when the next look is at least and at most, in times of the one before.
	sooner = 1.25
	later  = 4
	// more is by how much longer is measured than the interval asks for: it is not known exactly.
	more = 1.1
)

// Aim is how well a step's figures are to be known: the half of an interval, as a part of its
// figure; zero: it does not matter.
type Aim struct{ OpsPerSecond, P99 float64 }

// Some tells whether a figure is to be known.
func (a Aim) Some() bool { return a != Aim{} }

// NextLook is when to look again whether enough is known, after a look at some time: when that
// should be the case, by what was known then. Who looks all the time stops where chance makes an
// interval narrow, and is wrong more often than the interval says.
func (a Aim) NextLook(at time.Duration, reached Aim) time.Duration {
	if at == 0 {
		return FirstLook
	}
	enough := float64(at) * more / max(reached.Done(a), 1e-6)

	return time.Duration(min(max(enough, sooner*float64(at)), later*float64(at)))
}

// Reached is how well the figures of a step that goes on are known by now: of the kind of operation
// of which it is the least. It is infinite where that cannot be told yet.
func Reached(r *measure.Reading, clients int) Aim {
	reached, operations := Aim{}, 0.0
	for i := range r.Ops {
		t := &r.Ops[i]
		s, known := New(t.OverTime, r.Window)
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
	// All clients begin together, and what they are at when the step ends is not counted.
	reached.OpsPerSecond = max(reached.OpsPerSecond, float64(clients)/operations)

	return reached
}

// part is the half of the interval of p99, as a part of it.
func part(s *Spread, d *measure.Distribution) float64 {
	low, high, known := s.Levels(0.99)
	if !known {
		return math.Inf(1)
	}

	return (d.Quantile(high) - d.Quantile(low)).Seconds() / (2 * d.Quantile(0.99).Seconds())
}

// Meets tells whether what has been reached is as well as it was to be.
func (a Aim) Meets(asked Aim) bool {
	return (asked.OpsPerSecond == 0 || a.OpsPerSecond <= asked.OpsPerSecond) && (asked.P99 == 0 || a.P99 <= asked.P99)
}

// Done is which part of the way to what was asked for is done: intervals narrow with the root of
// the time.
func (a Aim) Done(asked Aim) float64 {
	done := 1.0
	for _, one := range [][2]float64{{a.OpsPerSecond, asked.OpsPerSecond}, {a.P99, asked.P99}} {
		if is, wanted := one[0], one[1]; wanted > 0 && is > wanted {
			done = min(done, wanted/is*(wanted/is))
		}
	}

	return done
}
