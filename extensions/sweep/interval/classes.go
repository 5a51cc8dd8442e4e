package interval

import (
	"cmp"
	"math"
	"slices"
)

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
