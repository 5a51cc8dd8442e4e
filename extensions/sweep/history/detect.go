package history

import (
	"math"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Options are when a change counts.
type Options struct {
	// Alpha is how likely a change point may be by chance, where nothing has changed; zero is
	// DefaultAlpha.
	Alpha float64
	// Least is the smallest change that is reported, as a part of what was before; zero is all.
	Least float64
}

// DefaultAlpha makes a false alarm rare on a page of fifty series.
const DefaultAlpha = 0.001

const (
	// fewest is how many runs stand on each side of a change.
	fewest = 5
	// weak is the level at which a split is a candidate: those that are chance are taken back.
	weak = 0.05
	// levelConfidence is that of the intervals of sizes.
	levelConfidence = 0.95
	// placeConfidence is that of places if noise were normal. As it is not, they are right in some
	// nine of ten cases.
	placeConfidence = 0.99
)

// Change is a place from which on a series has another level.
type Change struct {
	// At is the index of the first value of the new level. It is between From and To, both
	// included, in some nine of ten cases.
	At   int
	From int
	To   int
	// Ratio is the new level to the one before, between Low and High with a confidence of 95 %.
	Ratio, Low, High float64
	// P is how likely such a split is by chance.
	P float64
}

// series is what Detect works on: logarithms, and which of them begin a commit.
type series struct {
	logs    []float64
	border  []bool // value i is the first of its commit
	options Options
	// dependence is by how much fewer independent values the series has.
	dependence float64
	// wander is how far means of runs are apart where nothing has changed.
	wander wander
}

// Detect finds the change points of a series of positive values. commits has the commit of each
// value: several runs of one commit have no change between them. Values that are not above zero
// must have been left out before.
func Detect(values []float64, commits []string, o Options) []Change {
	changes, _ := examine(values, commits, o)

	return changes
}

// examine is Detect, and returns the smallest change that the series shows as well.
func examine(values []float64, commits []string, o Options) (changes []Change, visible float64) {
	if o.Alpha == 0 {
		o.Alpha = DefaultAlpha
	}
	s := &series{logs: make([]float64, len(values)), border: make([]bool, len(values)), options: o, dependence: 1}
	last := ""
	for i, v := range values {
		s.logs[i] = math.Log(v)
		s.border[i] = i == 0 || commits[i] != last
		last = commits[i]
	}
	tame(s.logs)
	found := s.find()
	changes = make([]Change, 0, len(found))
	for i, at := range found {
		lo, hi := neighbours(found, i, len(values))
		c := s.change(values, lo, at, hi)
		if math.Abs(c.Ratio-1) >= o.Least {
			changes = append(changes, c)
		}
	}

	return changes, max(s.visible(found), o.Least)
}

// find finds the change points. At first all differences between neighbouring runs are noise; what
// is a change beside that is taken out, and the rest tells better what the noise is.
func (s *series) find() (found []int) {
	candidates := s.settle(s.candidates())
	s.dependence = s.dependenceWithin(candidates)
	for round := range wanderRounds {
		before := found
		s.wander = wanderOf(s.without(found), firstScales+round)
		found = s.settle(slices.Clone(candidates))
		if round > 0 && slices.Equal(before, found) {
			break
		}
	}

	return found
}

// shownIn is how many runs stand on each side of the change that visible is about, and mostVisible
// is the largest that it says.
const (
	shownIn     = 20
	mostVisible = 100
)

// visible is the smallest change, as a part of the level before, that shows in four cases of five
// with 20 runs on each side of it, or as many as there are.
func (s *series) visible(found []int) float64 {
	runs := min(shownIn, len(s.logs)/2)
	if runs < fewest {
		return math.Inf(1)
	}
	const power = 0.84 // of normal values, four of five are above the middle less so many deviations
	rest := s.without(found)
	clip(rest)
	n := float64(2 * runs)
	deviation := math.Sqrt(squares(rest) / float64(len(rest)) * s.dependence * 2 / float64(runs))
	freedom := max(n/s.dependence-2, 1)
	seen := deviation * (stats.StudentQuantile(s.options.Alpha/(n-2*fewest+1)/2, freedom) + power)
	apart := math.Sqrt(2 * s.wander.variance(runs))
	seen = max(seen, apart*(math.Sqrt2*math.Erfinv(1-s.options.Alpha)+power))

	return math.Expm1(min(seen, math.Log1p(mostVisible)))
}

// tame brings values that are far out near to the values around them: a run that took a thousand
// times as long, as somebody used the machine, would outweigh all others. A new level stays, as the
// median of the values around it is of the same level.
func tame(logs []float64) {
	const around, far, normal = 5, 4, 1.4826
	middles, away := make([]float64, len(logs)), make([]float64, len(logs))
	for i, v := range logs {
		middles[i] = report.Median(logs[max(i-around, 0):min(i+around+1, len(logs))])
		away[i] = math.Abs(v - middles[i])
	}
	most := far * normal * report.Median(away)
	if most == 0 {
		return // more than half of them are as those around them
	}
	for i, v := range logs {
		logs[i] = min(max(v, middles[i]-most), middles[i]+most)
	}
}

// window is within how many values candidates are looked for, and stride how far apart windows
// begin. They stand where they stand, however many values come after them.
const (
	window = 80
	stride = 20
)

// candidates are splits of windows, and of their parts.
func (s *series) candidates() (found []int) {
	for lo := 0; lo == 0 || lo+stride < len(s.logs); lo += stride {
		found = s.split(lo, min(lo+window, len(s.logs)), found)
	}
	slices.Sort(found)

	return slices.Compact(found)
}

// split finds candidates in [lo, hi), and in both parts of each.
func (s *series) split(lo, hi int, found []int) []int {
	at := s.best(lo, hi)
	if at == lo || s.chance(lo, at, hi) > weak {
		return found
	}

	return s.split(at, hi, s.split(lo, at, append(found, at)))
}

// settle takes away what is chance, moves each change point to the best place between its
// neighbours, and looks for what was hidden, until nothing moves. What it comes to depends on the
// values near a change point, and not on those far away.
func (s *series) settle(found []int) []int {
	const rounds = 20
	for range rounds {
		before := slices.Clone(found)
		found = s.withoutChance(found)
		for i := range found {
			lo, hi := neighbours(found, i, len(s.logs))
			found[i] = s.sharpest(lo, found[i], hi)
		}
		for i := 0; i <= len(found); i++ {
			lo, hi := 0, len(s.logs)
			if i > 0 {
				lo = found[i-1]
			}
			if i < len(found) {
				hi = found[i]
			}
			if at := s.best(lo, hi); at > lo && s.chance(lo, at, hi) <= s.options.Alpha {
				found = slices.Insert(found, i, at)
			}
		}
		if slices.Equal(found, before) {
			break
		}
	}

	return found
}

// withoutChance takes away the least sure change point until all are sure.
func (s *series) withoutChance(found []int) []int {
	for len(found) > 0 {
		worst, at := 0.0, -1
		for i := range found {
			lo, hi := neighbours(found, i, len(s.logs))
			if p := s.chance(lo, found[i], hi); p > worst {
				worst, at = p, i
			}
		}
		if worst <= s.options.Alpha {
			break
		}
		found = slices.Delete(found, at, at+1)
	}

	return found
}

// neighbours are where the level before the i-th change point begins, and where that after it ends.
func neighbours(found []int, i, end int) (lo, hi int) {
	hi = end
	if i > 0 {
		lo = found[i-1]
	}
	if i+1 < len(found) {
		hi = found[i+1]
	}

	return lo, hi
}

// best is where [lo, hi) is split into the two parts with the highest energy distance; lo where
// there is no place for a split.
//
// It is the estimate of E-divisive with an exponent of 1: D. S. Matteson and N. A. James, A
// nonparametric approach for multiple change point analysis of multivariate data, Journal of the
// American Statistical Association 109, 2014.
func (s *series) best(lo, hi int) (at int) {
	values := s.logs[lo:hi]
	n := len(values)
	if n < 2*fewest {
		return lo
	}
	// to and from are the sums of a value's distances to those before and after it.
	var all, left float64
	to, from := make([]float64, n), make([]float64, n)
	for i, v := range values {
		for j, other := range values[:i] {
			d := math.Abs(v - other)
			to[i] += d
			from[j] += d
		}
		all += to[i]
	}
	right, highest := all, 0.0
	at = lo
	for i := range n - fewest {
		left += to[i]
		right -= from[i]
		if i+1 < fewest || !s.border[lo+i+1] {
			continue
		}
		m, k := float64(i+1), float64(n-i-1)
		between := all - left - right
		energy := 2*between/(m*k) - 2*left/(m*(m-1)) - 2*right/(k*(k-1))
		if q := m * k / (m + k) * energy; q > highest {
			at, highest = lo+i+1, q
		}
	}

	return at
}

// sharpest is where [lo, hi) is split into two levels from which its values are least far away, in
// squares: of a change that is known to be there, the most likely place.
func (s *series) sharpest(lo, at, hi int) int {
	least := math.Inf(1)
	for i := lo + fewest; i <= hi-fewest; i++ {
		if !s.border[i] {
			continue
		}
		if sum := squares(s.logs[lo:i]) + squares(s.logs[i:hi]); sum < least {
			at, least = i, sum
		}
	}

	return at
}

// chance is how likely it is at most that the best split of [lo, hi), at the index at, has levels
// as far apart as these where nothing has changed: the p of a t test, times the number of places
// among which the split was chosen, of as many values as are independent.
//
// Hunter and Apache Otava replace the permutations of E-divisive by a t test likewise (M. Fleming
// et al., Hunter: Using Change Point Detection to Hunt for Performance Regressions, ICPE 2023): the
// same series gives the same change points. Here what is far out is brought nearer before, as runs
// that somebody has disturbed would hide a change, and the number of places is for the choice.
func (s *series) chance(lo, at, hi int) float64 {
	before, after := residuals(s.logs[lo:at]), residuals(s.logs[at:hi])
	both := slices.Concat(before, after)
	clip(both)
	shift := report.Median(s.logs[at:hi]) - report.Median(s.logs[lo:at])
	m, k := float64(at-lo), float64(hi-at)
	distance := math.Abs(shift + mean(both[at-lo:]) - mean(both[:at-lo]))
	freedom := max((m+k)/s.dependence-2, 1)
	variance := (squares(both[:at-lo]) + squares(both[at-lo:])) / (m + k - 2)
	if variance == 0 {
		return 0
	}
	p := stats.StudentBeyond(distance/math.Sqrt(variance*s.dependence*(1/m+1/k)), freedom)

	// A few values of which half are far out have a level of their own, but their ranks do not.
	n := float64(hi - lo)
	independent := 2 * math.Log(n) // places: neighbouring ones have nearly the same ranks

	return min(1, max(
		p*(n-2*fewest+1), ranks(s.logs[lo:at], s.logs[at:hi])*independent, s.wander.chance(distance, at-lo, hi-at)))
}

// wanderRounds is how often what was found is taken out of the series to see how its runs differ
// otherwise, and firstScales how many scales are compared while all of it is in there: many changes
// would make the larger ones look like noise.
const (
	wanderRounds = 3
	firstScales  = 3
)

// without are the values without the changes that were found: all levels are one.
func (s *series) without(found []int) []float64 {
	values := make([]float64, 0, len(s.logs))
	lo := 0
	for _, hi := range append(slices.Clone(found), len(s.logs)) {
		values = append(values, residuals(s.logs[lo:hi])...)
		lo = hi
	}

	return values
}

// residuals are the distances from the median.
func residuals(values []float64) []float64 {
	middle := report.Median(values)
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v - middle
	}

	return out
}

