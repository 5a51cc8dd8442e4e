package report

import (
	"cmp"
	"slices"
)

// What the parameters say of the order of the steps.
const (
	OrderParam     = "order"
	OrderSeedParam = "orderSeed"
)

// InOrder is the report as its tables show it: where the steps ran in a random order, they are
// sorted by clients and rate, and by repeats as they ran. All others are as they ran.
func (r *Report) InOrder() *Report {
	if r.Params[OrderParam] == nil {
		return r
	}
	sorted := *r
	sorted.Steps = slices.Clone(r.Steps)
	slices.SortStableFunc(sorted.Steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.Clients, b.Clients), cmp.Compare(a.Rate, b.Rate), cmp.Compare(a.Repeat, b.Repeat))
	})

	return &sorted
}
