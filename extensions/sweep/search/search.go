package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// A number is decided by a sequential test: each of its steps says that the bound is kept or
// broken, or that it is as near as noise brings it, and a number is tried again until one side
// leads (Wald, "Sequential Analysis", 1947: the
// probability ratio test of two binomial hypotheses). Where a step is right four times of five, a
// lead of two is wrong once in 17 numbers, and a lead of four, which the two ends of the bracket
// need, once in 257; of whole searches, each of some ten numbers, one in 25 ends beside the answer.
// A step far below the bound counts twice: what disturbs a step makes it slower, and never that
// fast. So does one with failed operations. A step is judged as files of gates judge it, and what
// they call undecided says nothing: a bound that is broken beside a neighbour, say. So does a step
// where the interval of its figure holds the bound. A number keeps the bound when the operations of
// all of its steps are enough for its figure. One that stays undecided is not taken to keep it, and
// the result names it.
const (
	decidedLead = 2
	sureLead    = 4
	clearWeight = 2

	// mostTries is how often a number is tried at most to decide it, and once more as often to be
	// sure of it.
	mostTries = 8
)

// number is one that was tried.
type number struct {
	value float64
	// tries is how many steps it had.
	tries int
	// lead is by how much those that kept the bound lead those that broke it.
	lead int
	// groups are its steps, one for each kind of operation.
	groups []report.Group
	// why says why the last step that said nothing did not, and little why the operations of all
	// steps are too few; empty where they are not.
	why, little string
}

// kept reports whether the steps have shown that the number keeps the bound.
func (n *number) kept() bool { return n.lead >= decidedLead && n.little == "" }

// undecided reports whether the number was tried, and nothing was shown.
func (n *number) undecided() bool { return n.tries > 0 && !n.leads(decidedLead) }

// leads reports whether one side leads by so much.
func (n *number) leads(by int) bool { return n.lead >= by && n.little == "" || n.lead <= -by }

// add adds the steps of a try, and says whether all are enough for the figures of the bounds.
func (n *number) add(steps []report.Step, bounds []findBound) {
	for i := range steps {
		s := &steps[i]
		at := slices.IndexFunc(n.groups, func(g report.Group) bool { return g.Key == s.Key() })
		if at < 0 {
			at = len(n.groups)
			n.groups = append(n.groups, report.Group{Key: s.Key()})
		}
		n.groups[at].Steps = append(n.groups[at].Steps, s)
	}
	n.little = ""
	for i := range n.groups {
		for _, b := range bounds {
			n.little = cmp.Or(n.little, b.RestsOnLittle(&n.groups[i]))
		}
	}
}

// Search is a Find on its way.
type Search struct {
	find *Find
	// repeats is how often each number is tried at least.
	repeats int
	// untilKnown tells that a step goes on until its figures are known: one that ends before is not
	// slow.
	untilKnown bool

	// numbers are in ascending order.
	numbers []*number
	steps   int
}

// New begins a search that tries each number so often at least. untilKnown tells that its steps go
// on until their figures are known.
func New(find *Find, repeats int, untilKnown bool) *Search {
	return &Search{find: find, repeats: repeats, untilKnown: untilKnown}
}

// decided tells that the number needs no further step for the search to go on.
func (s *Search) decided(n *number) bool {
	return n.tries >= s.repeats && (n.leads(decidedLead) || n.tries >= max(mostTries, s.repeats))
}

// settled tells that a number at an end of the bracket needs no further step either.
func (s *Search) settled(n *number) bool {
	return s.decided(n) && (n.leads(sureLead) || n.tries >= 2*max(mostTries, s.repeats))
}

// Next returns the number to be tried, and its how manieth try that is, from 1, until the answer is
// known.
func (s *Search) Next() (value float64, try int, more bool) {
	if s.steps >= s.find.MostSteps(s.repeats) {
		return 0, 0, false
	}
	n := s.choose()
	if n == nil {
		return 0, 0, false
	}

	return n.value, n.tries + 1, true
}

// choose returns the number that is to be tried next; nil when the answer is known.
func (s *Search) choose() *number {
	if i := slices.IndexFunc(s.numbers, func(n *number) bool { return !s.decided(n) }); i >= 0 {
		return s.numbers[i]
	}
	good, bad := s.bracket()
	switch {
	case good == nil && bad == nil:
		return s.number(s.find.First())
	case bad == nil && good.value < s.find.Max:
		return s.number(min(2*good.value, s.find.Max))
	case good != nil && bad != nil && bad.value-good.value > max(1, findPrecision*good.value):
		return s.number(math.Floor((good.value + bad.value) / 2))
	case good != nil && !s.settled(good): // both sides again: one of them may have been chance
		return good
	case bad != nil && !s.settled(bad):
		return bad
	}
	if broken := s.broken(); broken != nil && !s.settled(broken) { // where the bad one stays undecided
		return broken
	}

	return nil
}

