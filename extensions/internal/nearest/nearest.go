// Package nearest finds the name that somebody meant who wrote another one.
package nearest

import (
	"strings"
	"unicode/utf8"
)

// Of returns the known name that is nearest to name, where it is near: in other cases of letters,
// with one slip (a letter too many, too few, another one, or two in the wrong order) or, in names
// of more than five letters, with two. A single letter is near to nothing but itself.
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

// Distance is how many slips lead from one name to the other: the optimal string alignment
// distance.
func Distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	// Rows of the table of distances between the beginnings: of two letters of from before, of one,
	// and of this one.
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
