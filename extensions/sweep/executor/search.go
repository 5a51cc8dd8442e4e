package executor

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// A sequential test decides each number: a step counts for or against it, and steps are repeated
// until one side leads (probability ratio test, Wald, "Sequential Analysis", 1947). If a step is
// right four times out of five, a lead of two decides one number in 17 wrongly. The ends of the
// bracket need a lead of four, which is wrong once in 257. About one search in 25 then misses the
// right result.
//
// A step far within the bound counts twice, since disturbances only slow steps down. So does a step
// with failures. Steps are judged as in gate files. A step whose interval contains the bound does
// not count. A number needs enough operations in all of its steps together.
//
// A step that misses the bound, maybe because of a neighbour, counts against the claim that its
// number meets the bound, but not for the claim that the number misses it. The medians of a number
// that meets the bound meet it as well. There is no result if a neighbour disturbed the steps of an
// end of the bracket and the end did not get a sure lead.
const (
	decidedLead = 2
	sureLead    = 4
	clearWeight = 2

	// mostTries is the most tries to decide a number, and the most additional tries to be certain.
	mostTries = 8
)

type number struct {
	value float64
	tries int
	// met is the lead of steps that met the bound, and missed of steps that missed it for sure.
	met, missed int
	groups      []report.Group
	// above is set if a median is above a bound.
	above bool
	// why is the reason why the last undecided step was undecided. little is the reason for too few
	// operations, or "".
	why, little string
}

// kept and broken report whether the number meets or misses the bound by a lead of at least by.
func (n *number) kept(by int) bool   { return n.met >= by && !n.above && n.little == "" }
func (n *number) broken(by int) bool { return n.missed >= by }

func (n *number) leads(by int) bool { return n.kept(by) || n.broken(by) }

// doubtful reports whether no lead is sure because of a neighbour or of k6.
func (n *number) doubtful() bool { return n != nil && n.why != "" && !n.leads(sureLead) }

func (n *number) undecided() bool { return n.tries > 0 && !n.leads(decidedLead) }

// add adds the steps of a try, and updates little and above.
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
	n.little, n.above = "", false
	for i := range n.groups {
		for _, b := range bounds {
			n.little = cmp.Or(n.little, b.RestsOnLittle(&n.groups[i]))
			n.above = n.above || !b.Keeps(report.Median(n.groups[i].Values(b.Of)), report.Ms(b.limit.TimeDuration()))
		}
	}
}

// search is a search in progress.
type search struct {
	find *Find
	// repeats is the least number of tries of a number.
	repeats int
	// untilKnown is set for steps with a precision. Such a step is not slow if its time ran out.
	untilKnown bool

	numbers []*number
	steps   int
}

// newSearch begins a search that tries each number at least repeats times.
func newSearch(find *Find, repeats int, untilKnown bool) *search {
	return &search{find: find, repeats: repeats, untilKnown: untilKnown}
}

// decided reports whether the number needs no further step for the search to continue.
func (s *search) decided(n *number) bool {
	return n.tries >= s.repeats && (n.leads(decidedLead) || n.tries >= max(mostTries, s.repeats))
}

// settled reports whether a number at an end of the bracket needs no further step.
func (s *search) settled(n *number) bool {
	return s.decided(n) && (n.leads(sureLead) || n.tries >= 2*max(mostTries, s.repeats))
}

// Next returns the next number and which try of it this is, from 1. more is false at the end.
func (s *search) Next() (value float64, try int, more bool) {
	if s.steps >= s.find.MostSteps(s.repeats) {
		return 0, 0, false
	}
	n := s.choose()
	if n == nil {
		return 0, 0, false
	}

	return n.value, n.tries + 1, true
}

func (s *search) choose() *number {
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
	}

	return s.confirm(good, bad)
}

// confirm returns the next number to try again at the ends of the bracket.
func (s *search) confirm(good, bad *number) *number {
	if good != nil && !s.settled(good) {
		return good
	}
	if bad != nil && !s.settled(bad) {
		return bad
	}
	if good.doubtful() { // a lower number may be sure
		if n, sure := s.below(good); n != nil || sure {
			return n
		}
	}
	if broken := s.broken(); broken != nil && !s.settled(broken) { // the number above may stay undecided
		return broken
	}

	return nil
}

// below returns the highest number below a doubtful one that needs another step, unless a higher
// one keeps the bound for sure.
func (s *search) below(doubtful *number) (n *number, sure bool) {
	for _, n := range slices.Backward(s.numbers) {
		if n.value < doubtful.value && !s.settled(n) {
			return n, false
		}
		if n.kept(sureLead) {
			return nil, true
		}
	}

	return nil, false
}

