package stats

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const (
	// Coverage is the confidence of all intervals.
	Coverage = 0.95

	// leastSlots and leastOperations are required for an interval.
	leastSlots      = 20
	leastOperations = 100
)

// Spread describes how the figures of one kind of operation vary within a step.
type Spread struct {
	Operations float64

	slots   []slot
	seconds float64
	sum     float64
	classes classes
}

type slot struct {
	seconds, operations, sum float64
	classes                  classes
}

// classes count operations by duration, given by the upper bounds of the counters, in ascending
// order.
type classes []class

type class struct{ highest, operations float64 }

// NewSpread reads the spread from the slots within the counted time. It returns false if there is
// too little data.
func NewSpread(o *measure.OverTime, counts time.Duration) (*Spread, bool) {
	if o == nil {
		return nil, false
	}
	s := &Spread{}
	all := map[float64]float64{}
	for i := range o.Slots {
		if length := min(o.Length(i, counts), o.Width); time.Duration(i)*o.Width+length > counts || length < o.Width/2 {
			break
		}
		one := slot{seconds: o.Width.Seconds()}
		o.Slots[i].Each(func(from, to time.Duration, n uint64) {
			c := class{to.Seconds(), float64(n)}
			one.operations += c.operations
			one.sum += c.operations * (from + (to-from)/2).Seconds()
			one.classes = append(one.classes, c)
			all[c.highest] += c.operations
		})
		s.add(&one)
	}
	s.classes = ascending(all)

	return s, len(s.slots) >= leastSlots && s.Operations >= leastOperations
}

func (s *Spread) add(one *slot) {
	s.slots = append(s.slots, *one)
	s.seconds += one.seconds
	s.Operations += one.operations
	s.sum += one.sum
}

// Rate returns half of the interval of ops/s, relative to ops/s.
func (s *Spread) Rate() float64 {
	steady := s.afterStart()
	rate := steady.Operations / steady.seconds
	half := steady.half(func(g *slot) float64 { return (g.operations - rate*g.seconds) / steady.Operations })

	return half * math.Sqrt(steady.seconds/s.seconds)
}

// Rate leaves out the start of a step: startMeans mean durations, but at most the share mostStart
// of the step.
const (
	startMeans = 3
	mostStart  = 0.25
)

// afterStart returns the step without its start. All clients begin together, so fewer operations
// end at first: up to one fewer for each client. Every step has this dip, so it must not count as
// variation.
func (s *Spread) afterStart() *Spread {
	start := startMeans * s.sum / s.Operations
	skip := min(int(math.Ceil(start/s.slots[0].seconds)), int(mostStart*float64(len(s.slots))))
	rest := &Spread{}
	for i := range s.slots[skip:] {
		rest.add(&s.slots[skip+i])
	}
	if rest.Operations == 0 { // no operations after the start
		return s
	}

	return rest
}

// Mean returns half of the interval of the mean duration, relative to it.
func (s *Spread) Mean() float64 {
	mean := s.sum / s.Operations

	return s.half(func(g *slot) float64 { return (g.sum - mean*g.operations) / s.sum })
}

// Levels returns the levels of the histogram at the ends of a quantile's interval; false with too
// few operations for the upper one.
func (s *Spread) Levels(q float64) (low, high float64, known bool) {
	bound, above := s.classes.around(q, s.Operations)
	independent := math.Sqrt(q * (1 - q) / s.Operations)
	half := normal * independent
	if above > 0 && above < 1 {
		measured := s.half(func(g *slot) float64 { return (g.classes.above(bound) - above*g.operations) / s.Operations })
		// The spread was measured at the nearest bound of the classes; scale it to the quantile.
		half = max(half, measured*math.Sqrt(q*(1-q)/(above*(1-above))))
	}

	return max(q-half, 0), q + half, q+half < 1-1/(2*s.Operations)
}

// normal is the 97.5 % quantile of the normal distribution.
const normal = 1.96

// half returns half of the interval of a sum of values with mean zero, one for each slot.
func (s *Spread) half(adds func(g *slot) float64) float64 {
	values := make([]float64, len(s.slots))
	for i := range s.slots {
		values[i] = adds(&s.slots[i])
	}
	length := min(max(2*BlockLength(values), len(values)/mostBlocks, 1), max(len(values)/fewestBlocks, 1))
	blocks := float64(len(values)) / float64(length)
	v := variance(values, length)
	grows := v - variance(values, (length+1)/2)
	v = max(v+grows, v-min(-grows, v)/2)

	return math.Sqrt(v*blocks/(blocks-1)) * StudentQuantile((1-Coverage)/2, blocks-1)
}

// fewestBlocks and mostBlocks limit the number of blocks: few, long blocks cover long correlations,
// but very few are imprecise.
const (
	fewestBlocks = 10
	mostBlocks   = 20
)

// variance returns the variance of the sum of values with mean zero, by a circular block bootstrap.
// Short blocks cut correlations and underestimate it, so the growth from half the length is added
// once more (lugsail); of a decrease, only half is taken.
func variance(values []float64, length int) float64 {
	block := 0.0
	for _, v := range values[:length] {
		block += v
	}
	squares := 0.0
	for i, v := range values {
		squares += block * block
		block += values[(i+length)%len(values)] - v
	}

	return squares / float64(length)
}

func ascending(all map[float64]float64) classes {
	c := make(classes, 0, len(all))
	for highest, operations := range all {
		c = append(c, class{highest, operations})
	}
	slices.SortFunc(c, func(a, b class) int { return cmp.Compare(a.highest, b.highest) })

	return c
}

func (c classes) above(bound float64) float64 {
	n := 0.0
	for i := len(c) - 1; i >= 0 && c[i].highest > bound; i-- {
		n += c[i].operations
	}

	return n
}

// around returns the bound nearest to a quantile, and the share of longer operations.
func (c classes) around(q, operations float64) (bound, above float64) {
	left, nearest := operations, math.Inf(1)
	for _, one := range c {
		left -= one.operations
		part := left / operations
		if far := math.Abs(part - (1 - q)); far < nearest {
			nearest, bound, above = far, one.highest, part
		}
	}

	return bound, above
}

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
