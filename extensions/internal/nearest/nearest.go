// Package nearest suggests the name that a user probably meant.
package nearest

import (
	"strings"
	"unicode/utf8"
)

// Of returns the known name nearest to name. They may differ in case and by one typo (an added,
// missing, changed or swapped letter), or by two in names longer than five letters. found is false
// if none is near; one-letter names match only themselves.
func Of(name string, known []string) (nearest string, found bool) {
	slips := 1
	switch letters := utf8.RuneCountInString(name); {
	case letters < 2:
		slips = 0
	case letters > 5:
		slips = 2
	}
	least := slips + 1
	for _, k := range known {
		if d := Distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			nearest, least = k, d
		}
	}

	return nearest, least <= slips
}

// leastName is the minimum length of a name for a suggestion by Name.
const leastName = 4

// Name returns the known name that was probably meant by a name of a method or an option, or "".
func Name(name string, known []string) string {
	if len(name) < leastName {
		return ""
	}
	near, _ := Of(name, known)

	return near
}

// Distance returns the optimal string alignment distance.
func Distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	var before, last, row []int
	for j := range len(to) + 1 {
		last = append(last, j)
	}
	for i := range from {
		row = append(make([]int, 0, len(to)+1), i+1)
		for j := range to {
			change := last[j]
			if from[i] != to[j] {
				change++
			}
			d := min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				d = min(d, before[j-1]+1)
			}
			row = append(row, d)
		}
		before, last = last, row
	}

	return last[len(to)]
}