// broken returns the lowest number known to miss the bound, or nil.
func (s *search) broken() *number {
	for _, n := range s.numbers {
		if n.broken(decidedLead) {
			return n
		}
	}

	return nil
}

// bracket returns the lowest number that misses the bound, and the highest below it that meets it;
// nil if there is no such number.
func (s *search) bracket() (good, bad *number) {
	for _, n := range s.numbers {
		if n.tries == 0 {
			continue
		}
		if !n.kept(decidedLead) {
			return good, n
		}
		good = n
	}

	return good, nil
}

func (s *search) number(value float64) *number {
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

// Tried adds the step of a number, one entry for each kind of operation.
func (s *search) Tried(value float64, steps []report.Step) {
	n := s.number(value)
	s.steps++
	n.tries++
	n.add(steps, s.find.bounds())
	met, missed, why := s.weigh(steps)
	n.met += met
	n.missed += missed
	n.why = cmp.Or(why, n.why)
}

// weigh returns how much a step counts for the claims that its number meets and misses the bound
// (negative: against them), and why the step is undecided. Failures, no success, and incomplete
// steps count twice. Else the worst figure counts.
func (s *search) weigh(steps []report.Step) (met, missed int, why string) {
	if len(steps) == 0 {
		return -clearWeight, clearWeight, ""
	}
	met, missed = clearWeight, -clearWeight
	for i := range steps {
		one := &steps[i]
		done := one.Complete || one.TooShort != nil || s.untilKnown && one.Intervals != nil
		if one.Failed > 0 || one.Operations == 0 || !done {
			return -clearWeight, clearWeight, ""
		}
		for _, b := range s.find.bounds() {
			meets, misses, undecided := b.weigh(one)
			met, missed, why = min(met, meets), max(missed, misses), cmp.Or(undecided, why)
		}
	}
	if missed != 0 {
		why = ""
	}

	return met, missed, why
}

// weigh returns how much a figure of a step counts for the claims that its bound is met and missed,
// and why it is undecided.
func (b *findBound) weigh(s *report.Step) (met, missed int, why string) {
	limit := report.Ms(b.limit.TimeDuration())
	interval, known := s.Interval(b.Figure)
	if known && interval.Low <= limit && limit < interval.High {
		return 0, 0, ""
	}
	bound := gate.Bound{Figure: b.Figure, Value: limit}
	outcome, text, value := bound.Measured(&report.Group{Key: s.Key(), Steps: []*report.Step{s}})
	switch {
	case outcome == stats.Crossed:
		return -1, 1, ""
	case outcome == stats.Undecided && b.Keeps(value, limit):
		return 0, 0, strings.TrimPrefix(text, "not judged: ")
	case outcome == stats.Undecided:
		return -1, 0, strings.TrimPrefix(text, "not judged: ")
	case b.clear(s):
		return clearWeight, -clearWeight, ""
	}

	return 1, -1, ""
}

// clear reports whether a step is far within the bound: at most half of the allowed number of
// slower operations, with at least 10 allowed, or at most half of the mean.
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

// sureBracket returns the highest number up to highest that keeps the bound for sure, and the
// lowest above it that does not.
func (s *search) sureBracket(highest float64) *report.Bracket {
	sure := &report.Bracket{}
	for _, n := range s.numbers {
		switch {
		case n.kept(sureLead) && n.value <= highest:
			sure.Low = n.value
		case n.broken(sureLead) && n.value > highest && sure.High == 0:
			sure.High = n.value
		}
	}

	return sure
}

// Result returns the search for the report.
func (s *search) Result() *report.Search {
	good, bad := s.bracket()
	highest := 0.0 // that meets the bound, maybe not for sure
	if good != nil {
		highest = good.value
	}
	result := &report.Search{Of: s.find.Varies(), Bound: s.find.Bound(), Max: s.find.Max, Bracket: s.sureBracket(highest)}
	gaveUp := s.steps >= s.find.MostSteps(s.repeats) && s.choose() != nil
	if !gaveUp && !good.doubtful() && !bad.doubtful() {
		result.Found = highest
	}
	for _, n := range s.numbers {
		unsure := result.Found == 0 && (n == good || n == bad) && !n.leads(sureLead)
		if s.decided(n) && n.undecided() || unsure {
			result.Undecided = append(result.Undecided, n.value)
			result.Why = cmp.Or(result.Why, n.why, n.little)
		}
	}

	return result
}
