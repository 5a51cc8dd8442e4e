package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Key identifies a step within a run, and matches the steps of two runs.
type Key struct {
	Op      string  `json:"op"`
	Clients int     `json:"clients"`
	Rate    float64 `json:"rate,omitempty"` // zero for closed loops
	// Variant is empty if the operation has the variant's name.
	Variant string `json:"variant,omitempty"`
}

// Name returns the step's name for people, such as "get, 8 clients", or "8 clients" without an
// operation. All formats use it.
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

// NameOf formats the name of an operation or variant in one line. Invisible characters, backslashes
// and extra blanks are escaped as in Go, so that different names stay different.
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

// Key returns the step's key.
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
	Steps []*Step
}

// Groups returns the repeats of each step, in order of first appearance.
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

// Succeeded returns the group without repeats in which no operation succeeded, since these have no
// latencies.
func (g Group) Succeeded() Group {
	g.Steps = slices.DeleteFunc(slices.Clone(g.Steps), func(s *Step) bool { return s.Operations == 0 })

	return g
}

// Median returns the middle value, or the mean of the two middle ones; zero without values.
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

var origins = regexp.MustCompile(`\b[a-z]+://([^/? ]+)`)

// DropOrigins removes scheme, host and port from the names of requests if each report is of a
// script that requests one host only. Two servers at different addresses can then be compared.
func DropOrigins(reports ...*Report) {
	named := make([][]string, len(reports))
	for i, r := range reports {
		if named[i] = r.paths(); named[i] == nil {
			return
		}
	}
	for i, r := range reports {
		for j := range r.Steps {
			r.Steps[j].Op = named[i][j]
		}
	}
}

// paths returns the names of the operations without their host. It returns nil unless there is
// exactly one host, or if two steps would get the same name.
func (r *Report) paths() []string {
	type row struct {
		Key
		repeat int
	}
	names, taken, host := make([]string, len(r.Steps)), map[row]bool{}, ""
	for i := range r.Steps {
		s := r.Steps[i]
		if at := origins.FindStringSubmatchIndex(s.Op); at != nil {
			here, path := s.Op[at[2]:at[3]], s.Op[at[1]:]
			if host != "" && host != here {
				return nil
			}
			if path == "" || path[0] != '/' {
				path = "/" + path
			}
			host, s.Op = here, s.Op[:at[0]]+path
		}
		at := row{s.Key(), s.Repeat}
		if taken[at] {
			return nil
		}
		names[i], taken[at] = s.Op, true
	}
	if r.Script == nil || host == "" {
		return nil
	}

	return names
}

// Micros formats microseconds with four digits.
func Micros(us float64) string { return strconv.FormatFloat(us, 'g', 4, 64) + " µs" }

// CPUPerOperation returns the CPU seconds of k6 and of a server on this machine per operation, over
// all repeats of a step. Unknown values are zero. They are unknown if the step has several kinds of
// operations.
func (r *Report) CPUPerOperation(g *Group) (k6, server float64) {
	operations := 0.0
	serverKnown := true
	for _, s := range g.Steps {
		if !r.alone(s) {
			return 0, 0
		}
		operations += float64(s.Operations) + float64(s.Failed)
		k6 += s.CPU.K6
		if s.CPU.Server == nil {
			serverKnown = false
		} else {
			server += *s.CPU.Server
		}
	}
	if operations == 0 {
		return 0, 0
	}
	if !serverKnown {
		server = 0
	}

	return k6 / operations, server / operations
}

// alone reports whether the step has only one kind of operation.
func (r *Report) alone(s *Step) bool {
	for i := range r.Steps {
		other := &r.Steps[i]
		if SameStep(other, s) || SameStep(s, other) {
			return false
		}
	}

	return true
}
