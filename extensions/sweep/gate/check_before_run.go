package gate

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Planned is the known part of a run before its start.
type Planned struct {
	Scenario string   // empty: unknown
	Ops      []string // all kinds of operations

	// Clients and Rates of the steps. Both are empty if unknown, as in a search. With Clients only, no
	// step has a rate.
	Clients []int
	Rates   []float64

	// Precision is set if steps last until their figures are precise enough, TwoServers if a duet's
	// base has its own server.
	Precision, TwoServers bool
}

// Check returns an error if a gate applies to a scenario, operation, number of clients or rate that
// the run will not have.
func (f *File) Check(p Planned) error { //nolint:cyclop // one case for each kind of gate
	if p.Scenario != "" && p.Scenario != f.Scenario {
		return fmt.Errorf("the gates are of scenario %q, not of %q", f.Scenario, p.Scenario)
	}
	if p.Precision && f.Relative != nil {
		return errors.New("relative gates cannot judge steps with a precision: their intervals do not allow for a step that ends " +
			"when they are narrow; give duration or iterations instead, or use k6 x sweep ab --until")
	}
	if p.TwoServers && f.Relative != nil {
		for _, t := range f.Relative.Tolerances {
			if t.Figure.Percentile > report.P90 {
				return fmt.Errorf("gates: relative.%s: %s", keyOf(t.Figure), onlyAB(t.Figure))
			}
		}
	}
	for i, a := range f.Absolute {
		if l := p.missing(a.Op, a.Clients, a.Rate); l != nil {
			hint := ""
			if meant := input.Nearest(a.Op, p.Ops); meant != "" && l.key == "op" {
				hint = fmt.Sprintf("; did you mean %q?", meant)
			}

			return fmt.Errorf("gates: absolute[%d].%s is %s, which %s does not have: it has %s%s",
				i, l.key, l.value, f.Scenario, l.there, hint)
		}
	}
	if f.baseline == nil {
		return nil
	}
	for _, key := range f.baseline.keys() {
		if l := p.missing(key.Op, key.Clients, key.Rate); l != nil {
			return fmt.Errorf("baseline %s has the %s %s, which %s does not have: it has %s; record a new baseline",
				f.Relative.Baseline, l.noun, l.value, f.Scenario, l.there)
		}
	}

	return nil
}

// missing is something that a gate needs and the run will not have.
type missing struct {
	key, noun string // its name in gate files and in messages
	value     string
	there     string // alternatives in the run
}

// missing returns what the run will not have, or nil. Zero clients mean any number, and zero rate
// any rate.
func (p *Planned) missing(op string, clients int, rate float64) *missing {
	switch {
	case !slices.Contains(p.Ops, op):
		return &missing{"op", "operation", strconv.Quote(op), listed(p.Ops, strconv.Quote)}
	case clients != 0 && len(p.Clients) > 0 && !slices.Contains(p.Clients, clients):
		return &missing{"clients", "number of clients", strconv.Itoa(clients), listed(p.Clients, strconv.Itoa)}
	case rate != 0 && len(p.Clients)+len(p.Rates) > 0 && !slices.Contains(p.Rates, rate):
		return &missing{"rate", "rate", decimal(rate), listed(p.Rates, decimal)}
	default:
		return nil
	}
}

func listed[T any](values []T, text func(T) string) string {
	if len(values) == 0 {
		return "none"
	}
	list := make([]string, 0, len(values))
	for _, value := range values {
		list = append(list, text(value))
	}

	return strings.Join(list, ", ")
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
