package history

import (
	"cmp"
	"math"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Options are the limits for reporting a change.
type Options struct {
	// Alpha is the probability of a change point by chance; zero means DefaultAlpha.
	Alpha float64
	// Least is the smallest relative change to report; zero means all.
	Least float64
}

// DefaultAlpha makes false alarms rare on a page of fifty series.
const DefaultAlpha = 0.001

const (
	// FewestRuns is the least number of runs on each side of a change.
	FewestRuns = 5
	// weak is the level for candidates; those by chance are removed later.
	weak            = 0.05
	levelConfidence = 0.95
	// placeConfidence is the nominal confidence of places; with real noise, about nine of ten are
	// right.
	placeConfidence = 0.99
)

// Change is a change of a series' level.
type Change struct {
	// At is the index of the first value of the new level. It is between From and To (inclusive) in
	// about nine of ten cases.
	At   int
	From int
	To   int
	// Ratio is the new level divided by the old one; Low and High are its 95 % interval.
	Ratio, Low, High float64
	P                float64
}

// series has the logarithms of values, and which of them begin a commit.
type series struct {
	logs    []float64
	border  []bool // value i is the first of its commit
	options Options
	// dependence is the factor by which correlation reduces the number of independent values.
	dependence float64
	// drift is the variation of means without any change.
	drift drift
}

// detect finds the change points of a series of positive values, and the smallest detectable
// change. commits has the commit of each value; there is no change between runs of one commit.
func detect(values []float64, commits []string, o Options) (changes []Change, visible float64) {
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
	winsorize(s.logs)
	found := s.find()
	changes = make([]Change, 0, len(found))
	for i, at := range found {
		lo, hi := neighbours(found, i, len(values))
		c := s.change(lo, at, hi)
		if math.Abs(c.Ratio-1) >= o.Least {
			changes = append(changes, c)
		}
	}

	return changes, max(s.visible(found), o.Least)
}

// find finds the change points. At first all differences between neighbouring runs count as noise.
// Then the changes found are removed, which gives a better estimate of the noise.
func (s *series) find() (found []int) {
	candidates := s.settle(s.candidates())
	s.dependence = s.dependenceWithin(candidates)
	for round := range driftRounds {
		before := found
		s.drift = driftOf(s.without(found), firstScales+round)
		found = s.settle(slices.Clone(candidates))
		if round > 0 && slices.Equal(before, found) {
			break
		}
	}

	return found
}

// shownIn is the number of runs on each side that visible assumes. mostVisible limits its result.
const (
	shownIn     = 20
	mostVisible = 100
)

// visible returns the smallest relative change detected with 80 % probability, with 20 runs on each
// side or as many as there are.
func (s *series) visible(found []int) float64 {
	runs := min(shownIn, len(s.logs)/2)
	if runs < FewestRuns {
		return math.Inf(1)
	}
	const power = 0.84 // the 20 % quantile of the normal distribution, negated
	rest := s.without(found)
	clip(rest)
	n := float64(2 * runs)
	deviation := math.Sqrt(squares(rest) / float64(len(rest)) * s.dependence * 2 / float64(runs))
	freedom := max(n/s.dependence-2, 1)
	seen := deviation * (stats.StudentQuantile(s.options.Alpha/(n-2*FewestRuns+1)/2, freedom) + power)
	apart := math.Sqrt(2 * s.drift.variance(runs))
	seen = max(seen, apart*(math.Sqrt2*math.Erfinv(1-s.options.Alpha)+power))

	return math.Expm1(min(seen, math.Log1p(mostVisible)))
}

// winsorize moves outliers towards the median of the values around them, so that a single disturbed
// run does not outweigh the others. A new level is kept, because its neighbours share it.
func winsorize(logs []float64) {
	const around, far, normal = 5, 4, 1.4826
	middles, away := make([]float64, len(logs)), make([]float64, len(logs))
	for i, v := range logs {
		middles[i] = report.Median(logs[max(i-around, 0):min(i+around+1, len(logs))])
		away[i] = math.Abs(v - middles[i])
	}
	most := far * normal * report.Median(away)
	if most == 0 {
		return // more than half equal their neighbours
	}
	for i, v := range logs {
		logs[i] = min(max(v, middles[i]-most), middles[i]+most)
	}
}

// window is the number of values searched together, stride the distance between windows. Windows do
// not move when values are added.
const (
	window = 80
	stride = 20
)

func (s *series) candidates() (found []int) {
	for lo := 0; lo == 0 || lo+stride < len(s.logs); lo += stride {
		found = s.split(lo, min(lo+window, len(s.logs)), found)
	}
	slices.Sort(found)

	return slices.Compact(found)
}

func (s *series) split(lo, hi int, found []int) []int {
	at := s.best(lo, hi)
	if at == lo || s.chance(lo, at, hi) > weak {
		return found
	}

	return s.split(at, hi, s.split(lo, at, append(found, at)))
}

// settle removes changes by chance, moves the others to the best place between their neighbours,
// and adds hidden ones, until nothing changes. The result depends on nearby values only.
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

// neighbours returns the start of the level before the i-th change, and the end of the level after
// it.
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

// best returns the split of [lo, hi) with the highest energy distance; lo without one.
//
// It is the estimate of E-divisive with an exponent of 1 (D. S. Matteson and N. A. James, Journal
// of the American Statistical Association 109, 2014).
func (s *series) best(lo, hi int) (at int) {
	values := s.logs[lo:hi]
	n := len(values)
	if n < 2*FewestRuns {
		return lo
	}
	// to and from are sums of a value's distances to earlier and later ones.
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
	for i := range n - FewestRuns {
		left += to[i]
		right -= from[i]
		if i+1 < FewestRuns || !s.border[lo+i+1] {
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

// sharpest returns the split of [lo, hi) with the least sum of squares, the most likely place of a
// known change.
func (s *series) sharpest(lo, at, hi int) int {
	least := math.Inf(1)
	for i := lo + FewestRuns; i <= hi-FewestRuns; i++ {
		if !s.border[i] {
			continue
		}
		if sum := squares(s.logs[lo:i]) + squares(s.logs[i:hi]); sum < least {
			at, least = i, sum
		}
	}

	return at
}

// chance returns an upper bound of the p-value of the split of [lo, hi) at the index at: a t test
// on the independent values, times the number of possible places.
//
// Hunter and Apache Otava also replace the permutations of E-divisive by a t test, for reproducible
// results (M. Fleming et al., Hunter, ICPE 2023). In addition, outliers are moved closer here, and
// the choice of the place is corrected.
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

	// A few values with many outliers may differ in level but not in rank.
	n := float64(hi - lo)
	independent := 2 * math.Log(n) // independent places, since neighbouring ones have similar ranks

	return min(1, max(
		p*(n-2*FewestRuns+1), ranks(s.logs[lo:at], s.logs[at:hi])*independent, s.drift.chance(distance, at-lo, hi-at)))
}

// driftRounds is how often the found changes are removed to estimate the remaining variation.
// firstScales is the number of scales compared before that, because changes look like noise on
// large scales.
const (
	driftRounds = 3
	firstScales = 3
)

func (s *series) without(found []int) []float64 {
	values := make([]float64, 0, len(s.logs))
	lo := 0
	for _, hi := range append(slices.Clone(found), len(s.logs)) {
		values = append(values, residuals(s.logs[lo:hi])...)
		lo = hi
	}

	return values
}

func residuals(values []float64) []float64 {
	middle := report.Median(values)
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v - middle
	}

	return out
}

// clip limits values to three deviations from zero, estimated from the median distance.
func clip(values []float64) {
	const far, normal = 3, 1.4826 // normal scales the median distance to a deviation
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = math.Abs(v)
	}
	most := far * normal * report.Median(away)
	if most == 0 {
		return // more than half are equal
	}
	for i, v := range values {
		values[i] = min(max(v, -most), most)
	}
}

// dependenceWithin estimates dependence from the autocorrelation within the levels.
func (s *series) dependenceWithin(found []int) float64 {
	all := s.without(found)
	clip(all)

	return dependenceOf(all)
}

// dependenceOf sums the autocorrelations up to the first insignificant one: the factor by which the
// variance of a mean exceeds that of independent values (C. J. Geyer, Statistical Science 7, 1992).
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

// change describes the change at an index between the levels [lo, at) and [at, hi).
func (s *series) change(lo, at, hi int) Change {
	c := Change{At: at, P: s.chance(lo, at, hi)}
	if e, err := stats.Means(exponentials(s.logs[lo:at]), exponentials(s.logs[at:hi]), levelConfidence); err == nil {
		c.Ratio, c.Low, c.High = e.Interval()
	}
	c.From, c.To = s.place(lo, at, hi)

	return c
}

// place returns the confidence set of a change's index, by the likelihood ratio of two normal
// levels (Y. Eo and J. Morley, Quantitative Economics 6, 2015: the ratio's distribution is (1 -
// exp(-x/2))^2).
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

func exponentials(logs []float64) []float64 {
	values := make([]float64, len(logs))
	for i, v := range logs {
		values[i] = math.Exp(v)
	}

	return values
}

func mean(values []float64) (m float64) {
	for _, v := range values {
		m += v / float64(len(values))
	}

	return m
}

func squares(values []float64) (sum float64) {
	middle := mean(values)
	for _, v := range values {
		sum += (v - middle) * (v - middle)
	}

	return sum
}

// drift describes how much more the means of neighbouring runs vary than the means of independent
// runs. A shared machine has fast and slow periods, which more runs do not average out.
type drift struct {
	// own is the variance of a run; zero if unknown.
	own float64
	// scales are the factors of the variance for means of 1, 2, 4, 8 and so on runs; the first is 1.
	scales []float64
	// slope extrapolates beyond scales, in logarithms.
	slope float64
}

// perScale is the minimum number of means from which a scale is estimated.
const perScale = 8

// driftOf compares the means of neighbouring blocks of 1, 2, 4 and so on values. It takes the
// median of their distances, because few changes hardly affect a median.
//
// It is the robust variance of Haar wavelets by scale (P. Abry and D. Veitch, IEEE Transactions on
// Information Theory 44, 1998; C. Park and J. Park, Statistica Sinica 19, 2009).
func driftOf(values []float64, most int) drift {
	w := drift{own: blockVariance(values, 1), scales: []float64{1}}
	if w.own == 0 {
		return w
	}
	for i := 1; i < most && len(values) >= perScale<<i; i++ {
		size := 1 << i
		multiple := float64(size) * blockVariance(values, size) / w.own
		w.scales = append(w.scales, max(multiple, w.scales[i-1]))
	}
	if last := len(w.scales) - 1; last > 1 {
		w.slope = min(math.Log2(w.scales[last]/w.scales[last-2])/2, 1)
	}

	return w
}

// blockVariance returns the variance of means of size neighbouring values.
func blockVariance(values []float64, size int) float64 {
	sums := make([]float64, len(values)+1)
	for i, v := range values {
		sums[i+1] = sums[i] + v
	}
	away := make([]float64, 0, len(values))
	for i := 0; i+2*size <= len(values); i++ {
		away = append(away, math.Abs(sums[i+2*size]-2*sums[i+size]+sums[i])/float64(size))
	}
	if len(away) == 0 {
		return 0
	}
	const normal = 1.4826
	deviation := normal * report.Median(away)

	return deviation * deviation / 2
}

func (w *drift) variance(n int) float64 {
	if w.own == 0 {
		return 0
	}
	last := len(w.scales) - 1
	scale := math.Log2(float64(n))
	below := min(int(scale), last)
	times := w.scales[below]
	if below == last {
		times *= math.Exp2(w.slope * (scale - float64(last)))
	} else {
		times += (scale - float64(below)) * (w.scales[below+1] - times)
	}

	return w.own * times / float64(n)
}

// chance returns the p-value of a distance between the means of m and k neighbouring runs.
func (w *drift) chance(distance float64, m, k int) float64 {
	if w.own == 0 {
		return 0 // unknown, or neighbours are equal
	}

	return math.Erfc(distance / math.Sqrt(2*(w.variance(m)+w.variance(k))))
}

// ranks returns the two-sided p-value of the Mann-Whitney U test, by the normal approximation.
func ranks(a, b []float64) float64 {
	m, n := len(a), len(b)
	u, ties := statistic(a, b)
	away := math.Abs(u - float64(m*n)/2)
	total := float64(m + n)
	variance := float64(m*n) / 12 * (total + 1 - ties/(total*(total-1)))
	if variance <= 0 {
		return 1
	}

	return math.Erfc(max(away-0.5, 0) / math.Sqrt(2*variance))
}

// statistic returns U, and the sum of t^3 - t over groups of t equal values.
func statistic(a, b []float64) (u, ties float64) {
	type value struct {
		of    float64
		first bool
	}
	all := make([]value, 0, len(a)+len(b))
	for _, v := range a {
		all = append(all, value{v, true})
	}
	for _, v := range b {
		all = append(all, value{v, false})
	}
	slices.SortFunc(all, func(x, y value) int { return cmp.Compare(x.of, y.of) })
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].of == all[i].of {
			j++
		}
		rank, t := float64(i+1+j)/2, float64(j-i)
		ties += t*t*t - t
		for ; i < j; i++ {
			if all[i].first {
				u += rank
			}
		}
	}

	return u - float64(len(a)*(len(a)+1))/2, ties
}
