package stats

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// resamples is the number of draws. With 1000, the spread is accurate to 2 %.
	resamples = 1000
	// mostGroups limits the work: in a longer run, neighbouring pairs are combined.
	mostGroups = 512
	// FewestSlicePairs is the least number of pairs of slices for an interval.
	FewestSlicePairs = 8
)

// Slice is one variant's part of a pair.
type Slice struct {
	// Seconds is the working time of all clients together.
	Seconds float64
	// Operations counts successful ones, Sum is the sum of their durations.
	Operations, Sum float64
	// Counts has the operations by class of duration.
	Counts []float64
}

// SlicePair is two consecutive slices, one of each variant.
type SlicePair struct{ Base, Change Slice }

// Classes are the bounds of classes of durations, in ascending order; one more than there are
// classes.
type Classes []float64

// Ratio is one figure of both variants, and the estimate of its ratio.
type Ratio struct {
	Estimate

	Base, Change float64
}

// Turns has the figures of two alternating variants.
type Turns struct {
	Blocks int
	// Rate is operations a second per client, Mean the mean duration.
	Rate, Mean Ratio
	quantiles  map[float64]Ratio
}

// Quantile returns the figure of a quantile passed to OfSlices.
func (t *Turns) Quantile(q float64) Ratio { return t.quantiles[q] }

// OfSlices estimates the ratios of rates, means and quantiles of two alternating variants, all from
// the same draws. It returns an error if both variants did something in too few pairs.
func OfSlices(pairs iter.Seq[SlicePair], classes Classes, confidence float64, quantiles ...float64) (*Turns, error) {
	both, first, last := 0, math.MaxInt, 0
	n := 0
	for p := range pairs {
		n++
		if p.Base.Operations > 0 && p.Change.Operations > 0 {
			both++
		}
		for _, counts := range [][]float64{p.Base.Counts, p.Change.Counts} {
			for class, n := range counts {
				if n > 0 {
					first, last = min(first, class), max(last, class)
				}
			}
		}
	}
	if both < FewestSlicePairs {
		return nil, fmt.Errorf("an interval takes at least %d pairs of slices with operations of both, and there are %d", FewestSlicePairs, both)
	}
	s := newSample(n, classes[first:last+2], quantiles)
	for p := range pairs {
		s.add(p.Base.sums(first, last), p.Change.sums(first, last))
	}
	for i := range s.groups {
		s.groups[i].base.fill()
		s.groups[i].change.fill()
	}
	length := s.blockLength()
	t := &Turns{Blocks: len(s.groups) / length, quantiles: map[float64]Ratio{}}
	deviations := s.deviations(length)
	estimate := func(base, change, log, deviation, floor float64) Ratio {
		// Correct for one degree of freedom.
		variance := deviation * deviation * float64(t.Blocks) / float64(t.Blocks-1)
		e := newEstimate(log, math.Sqrt(variance+floor*floor), t.Blocks, confidence)

		return Ratio{Estimate: e.student(), Base: base, Change: change}
	}
	base, change := &s.whole.base, &s.whole.change
	total := func(i int, of func(*sums) float64) Ratio {
		return estimate(of(base), of(change), s.whole.log(of), deviations[i], 0)
	}
	t.Rate, t.Mean = total(0, (*sums).rate), total(1, (*sums).mean)
	for i, q := range quantiles {
		b, c := base.quantile(q, s.classes), change.quantile(q, s.classes)
		t.quantiles[q] = estimate(b, c, math.Log(c/b), deviations[figures+i], math.Hypot(base.hidden(b, s.classes), change.hidden(c, s.classes)))
	}

	return t, nil
}

// figures is the number of figures before the quantiles: rate and mean.
const figures = 2

// sums has one variant's operations in several slices.
type sums struct {
	seconds, operations, sum float64

	counts []float64
	// filled are the classes with operations, few in a slice.
	filled []int
}

func (s *sums) rate() float64 { return s.operations / s.seconds }

func (s *sums) mean() float64 { return s.sum / s.operations }

// moves returns the influence of a part on the rate of the whole.
func (s *sums) moves(whole *sums) float64 {
	return (s.operations - whole.rate()*s.seconds) / whole.operations
}

func (s *sums) fill() {
	s.filled = s.filled[:0]
	for i, n := range s.counts {
		if n > 0 {
			s.filled = append(s.filled, i)
		}
	}
}

func (s *sums) add(o *sums, times float64) {
	s.seconds += times * o.seconds
	s.operations += times * o.operations
	s.sum += times * o.sum
	for _, i := range o.filled {
		s.counts[i] += times * o.counts[i]
	}
}

func (s *sums) reset() {
	s.seconds, s.operations, s.sum = 0, 0, 0
	clear(s.counts)
}

func (s *sums) quantile(q float64, classes Classes) float64 {
	wanted, seen := q*s.operations, 0.0
	last := 0.0
	for i, n := range s.counts {
		if n == 0 {
			continue
		}
		last = classes[i+1]
		if seen+n >= wanted {
			return classes[i] + (classes[i+1]-classes[i])*(wanted-seen)/n
		}
		seen += n
	}

	return last
}