// clip brings what is more than three deviations from zero as near as that. The deviation is that
// of the median distance, which few outliers do not change.
func clip(values []float64) {
	const far, normal = 3, 1.4826 // the second is for normal values
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = math.Abs(v)
	}
	most := far * normal * report.Median(away)
	if most == 0 {
		return // more than half of them are equal
	}
	for i, v := range values {
		values[i] = min(max(v, -most), most)
	}
}

// dependenceWithin is by how much fewer independent values the levels have, by the autocorrelation
// of neighbours in them.
func (s *series) dependenceWithin(found []int) float64 {
	all := s.without(found)
	clip(all)

	return dependenceOf(all)
}

// dependenceOf is the sum of the autocorrelations, up to the first that is not to be told from
// none: by how much the variance of a mean is larger than that of as many independent values (C. J.
// Geyer, Practical Markov Chain Monte Carlo, Statistical Science 7, 1992).
func dependenceOf(values []float64) float64 {
	const most, farthest = 10, 20
	middle, n := mean(values), len(values)
	own := squares(values)
	sum := 1.0
	for lag := 1; lag <= min(farthest, n/4) && own > 0; lag++ {
		both := 0.0
		for i := lag; i < n; i++ {
			both += (values[i] - middle) * (values[i-lag] - middle)
		}
		r := both / own
		if r < 1/math.Sqrt(float64(n)) {
			break
		}
		sum += 2 * r
	}

	return min(sum, most)
}

