package report

import (
	"fmt"
	"slices"
)

// Sought compares what two searches for the same found.
type Sought struct {
	Of        string  `json:"of"`    // "clients" or "rate"
	Bound     string  `json:"bound"` // such as "p99 <= 5ms"
	Old       float64 `json:"old"`
	New       float64 `json:"new"`
	Regressed bool    `json:"regressed"` // less was found, by more than the tolerance
}

// newSought returns nothing when the searches were for something else each: what they found cannot be compared then.
func newSought(before, after *Search, tolerance float64) *Sought {
	if before.Of != after.Of || before.Bound != after.Bound {
		return nil
	}

	return &Sought{
		Of: after.Of, Bound: after.Bound, Old: before.Found, New: after.Found,
		Regressed: before.Found-after.Found > tolerance*before.Found,
	}
}

// ofBoth are the pairs that both searches have tried. Beyond what it finds, a search goes to where operations fail: a
// step that fails in both runs did not get worse.
func ofBoth(all []pair) []pair {
	both := slices.DeleteFunc(all, func(p pair) bool { return p.before == nil || p.after == nil })
	for i := range both {
		both[i].lost = both[i].lost && flawOf(both[i].before) == ""
	}

	return both
}

// text is one line, such as "search: the most clients with p99 <= 5ms: old 64, new 32, -50.00%  REGRESSION".
func (s *Sought) text() string {
	show := func(n float64) string { return Thousands(int64(n)) }
	if s.Of == ofRate {
		show = perSecond
	}
	line := fmt.Sprintf("search: %s with %s: old %s, new %s", mostOf(s.Of), oneLineOf(s.Bound), show(s.Old), show(s.New))
	if s.Old > 0 {
		line += ", " + percentage(s.New/s.Old)
	}
	if s.Regressed {
		line += "  REGRESSION"
	}

	return line
}

// mostOf is what a search looks for.
func mostOf(of string) string {
	if of == ofRate {
		return "the highest rate"
	}

	return "the most clients"
}
