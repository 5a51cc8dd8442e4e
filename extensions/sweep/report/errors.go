package report

import (
	"cmp"
	"maps"
	"slices"
)

// mostFrequent returns the texts in the order of their counts, the most frequent first.
func mostFrequent(counts map[string]uint64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}
