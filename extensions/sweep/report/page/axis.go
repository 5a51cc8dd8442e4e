package page

import (
	"math"
	"slices"
	"strconv"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type tick struct {
	at   float64 // coordinate
	text string
}

type axis struct {
	scale
	title string
	ticks []tick
}

func (a *axis) add(v float64, text string) {
	if at, ok := a.at(v); ok {
		a.ticks = append(a.ticks, tick{at: at, text: text})
	}
}

// linearAxis covers lo to hi and ends at round numbers.
func linearAxis(title string, lo, hi, from, to float64, text func(v float64) string) axis {
	const steps = 5
	if hi-lo < smallest {
		hi = lo + max(1, lo)
	}
	step := roundUp((hi-lo)/steps, 1, 2, 2.5, 5)
	first, last := math.Floor(lo/step+1e-9), math.Ceil(hi/step-1e-9)
	a := axis{scale: scale{lo: first * step, hi: last * step, from: from, to: to}, title: title}
	for i := range min(int(last-first), 2*steps) + 1 {
		v := (first + float64(i)) * step
		a.add(v, text(v))
	}

	return a
}

// logAxis covers lo to hi, both positive, and ends at round numbers. It has ticks at 1, 2 and 5 of
// each decade or, without room, at every decade or fewer.
func logAxis(title string, lo, hi, from, to float64) axis {
	const roomy, crowded = 3, 7
	first, last := roundDown(lo), roundUp(hi, 1, 2, 5)
	if first == last {
		last *= 10
	}
	a := axis{scale: scale{log: true, lo: first, hi: last, from: from, to: to}, title: title}

	decades := math.Log10(last / first)
	every := max(int(math.Ceil(decades/crowded)), 1)
	low, high := int(math.Floor(math.Log10(first)+1e-9)), int(math.Ceil(math.Log10(last)-1e-9))
	for decade := low; decade <= high; decade++ {
		for _, digit := range []float64{1, 2, 5} {
			v := digit * math.Pow10(decade)
			switch {
			case v < first*(1-1e-9) || v > last*(1+1e-9):
			case digit == 1 && (decade-low)%every == 0, decades <= roomy:
				a.add(v, tickText(v))
			case every == 1:
				a.add(v, "")
			}
		}
	}

	return a
}

func roundDown(v float64) float64 {
	unit := math.Pow10(int(math.Floor(math.Log10(v) + 1e-9)))
	for _, digit := range []float64{5, 2} {
		if digit*unit <= v*(1+1e-9) {
			return digit * unit
		}
	}

	return unit
}

// roundUp returns the smallest number from v on that is one of the digits times a power of ten.
func roundUp(v float64, digits ...float64) float64 {
	unit := math.Pow10(int(math.Floor(math.Log10(v) + 1e-9)))
	for _, digit := range digits {
		if digit*unit >= v*(1-1e-9) {
			return digit * unit
		}
	}

	return 10 * unit
}

// stepAxis is a logarithmic axis with the steps of a sweep as ticks.
func stepAxis(title string, values []float64, from, to float64) axis {
	lo, hi, ok := extent(values, true)
	if !ok {
		lo, hi = 1, 1
	}
	a := axis{scale: scale{log: true, lo: lo, hi: hi, from: from, to: to}, title: title}
	if lo == hi {
		a.lo, a.hi = lo/2, hi*2 // a single step is in the middle
	}
	for _, v := range distinct(values) {
		a.add(v, tickText(v))
	}
	a.ticks = thinned(a.ticks, func(i int) bool {
		_, fraction := math.Modf(math.Log2(distinct(values)[i]))

		return fraction == 0
	})

	return a
}

func distinct(values []float64) []float64 {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !drawable(v, true) })
	slices.Sort(values)

	return slices.Compact(values)
}

// thinned removes the texts of ticks that would overlap. It keeps the first and the last one, then
// preferred ones.
func thinned(ticks []tick, preferred func(i int) bool) []tick {
	var order, rest []int
	for i := range ticks {
		switch {
		case i == len(ticks)-1:
			order = slices.Insert(order, 0, i)
		case i == 0 || preferred(i):
			order = append(order, i)
		default:
			rest = append(rest, i)
		}
	}

	out := slices.Clone(ticks)
	for i := range out {
		out[i].text = ""
	}
	for _, i := range append(order, rest...) {
		fits := !slices.ContainsFunc(out, func(other tick) bool {
			return other.text != "" && math.Abs(other.at-ticks[i].at) < (textWidth(other.text)+textWidth(ticks[i].text))/2+tickGap
		})
		if fits {
			out[i].text = ticks[i].text
		}
	}

	return out
}

func tickText(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}} {
		if v >= unit.size*(1-1e-9) {
			return shortFloat(v/unit.size) + unit.name
		}
	}
	if v >= 1000 && v == math.Trunc(v) {
		return report.Thousands(int64(v))
	}

	return shortFloat(v)
}

// shortFloat writes at most six digits, and no exponent for values above a millionth.
func shortFloat(v float64) string {
	if v != 0 && math.Abs(v) < 1e-6 {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)

	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// Limits of plots. Values beyond them are in the table only.
const (
	smallest = 1e-9
	largest  = 1e15
)

type scale struct {
	log      bool
	lo, hi   float64 // values
	from, to float64 // coordinates
}

func (s *scale) at(v float64) (float64, bool) {
	if !drawable(v, s.log) {
		return 0, false
	}
	lo, hi := s.lo, s.hi
	if s.log {
		v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
	}

	return s.from + (v-lo)/(hi-lo)*(s.to-s.from), true
}

func drawable(v float64, log bool) bool {
	if log {
		return v >= smallest && v <= largest
	}

	return v >= 0 && v <= largest
}

// extent returns the smallest and the largest value that can be drawn, if there is one.
func extent(values []float64, log bool) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if drawable(v, log) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}

	return lo, hi, lo <= hi
}