// hidden returns the uncertainty of a quantile's logarithm within its class, as a standard
// deviation. It is small if neighbouring classes have as many operations, and largest if this class
// has all.
func (s *sums) hidden(value float64, classes Classes) float64 {
	i := classOf(value, classes)
	around := s.counts[i]
	if i > 0 {
		around += s.counts[i-1]
	}
	if i < len(s.counts)-1 {
		around += s.counts[i+1]
	}
	alone := max(s.counts[i]/around-1.0/3, 0) * 3 / 2

	return alone * math.Log(classes[i+1]/max(classes[i], math.SmallestNonzeroFloat32)) / math.Sqrt(12)
}

func classOf(value float64, classes Classes) int {
	i, _ := slices.BinarySearch(classes, value)

	return min(max(i-1, 0), len(classes)-2)
}

// group is one or several neighbouring pairs.
type group struct {
	base, change sums
}

func (g *group) log(of func(*sums) float64) float64 { return math.Log(of(&g.change) / of(&g.base)) }

func (g *group) add(o *group, times float64) {
	g.base.add(&o.base, times)
	g.change.add(&o.change, times)
}

func (g *group) reset() {
	g.base.reset()
	g.change.reset()
}

// sample is the run that draws are made from.
type sample struct {
	groups    []group
	whole     group
	classes   Classes
	quantiles []float64
	// pairs counts the pairs so far, each is the number of pairs in a group.
	pairs, each int
}

func newSample(n int, classes Classes, quantiles []float64) *sample {
	return &sample{classes: classes, quantiles: quantiles, whole: newGroup(classes), each: (n + mostGroups - 1) / mostGroups}
}

func (s *sample) add(base, change *sums) {
	if s.pairs%s.each == 0 {
		s.groups = append(s.groups, newGroup(s.classes))
	}
	s.pairs++
	for _, g := range []*group{&s.groups[len(s.groups)-1], &s.whole} {
		g.base.add(base, 1)
		g.change.add(change, 1)
	}
}

func newGroup(classes Classes) group {
	n := len(classes) - 1

	return group{base: sums{counts: make([]float64, n)}, change: sums{counts: make([]float64, n)}}
}

// sums returns the slice's sums of the classes from first to last.
func (s *Slice) sums(first, last int) *sums {
	of := &sums{seconds: s.Seconds, operations: s.Operations, sum: s.Sum, counts: s.Counts[first : last+1]}
	of.fill()

	return of
}

// deviations returns the standard deviations of the logarithms of ratios over many draws of blocks.
func (s *sample) deviations(length int) []float64 {
	random := rand.New(rand.NewPCG(uint64(len(s.groups)), uint64(length)))
	first, squares := make([]float64, figures+len(s.quantiles)), make([]float64, figures+len(s.quantiles))
	values, times := make([]float64, len(first)), make([]float64, len(s.groups))
	drawn := newGroup(s.classes)
	for range resamples {
		s.draw(&drawn, times, length, random)
		for drawn.base.operations == 0 || drawn.change.operations == 0 {
			s.draw(&drawn, times, length, random) // draw again if one variant did nothing
		}
		s.logs(&drawn, values)
		for i, v := range values {
			first[i] += v / resamples
			squares[i] += v * v / resamples
		}
	}
	deviations := make([]float64, len(first))
	for i := range deviations {
		deviations[i] = math.Sqrt(max(squares[i]-first[i]*first[i], 0))
	}

	return deviations
}

// draw draws blocks of neighbouring groups; times counts how often each group is drawn.
func (s *sample) draw(drawn *group, times []float64, length int, random *rand.Rand) {
	clear(times)
	n := len(times)
	for left := n; left > 0; left -= length {
		start := random.IntN(n)
		for i := range min(length, left) {
			times[(start+i)%n]++
		}
	}
	drawn.reset()
	for i, k := range times {
		if k > 0 {
			drawn.add(&s.groups[i], k)
		}
	}
}

// logs stores the logarithms of the drawn ratios relative to the whole.
func (s *sample) logs(drawn *group, into []float64) {
	base, change := &s.whole.base, &s.whole.change
	for i, of := range []func(*sums) float64{(*sums).rate, (*sums).mean} {
		into[i] = drawn.log(of) - s.whole.log(of)
	}
	for i, q := range s.quantiles {
		into[figures+i] = math.Log(drawn.change.quantile(q, s.classes) / drawn.base.quantile(q, s.classes) /
			(change.quantile(q, s.classes) / base.quantile(q, s.classes)))
	}
}

// blockLength returns the number of groups in a block: the most that any figure needs.
func (s *sample) blockLength() int {
	length := BlockLength(s.influence((*sums).moves))
	for _, q := range s.quantiles {
		at := [2]int{s.class(&s.whole.base, q), s.class(&s.whole.change, q)}
		length = max(length, BlockLength(s.influence(func(g *sums, whole *sums) float64 {
			class := at[0]
			if whole == &s.whole.change {
				class = at[1]
			}

			return (above(g.counts, class) - above(whole.counts, class)/whole.operations*g.operations) / whole.operations
		})))
	}

	return length
}

// influence returns each group's influence on a figure's ratio.
func (s *sample) influence(of func(g, whole *sums) float64) []float64 {
	values := make([]float64, len(s.groups))
	for i := range s.groups {
		values[i] = of(&s.groups[i].change, &s.whole.change) - of(&s.groups[i].base, &s.whole.base)
	}

	return values
}

func (s *sample) class(g *sums, q float64) int {
	return classOf(g.quantile(q, s.classes), s.classes)
}

func above(counts []float64, class int) (n float64) {
	for _, c := range counts[min(class+1, len(counts)):] {
		n += c
	}

	return n
}