// broken is the lowest number that is shown to break the bound; nil where there is none.
func (s *Search) broken() *number {
	for _, n := range s.numbers {
		if n.lead <= -decidedLead {
			return n
		}
	}

	return nil
}

// bracket returns the lowest number that breaks the bound, and the highest that keeps it below
// that; nil where there is none.
func (s *Search) bracket() (good, bad *number) {
	for _, n := range s.numbers {
		if n.tries == 0 {
			continue
		}
		if !n.kept() {
			return good, n
		}
		good = n
	}

	return good, nil
}

// number returns that of a value.
func (s *Search) number(value float64) *number {
	at, found := slices.BinarySearchFunc(s.numbers, value, func(n *number, value float64) int {
		switch {
		case n.value < value:
			return -1
		case n.value > value:
			return 1
		}

		return 0
	})
	if !found {
		s.numbers = slices.Insert(s.numbers, at, &number{value: value})
	}

	return s.numbers[at]
}

// Tried takes what one step of a number came to: all kinds of operations.
func (s *Search) Tried(value float64, steps []report.Step) {
	n := s.number(value)
	s.steps++
	n.tries++
	n.add(steps, s.find.bounds())
	weight, why := s.weigh(steps)
	n.lead += weight
	n.why = cmp.Or(why, n.why)
}

// weigh returns how much a step says for the bound, or against it; why says why it says nothing.
// Where operations failed, none succeeded, or the step is not complete, it says twice as much
// against it as where it was slow. It says for it what its worst figure does.
func (s *Search) weigh(steps []report.Step) (weight int, why string) {
	if len(steps) == 0 {
		return -clearWeight, ""
	}
	weight = clearWeight
	for i := range steps {
		one := &steps[i]
		done := one.Complete || one.TooShort != nil || s.untilKnown && one.Intervals != nil
		if one.Failed > 0 || one.Operations == 0 || !done {
			return -clearWeight, ""
		}
		for _, b := range s.find.bounds() {
			of, undecided := b.weigh(one)
			weight, why = min(weight, of), cmp.Or(undecided, why)
		}
	}
	if weight != 0 {
		why = ""
	}

	return weight, why
}

// weigh returns how much a figure of a step says for its bound; why says why it says nothing.
func (b *findBound) weigh(s *report.Step) (weight int, why string) {
	limit := report.Ms(b.limit.TimeDuration())
	interval, known := s.Interval(b.Figure)
	if known && interval.Low <= limit && limit < interval.High {
		return 0, ""
	}
	bound := gate.Bound{Figure: b.Figure, Value: limit}
	outcome, text, _ := bound.Measured(&report.Group{Key: s.Key(), Steps: []*report.Step{s}})
	switch {
	case outcome == judgement.Crossed:
		return -1, ""
	case outcome == judgement.Undecided:
		return 0, strings.TrimPrefix(text, "not judged: ")
	case b.clear(s):
		return clearWeight, ""
	}

	return 1, ""
}

// clear tells whether a step that keeps the bound is far from it: at most half of the operations
// are slower than it that may be, of at least 10, or the mean is at most half of it.
func (b *findBound) clear(s *report.Step) bool {
	if b.Percentile == 0 {
		return 2*b.Of(s) <= report.Ms(b.limit.TimeDuration())
	}
	if b.Percentile.RestsOnFew(s.Timings()) {
		return false
	}
	durations, err := measure.Decode(s.Histogram)

	return err == nil && 2*durations.Above(b.limit.TimeDuration()) <= b.Percentile.Beyond(s.Operations)
}

// Result is what the report says of the search.
func (s *Search) Result() *report.Search {
	good, _ := s.bracket()
	result := &report.Search{Of: s.find.Varies(), Bound: s.find.Bound(), Max: s.find.Max, Bracket: &report.Bracket{}}
	if good != nil {
		result.Found = good.value
	}
	for _, n := range s.numbers {
		if s.decided(n) && n.undecided() {
			result.Undecided = append(result.Undecided, n.value)
			result.Why = cmp.Or(result.Why, n.why, n.little)
		}
		switch {
		case !n.leads(sureLead):
		case n.kept() && n.value <= result.Found:
			result.Bracket.Low = n.value
		case !n.kept() && n.value > result.Found && result.Bracket.High == 0:
			result.Bracket.High = n.value
		}
	}

	return result
}
