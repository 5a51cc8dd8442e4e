package report

import (
	"fmt"
	"slices"
)

// Sought compares what two searches for the same found.
type Sought struct {
	Of    string  `json:"of"`    // "clients" or "rate"
	Bound string  `json:"bound"` // such as "p99 <= 5ms"
	Old   float64 `json:"old"`
	New   float64 `json:"new"`
	// OldBracket and NewBracket are what is sure of both; missing for reports that do not tell.
	OldBracket *Bracket `json:"oldBracket,omitempty"`
	NewBracket *Bracket `json:"newBracket,omitempty"`
	// Regressed tells that less was found, by more than the tolerance, and that the brackets have
	// no number in common.
	Regressed bool `json:"regressed"`
}

// newSought returns nothing when the searches were for something else each: what they found cannot
// be compared then.
func newSought(before, after *Search, tolerance float64) *Sought {
	if before.Of != after.Of || before.Bound != after.Bound {
		return nil
	}

	return &Sought{
		Of: after.Of, Bound: after.Bound, Old: before.Found, New: after.Found,
		OldBracket: before.Bracket, NewBracket: after.Bracket,
		Regressed: before.Found-after.Found > tolerance*before.Found && !overlap(before.Bracket, after.Bracket),
	}
}

// overlap tells whether what an old search may have found and what a new one may have found have a
// number in common, when the new one has found less. Reports that do not tell have none.
func overlap(before, after *Bracket) bool {
	return before != nil && after != nil && (after.High == 0 || before.Low <= after.High)
}

// ofBoth are the pairs that both searches have tried. Beyond what it finds, a search goes to where
// operations fail: a step that fails in both runs did not get worse.
func ofBoth(all []pair) []pair {
	both := slices.DeleteFunc(all, func(p pair) bool { return p.before == nil || p.after == nil })
	for i := range both {
		both[i].lost = both[i].lost && flawOf(both[i].before) == ""
	}

	return both
}

// text is one line, such as "search: the most clients with p99 <= 5ms: old 64, new 32, -50.00%
// REGRESSION".
func (s *Sought) text() string {
	show := func(n float64) string { return Thousands(int64(n)) }
	if s.Of == ofRate {
		show = perSecond
	}
	line := fmt.Sprintf("search: %s with %s: old %s%s, new %s%s", mostOf(s.Of), oneLineOf(s.Bound),
		show(s.Old), s.OldBracket.text(show), show(s.New), s.NewBracket.text(show))
	if s.Old > 0 {
		line += ", " + percentage(s.New/s.Old)
	}
	if s.Regressed {
		line += "  REGRESSION"
	}

	return line
}

// text is the bracket behind what was found, such as " (8 to 10)"; nothing when it is not known.
func (b *Bracket) text(show func(float64) string) string {
	switch {
	case b == nil:
		return ""
	case b.High == 0:
		return fmt.Sprintf(" (%s or more)", show(b.Low))
	}

	return fmt.Sprintf(" (%s to %s)", show(b.Low), show(b.High))
}

// mostOf is what a search looks for.
func mostOf(of string) string {
	if of == ofRate {
		return "the highest rate"
	}

	return "the most clients"
}
