package page

import "math"

// What can be drawn. Anything beyond is in the table only: it would leave nothing to see of the
// rest.
const (
	smallest = 1e-9
	largest  = 1e15
)

// scale maps values to a coordinate of the plot.
type scale struct {
	log      bool
	lo, hi   float64 // values
	from, to float64 // coordinates
}

// at is the coordinate of a value; false when the scale has no place for it.
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

// extent is the smallest and the largest of the values that can be drawn; false when there is none.
func extent(values []float64, log bool) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if drawable(v, log) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}

	return lo, hi, lo <= hi
}
