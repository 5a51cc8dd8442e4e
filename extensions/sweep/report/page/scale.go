package page

import "math"

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
