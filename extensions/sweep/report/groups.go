package report

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Key is what tells the steps of a run apart, and by which those of two runs are matched.
type Key struct {
	Op      string
	Clients int
	Rate    float64 // zero but for open-loop steps
	// Variant is empty where the operation has the variant's name.
	Variant string
}

// Name distinguishes the step from the others of a run for people, such as "get, 8 clients". All
// formats use it. A key without an operation is named "8 clients".
func (k Key) Name() string {
	name := Plural(k.Clients, "client")
	if k.Op != "" {
		name = NameOf(k.Op) + ", " + name
	}
	if k.Variant != "" {
		name += " of " + NameOf(k.Variant)
	}
	if k.Rate != 0 {
		name += " at " + strconv.FormatFloat(k.Rate, 'f', -1, 64) + "/s"
	}

	return name
}

// NameOf shows the name of an operation or a variant in one line. Two names stay two: what cannot
// be seen is written as in Go, such as \n, and so are backslashes and blanks at the ends or in a
// row.
func NameOf(name string) string {
	var b strings.Builder
	after := ' '
	for i, c := range name {
		switch {
		case c == ' ' && (after == ' ' || i == len(name)-1):
			b.WriteString(`\x20`)
		case c == '\\', !unicode.IsPrint(c) && c != zeroWidthJoiner:
			quoted := strconv.QuoteRune(c)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(c)
		}
		after = c
	}

	return b.String()
}

// zeroWidthJoiner is a part of many emoji.
const zeroWidthJoiner = '\u200d'

// Key returns the step's.
func (s *Step) Key() Key {
	key := Key{Op: s.Op, Clients: s.Clients, Rate: s.Rate}
	if s.Variant != s.Op {
		key.Variant = s.Variant
	}

	return key
}

// Group is a step with all its repeats.
type Group struct {
	Key
	Steps []*Step // in the order of their repeats
}

// Groups gathers the repeats of each step, in the order in which the steps first appear.
func (r *Report) Groups() []Group {
	var groups []Group
	index := map[Key]int{}
	for i := range r.Steps {
		s := &r.Steps[i]
		at, known := index[s.Key()]
		if !known {
			at = len(groups)
			index[s.Key()] = at
			groups = append(groups, Group{Key: s.Key()})
		}
		groups[at].Steps = append(groups[at].Steps, s)
	}

	return groups
}

// Values returns one figure of each repeat.
func (g *Group) Values(figure func(*Step) float64) []float64 {
	values := make([]float64, 0, len(g.Steps))
	for _, s := range g.Steps {
		values = append(values, figure(s))
	}

	return values
}

// Succeeded is the group without the repeats in which no operation succeeded: these have no
// latencies.
func (g Group) Succeeded() Group {
	g.Steps = slices.DeleteFunc(slices.Clone(g.Steps), func(s *Step) bool { return s.Operations == 0 })

	return g
}

// Median is the middle value, or the mean of the two in the middle; zero when there is none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	values = slices.Sorted(slices.Values(values))
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}

	return values[middle-1]/2 + values[middle]/2
}