// change describes the change point at, whose levels are [lo, at) and [at, hi).
func (s *series) change(values []float64, lo, at, hi int) Change {
	c := Change{At: at, P: s.chance(lo, at, hi)}
	before, after := values[lo:at], values[at:hi]
	c.Ratio = math.Exp(report.Median(s.logs[at:hi]) - report.Median(s.logs[lo:at]))
	if low, high, known := report.RatioInterval(before, after, 1-levelConfidence); known {
		c.Low, c.High = low, high
	}
	c.From, c.To = s.place(lo, at, hi)

	return c
}

// place is between which indices the change surely is: those whose likelihood, of two normal levels
// of one deviation, is near enough to the best one's (Y. Eo and J. Morley, Likelihood-ratio-based
// confidence sets for the timing of structural breaks, Quantitative Economics 6, 2015: for one
// change, the ratio's distribution is (1 - exp(-x/2))^2).
func (s *series) place(lo, at, hi int) (from, to int) {
	before, after := residuals(s.logs[lo:at]), residuals(s.logs[at:hi])
	all := slices.Concat(before, after)
	clip(all)
	least := squares(all[:at-lo]) + squares(all[at-lo:])
	low, high := report.Median(s.logs[lo:at]), report.Median(s.logs[at:hi])
	for i := range all {
		all[i] += high
		if i < at-lo {
			all[i] += low - high
		}
	}
	bound := -2 * math.Log(1-math.Sqrt(placeConfidence)) * s.dependence * least / float64(len(all))
	from, to = at, at
	for i := 1; i < len(all); i++ {
		if s.border[lo+i] && squares(all[:i])+squares(all[i:])-least <= bound {
			from, to = min(from, lo+i), max(to, lo+i)
		}
	}

	return from, to
}

func mean(values []float64) (m float64) {
	for _, v := range values {
		m += v / float64(len(values))
	}

	return m
}

// squares are the squared distances from the mean.
func squares(values []float64) (sum float64) {
	middle := mean(values)
	for _, v := range values {
		sum += (v - middle) * (v - middle)
	}

	return sum
}
