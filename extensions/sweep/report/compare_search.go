package report

import (
	"fmt"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Sought compares the results of two searches with the same goal.
type Sought struct {
	Of    string  `json:"of"`    // "clients" or "rate"
	Bound string  `json:"bound"` // such as "p99 <= 5ms"
	Old   float64 `json:"old"`
	New   float64 `json:"new"`
	// OldBracket and NewBracket are the certain bounds of both results; nil if unknown.
	OldBracket *Bracket `json:"oldBracket,omitempty"`
	NewBracket *Bracket `json:"newBracket,omitempty"`
	// Regressed reports whether the new result is lower by more than the tolerance, with brackets that
	// do not overlap.
	Regressed bool `json:"regressed"`
}

func newSought(before, after *Search, tolerance float64) *Sought {
	if before.Of != after.Of || before.Bound != after.Bound {
		return nil
	}

	surely := before.Bracket
	if surely == nil && after.CannotTell() {
		surely = &Bracket{Low: before.Found}
	}

	return &Sought{
		Of: after.Of, Bound: after.Bound, Old: before.Found, New: after.Found,
		OldBracket: before.Bracket, NewBracket: after.Bracket,
		Regressed: before.Found-after.Found > tolerance*before.Found && !overlap(surely, after.Bracket),
	}
}

// overlap reports whether the brackets overlap, for a new result that is lower.
func overlap(before, after *Bracket) bool {
	return before != nil && after != nil && (after.High == 0 || before.Low <= after.High)
}

// ofBoth returns the pairs that both searches measured, except steps that failed in both: a search
// also measures loads that are too high.
func ofBoth(all []pair) []pair {
	both := slices.DeleteFunc(all, func(p pair) bool { return p.before == nil || p.after == nil })
	for i := range both {
		both[i].lost = both[i].lost && FlawOf(both[i].before) == ""
	}

	return both
}

// text returns one line, such as "search: the most clients with p99 <= 5ms: old 64, new 32, 0.500x
// REGRESSION".
func (s *Sought) text() string {
	show := func(n float64) string { return Thousands(int64(n)) }
	if s.Of == ofRate {
		show = perSecond
	}
	result := func(found float64, b *Bracket) string {
		if found == 0 && b != nil && b.Low > 0 {
			return "undecided" + b.text(show)
		}

		return show(found) + b.text(show)
	}
	line := fmt.Sprintf("search: %s with %s: old %s, new %s", mostOf(s.Of), oneLineOf(s.Bound),
		result(s.Old, s.OldBracket), result(s.New, s.NewBracket))
	if s.Old > 0 && (s.New > 0 || s.NewBracket == nil || s.NewBracket.Low == 0) {
		line += ", " + stats.Times(s.New/s.Old)
	}
	if s.Regressed {
		line += "  REGRESSION"
	}

	return line
}

// text formats the bracket to follow the result, such as " (8 to 10)"; "" if unknown.
func (b *Bracket) text(show func(float64) string) string {
	switch {
	case b == nil:
		return ""
	case b.High == 0:
		return fmt.Sprintf(" (%s or more)", show(b.Low))
	}

	return fmt.Sprintf(" (%s to %s)", show(b.Low), show(b.High))
}

func mostOf(of string) string {
	if of == ofRate {
		return "the highest rate"
	}

	return "the most clients"
}
