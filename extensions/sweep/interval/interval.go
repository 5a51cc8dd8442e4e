package interval

import (
	"math"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

const (
	// Coverage is how often an interval has the truth.
	Coverage = 0.95

	// leastSlots and leastOperations are how much an interval takes.
	leastSlots      = 20
	leastOperations = 100
)

// Spread is how much the figures of a kind of operation vary in a step.
type Spread struct {
	// Operations are those that the figures rest on.
	Operations float64

	slots   []slot
	seconds float64
	sum     float64
	classes classes
}

// slot is what was done in a part of the step's time.
type slot struct {
	seconds, operations, sum float64
	classes                  classes
}

// classes are how many operations took how long, by the upper bounds of their counters, in
// ascending order.
type classes []class

type class struct{ highest, operations float64 }

// New reads the spread of a kind of operation from the slots that lie within the time that counts;
// false: there is too little to tell it.
func New(o *measure.OverTime, counts time.Duration) (*Spread, bool) {
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

// add takes a slot into the sums.
func (s *Spread) add(one *slot) {
	s.slots = append(s.slots, *one)
	s.seconds += one.seconds
	s.Operations += one.operations
	s.sum += one.sum
}

// Rate is the half of the interval of operations a second, as a part of them.
func (s *Spread) Rate() float64 {
	steady := s.afterStart()
	rate := steady.Operations / steady.seconds
	half := steady.half(func(g *slot) float64 { return (g.operations - rate*g.seconds) / steady.Operations })

	return half * math.Sqrt(steady.seconds/s.seconds)
}

// startMeans and mostStart are for how long the start is left out: as many means of the durations,
// and at most this part of the step.
const (
	startMeans = 3
	mostStart  = 0.25
)

// afterStart is the step without its start. All clients begin together: in the time of the first
// operations fewer end than later, by up to one of each client. This is the same in each step, and
// would be taken for something that comes and goes.
func (s *Spread) afterStart() *Spread {
	start := startMeans * s.sum / s.Operations
	skip := min(int(math.Ceil(start/s.slots[0].seconds)), int(mostStart*float64(len(s.slots))))
	rest := &Spread{}
	for i := range s.slots[skip:] {
		rest.add(&s.slots[skip+i])
	}
	if rest.Operations == 0 { // the server did nothing after the start
		return s
	}

	return rest
}

// Mean is the half of the interval of the mean duration, as a part of it.
func (s *Spread) Mean() float64 {
	mean := s.sum / s.Operations

	return s.half(func(g *slot) float64 { return (g.sum - mean*g.operations) / s.sum })
}

// Levels are the levels at which the histogram of all operations has the ends of the interval of a
// quantile; false: they are too few to tell the upper one.
func (s *Spread) Levels(q float64) (low, high float64, known bool) {
	bound, above := s.classes.around(q, s.Operations)
	independent := math.Sqrt(q * (1 - q) / s.Operations)
	half := normal * independent
	if above > 0 && above < 1 {
		measured := s.half(func(g *slot) float64 { return (g.classes.above(bound) - above*g.operations) / s.Operations })
		// The spread is that of the part above a bound of the classes: the one that is wanted is near.
		half = max(half, measured*math.Sqrt(q*(1-q)/(above*(1-above))))
	}

	return max(q-half, 0), q + half, q+half < 1-1/(2*s.Operations)
}

// normal is what 95 of 100 values of a normal distribution are within, in standard deviations.
const normal = 1.96

// half is the half of the interval of a sum to which each slot adds a value; the values have the
// mean zero.
func (s *Spread) half(adds func(g *slot) float64) float64 {
	values := make([]float64, len(s.slots))
	for i := range s.slots {
		values[i] = adds(&s.slots[i])
	}
	length := min(max(2*stats.BlockLength(values), len(values)/mostBlocks, 1), max(len(values)/fewestBlocks, 1))
	blocks := float64(len(values)) / float64(length)
	v := variance(values, length)
	grows := v - variance(values, (length+1)/2)
	v = max(v+grows, v-min(-grows, v)/2)

	return math.Sqrt(v*blocks/(blocks-1)) * stats.StudentQuantile((1-Coverage)/2, blocks-1)
}

// fewestBlocks and mostBlocks are how many blocks there are: what hangs together for longer than
// the correlations show takes long ones, and few say little.
const (
	fewestBlocks = 10
	mostBlocks   = 20
)

// variance is that of the sum of values whose mean is zero, in a circular block bootstrap.
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
