package report

import (
	"cmp"
	"slices"
)

// Parameters with the order of the steps.
const (
	OrderParam     = "order"
	OrderSeedParam = "orderSeed"
)

// InOrder returns the report for its tables: steps that ran in random order are sorted by clients,
// rate and repeat.
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
