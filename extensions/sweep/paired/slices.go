package paired

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

const (
	// resamples is how often the run is drawn anew: the spread is then known to 2 %.
	resamples = 1000
	// mostGroups bounds the work: neighbouring pairs of a longer run are taken together.
	mostGroups = 512
	// FewestPairs is how many pairs of slices an interval takes.
	FewestPairs = 8
)

// Slice is what one variant did in a slice of a run.
type Slice struct {
	// Seconds is for how long clients were at work, all together.
	Seconds float64
	// Operations are those that succeeded, and Sum is that of their durations.
	Operations, Sum float64
	// Counts are the operations by class of duration.
	Counts []float64
}

// SlicePair is two slices that followed each other, one of each variant.
type SlicePair struct{ Base, Change Slice }

// Classes are the bounds of the classes that durations are counted in, in ascending order: one more
// than there are classes.
type Classes []float64

// Ratio is a figure of both variants, with its estimate.
type Ratio struct {
	Estimate

	Base, Change float64
}

// Turns are the figures of two variants that took turns.
type Turns struct {
	// Blocks is how many parts of the run count as independent.
	Blocks int
	// Rate is of operations a second of one client, Mean of the durations.
	Rate, Mean Ratio
	quantiles  map[float64]Ratio
}

// Quantile is the figure of a quantile that was asked for.
func (t *Turns) Quantile(q float64) Ratio { return t.quantiles[q] }

// OfSlices estimates the ratios of rates, means and quantiles of two variants that took turns. All
// come from the same draws.
//
// It returns an error where the pairs in which both variants did something are too few.
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
	if both < FewestPairs {
		return nil, fmt.Errorf("an interval takes at least %d pairs of slices with operations of both, and there are %d", FewestPairs, both)
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
		e := Estimate{Confidence: confidence, N: t.Blocks, mean: log}
		// What was drawn varies less than what it was drawn from, by one degree of freedom.
		variance := deviation * deviation * float64(t.Blocks) / e.freedom()
		e.deviation = math.Sqrt((variance + floor*floor) * float64(t.Blocks))

		return Ratio{Estimate: e.within(e.standardError() * stats.StudentQuantile((1-confidence)/2, e.freedom())), Base: base, Change: change}
	}
	base, change := &s.whole.base, &s.whole.change
	total := func(i int, of func(*totals) float64) Ratio {
		return estimate(of(&base.totals), of(&change.totals), s.whole.log(of), deviations[i], 0)
	}
	t.Rate, t.Mean = total(0, (*totals).rate), total(1, (*totals).mean)
	for i, q := range quantiles {
		b, c := base.quantile(q, s.classes), change.quantile(q, s.classes)
		t.quantiles[q] = estimate(b, c, math.Log(c/b), deviations[figures+i], math.Hypot(base.hidden(b, s.classes), change.hidden(c, s.classes)))
	}

	return t, nil
}

// figures is how many figures of a draw come before the quantiles: rate and mean.
const figures = 2

// totals are what rates and means are of.
type totals struct{ seconds, operations, sum float64 }

func (t *totals) add(o *totals, times float64) {
	t.seconds += times * o.seconds
	t.operations += times * o.operations
	t.sum += times * o.sum
}

func (t *totals) rate() float64 { return t.operations / t.seconds }

func (t *totals) mean() float64 { return t.sum / t.operations }

// moves is by how much a part of the whole moves its rate.
func (t *totals) moves(whole *totals) float64 {
	return (t.operations - whole.rate()*t.seconds) / whole.operations
}

// sums are what one variant did in several slices.
type sums struct {
	totals

	counts []float64
	// filled are the classes with operations: few of them in a slice.
	filled []int
}

func (s *sums) fill() {
	s.filled = s.filled[:0]
	for i, n := range s.counts {
		if n > 0 {
			s.filled = append(s.filled, i)
		}
	}
}

// add adds what was filled.
func (s *sums) add(o *sums, times float64) {
	s.totals.add(&o.totals, times)
	for _, i := range o.filled {
		s.counts[i] += times * o.counts[i]
	}
}

func (s *sums) reset() {
	s.totals = totals{}
	clear(s.counts)
}

// quantile is found in its class as if that were filled evenly.
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

// hidden is how much of a quantile's logarithm its class hides, as a standard deviation. Where the
// classes beside it hold as many operations, the quantile's place in its class is known; where it
// holds them all, the quantile may be anywhere in it.
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

