package paired

import (
	"cmp"
	"math"
	"slices"
)

const (
	// fewestWeighed is how many pairs it takes to tell calm times from others.
	fewestWeighed = 40
	// alike is how many of all pairs, as a part of them, are compared with one.
	alike = 0.25
	// mostWeight bounds by how much more than in the whole run a pair can count.
	mostWeight = 16
)

// turn is what both variants did in one or several pairs, without the counts.
type turn struct{ base, change totals }

func (t *turn) add(o *turn, times float64) {
	t.base.add(&o.base, times)
	t.change.add(&o.change, times)
}

// log is the logarithm of the ratio of a figure.
func (t *turn) log(of func(*totals) float64) float64 { return math.Log(of(&t.change) / of(&t.base)) }

// moves is by how much a part of the whole moves the logarithm of its ratio of rates.
func (t *turn) moves(whole *turn) float64 {
	return t.change.moves(&whole.change) - t.base.moves(&whole.base)
}

// calm weighs pairs for rates and means by the inverse of the variance of their ratios. The
// variance of a pair is that of the pairs whose neighbours were about as fast as its own: while
// somebody else takes a part of the machine, the ratios of pairs vary several times as much as
// before and after. Of the pair itself the weight knows nothing: else what is slow would count less
// for being slow.
func calm(turns []turn) []float64 {
	n := len(turns)
	weights := slices.Repeat([]float64{1}, n)
	around, order := make([]float64, n), make([]int, n)
	for i := range turns {
		order[i], around[i] = i, rateAround(turns, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(around[a], around[b]) })
	sums := make([]spread, n+1) // of all up to a place in that order
	for place, i := range order {
		sums[place+1] = sums[place].and(&turns[i])
	}
	overall := sums[n].variance()
	if n < fewestWeighed || overall == 0 {
		return weights
	}
	half := int(math.Ceil(alike / 2 * float64(n)))
	for place, i := range order {
		others := sums[min(place+half+1, n)].less(sums[max(place-half, 0)]).less(spread{}.and(&turns[i]))
		weights[i] = 1 / (others.variance() + overall/mostWeight)
	}

	return weights
}

// rateAround is the rate of the pairs before and after one.
func rateAround(turns []turn, i int) float64 {
	n := len(turns)
	both := turns[(i+n-1)%n]
	both.add(&turns[(i+1)%n], 1)
	all := both.base
	all.add(&both.change, 1)
	if all.seconds == 0 {
		return 0
	}

	return all.rate()
}

// spread is that of the logarithms of ratios: their number, their sum, and that of their squares.
type spread struct{ n, sum, squares float64 }

// and is the spread with a pair more. One in which a variant did nothing has no ratio.
func (s spread) and(t *turn) spread {
	if t.base.operations == 0 || t.change.operations == 0 {
		return s
	}
	log := t.log((*totals).rate)

	return spread{s.n + 1, s.sum + log, s.squares + log*log}
}

func (s spread) less(o spread) spread { return spread{s.n - o.n, s.sum - o.sum, s.squares - o.squares} }

func (s spread) variance() float64 {
	if s.n < 2 {
		return 0
	}

	return max(s.squares-s.sum*s.sum/s.n, 0) / (s.n - 1)
}
