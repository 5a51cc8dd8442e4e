package paired

import (
	"cmp"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

const (
	// fewestWeighed is how many groups it takes to tell calm times from others.
	fewestWeighed = 40
	// alike is how many of all groups, as a part of them, are compared with one.
	alike = 0.25
	// mostWeight bounds by how much more than in the whole run a group can count.
	mostWeight = 16
)

// calm weighs the groups for rates and means by the inverse of the variance of their ratios. The
// variance of a group is that of the groups whose neighbours were about as fast as its own: while
// somebody else takes a part of the machine, the ratios of pairs vary several times as much as
// before and after. Of the group itself the weight knows nothing: else what is slow would count
// less because it is slow.
func (s *sample) calm() []float64 {
	n := len(s.groups)
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1
	}
	overall := variance(s.ratios(s.groups))
	if n < fewestWeighed || overall == 0 {
		return weights
	}

	around := make([]float64, n)
	order := make([]int, n)
	for i := range order {
		order[i], around[i] = i, s.around(i)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(around[a], around[b]) })
	half := int(math.Ceil(alike / 2 * float64(n)))
	others := make([]group, 0, 2*half)
	for rank, i := range order {
		others = others[:0]
		for r := max(rank-half, 0); r <= min(rank+half, n-1); r++ {
			if r != rank {
				others = append(others, s.groups[order[r]])
			}
		}
		weights[i] = 1 / (variance(s.ratios(others)) + overall/mostWeight)
	}

	return weights
}

// around is the rate of the groups before and after one.
func (s *sample) around(i int) float64 {
	n := len(s.groups)
	operations, seconds := 0.0, 0.0
	for _, g := range []*group{&s.groups[(i+n-1)%n], &s.groups[(i+1)%n]} {
		operations += g.base.operations + g.change.operations
		seconds += g.base.seconds + g.change.seconds
	}
	if seconds == 0 {
		return 0
	}

	return operations / seconds
}

// ratios are the logarithms of those of the groups' rates. A group in which one variant did nothing
// has none.
func (s *sample) ratios(groups []group) []float64 {
	logs := make([]float64, 0, len(groups))
	for i := range groups {
		g := &groups[i]
		if g.base.operations > 0 && g.change.operations > 0 {
			logs = append(logs, math.Log(g.change.rate()/g.base.rate()))
		}
	}

	return logs
}

func variance(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}

	return stats.Sample{Xs: values}.Variance()
}