// classOf is the class that a value is in.
func classOf(value float64, classes Classes) int {
	i, _ := slices.BinarySearch(classes, value)

	return min(max(i-1, 0), len(classes)-2)
}

// group is what both variants did in one or several neighbouring pairs.
type group struct {
	base, change sums
}

// log is the logarithm of the ratio of a figure.
func (g *group) log(of func(*totals) float64) float64 {
	return math.Log(of(&g.change.totals) / of(&g.base.totals))
}

// add adds all that another group did, so many times.
func (g *group) add(o *group, times float64) {
	g.base.add(&o.base, times)
	g.change.add(&o.change, times)
}

func (g *group) reset() {
	g.base.reset()
	g.change.reset()
}

// sample is a run as it is drawn from.
type sample struct {
	groups    []group
	whole     group
	classes   Classes
	quantiles []float64
	// pairs is how many there are by now, and each how many of them are in a group.
	pairs, each int
}

// newSample is one of so many pairs.
func newSample(n int, classes Classes, quantiles []float64) *sample {
	return &sample{classes: classes, quantiles: quantiles, whole: newGroup(classes), each: (n + mostGroups - 1) / mostGroups}
}

// add adds the next pair.
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

func (s *Slice) totals() totals { return totals{s.Seconds, s.Operations, s.Sum} }

// sums are the slice's, of the classes from first to last.
func (s *Slice) sums(first, last int) *sums {
	of := &sums{totals: s.totals(), counts: s.Counts[first : last+1]}
	of.fill()

	return of
}

// deviations are the standard deviations of the logarithms of the ratios, over many draws of blocks
// of neighbouring groups.
func (s *sample) deviations(length int) []float64 {
	random := rand.New(rand.NewPCG(uint64(len(s.groups)), uint64(length)))
	first, squares := make([]float64, figures+len(s.quantiles)), make([]float64, figures+len(s.quantiles))
	values, times := make([]float64, len(first)), make([]float64, len(s.groups))
	drawn := newGroup(s.classes)
	for range resamples {
		s.draw(&drawn, times, length, random)
		for drawn.base.operations == 0 || drawn.change.operations == 0 {
			s.draw(&drawn, times, length, random) // it had nothing but groups in which one variant did nothing
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

// draw makes a run of blocks of neighbouring groups; times is where it counts how often each of
// them is in it.
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

// logs are the logarithms of the ratios of what was drawn, less those of the whole.
func (s *sample) logs(drawn *group, into []float64) {
	base, change := &s.whole.base, &s.whole.change
	for i, of := range []func(*totals) float64{(*totals).rate, (*totals).mean} {
		into[i] = drawn.log(of) - s.whole.log(of)
	}
	for i, q := range s.quantiles {
		into[figures+i] = math.Log(drawn.change.quantile(q, s.classes) / drawn.base.quantile(q, s.classes) /
			(change.quantile(q, s.classes) / base.quantile(q, s.classes)))
	}
}

// blockLength is how many neighbouring groups are drawn together: the most that one of the figures
// asks for.
func (s *sample) blockLength() int {
	length := stats.BlockLength(s.influence(func(g, whole *sums) float64 { return g.moves(&whole.totals) }))
	for _, q := range s.quantiles {
		at := [2]int{s.class(&s.whole.base, q), s.class(&s.whole.change, q)}
		length = max(length, stats.BlockLength(s.influence(func(g *sums, whole *sums) float64 {
			class := at[0]
			if whole == &s.whole.change {
				class = at[1]
			}

			return (above(g.counts, class) - above(whole.counts, class)/whole.operations*g.operations) / whole.operations
		})))
	}

	return length
}

// influence is by how much each group moves a figure's ratio.
func (s *sample) influence(of func(g, whole *sums) float64) []float64 {
	values := make([]float64, len(s.groups))
	for i := range s.groups {
		values[i] = of(&s.groups[i].change, &s.whole.change) - of(&s.groups[i].base, &s.whole.base)
	}

	return values
}

// class is the one that a quantile is in.
func (s *sample) class(g *sums, q float64) int {
	return classOf(g.quantile(q, s.classes), s.classes)
}

// above is how many operations are in higher classes than one.
func above(counts []float64, class int) (n float64) {
	for _, c := range counts[min(class+1, len(counts)):] {
		n += c
	}

	return n
}
