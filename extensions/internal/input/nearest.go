package input

import (
	"strings"
	"unicode/utf8"
)

// Nearest returns the known name that a user probably meant by name, or "". They may differ in case
// and by one typo (an added, missing, changed or swapped letter), or by two in names longer than
// five letters. One-letter names match only themselves.
func Nearest(name string, known []string) (nearest string) {
	slips := 1
	switch letters := utf8.RuneCountInString(name); {
	case letters < 2:
		slips = 0
	case letters > 5:
		slips = 2
	}
	least := slips + 1
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			nearest, least = k, d
		}
	}

	return nearest
}

// NearestName is Nearest for methods and options, where short names are often alike.
func NearestName(name string, known []string) string {
	if len(name) < 4 {
		return ""
	}

	return Nearest(name, known)
}

// distance returns the optimal string alignment distance.
func distance(a, b string) int {
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
