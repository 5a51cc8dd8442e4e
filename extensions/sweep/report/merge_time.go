package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// leastOverlap is the share of the shortest part's time in which all parts must run. With less
// overlap, the parts did not load the server together, and the step is incomplete.
const leastOverlap = 0.95

type span struct{ from, to time.Time }

// timeLine has the spans of a step's parts, by their machines' clocks.
type timeLine []span

// add adds a part. A step whose start line never opened has no time.
func (l *timeLine) add(started time.Time, seconds float64) {
	if !started.IsZero() {
		*l = append(*l, span{started, started.Add(nanoseconds(seconds, time.Second))})
	}
}

func (l timeLine) started() time.Time {
	if len(l) == 0 {
		return time.Time{}
	}

	return slices.MinFunc(l, func(a, b span) int { return a.from.Compare(b.from) }).from
}

// elapsed returns the time in which at least one part ran.
func (l timeLine) elapsed() (elapsed time.Duration) {
	end := l.started()
	for _, s := range slices.SortedFunc(slices.Values(l), func(a, b span) int { return a.from.Compare(b.from) }) {
		if s.from.After(end) {
			end = s.from
		}
		if more := s.to.Sub(end); more > 0 {
			elapsed += more
			end = s.to
		}
	}

	return elapsed
}

// overlap returns the share of the shortest part's time in which all parts ran. It is unknown for a
// single part. Parts may end at different times, as clients do.
func (l timeLine) overlap() (part float64, known bool) {
	if len(l) < 2 {
		return 0, false
	}
	from := slices.MaxFunc(l, func(a, b span) int { return a.from.Compare(b.from) }).from
	to := slices.MinFunc(l, func(a, b span) int { return a.to.Compare(b.to) }).to
	shortest := slices.MinFunc(l, func(a, b span) int { return cmp.Compare(a.to.Sub(a.from), b.to.Sub(b.from)) })
	took := shortest.to.Sub(shortest.from)
	if took == 0 {
		return 1, true // a part without duration overlaps with everything
	}

	return max(float64(to.Sub(from))/float64(took), 0), true
}

// apart reports whether the parts of a merged step overlapped too little.
func (s *Step) apart() bool { return s.Overlap != nil && *s.Overlap < leastOverlap }

// Incomplete returns why a step is incomplete; "" if it is complete.
func (s *Step) Incomplete() string {
	switch {
	case s.Complete:
		return ""
	case s.apart():
		return fmt.Sprintf("its parts were at work together for %.0f %% of the time, and at least %.0f %% is needed",
			math.Floor(100**s.Overlap), 100*leastOverlap)
	case s.TooShort != nil:
		return fmt.Sprintf("too short to measure: %s, at least %d are needed",
			Counted(int64(*s.TooShort), "operation"), measure.LeastOperations)
	}
	if why := s.missed(); why != "" {
		return why
	}
	if n := s.Extra.Unstarted; n > 0 && s.OpenLoop == nil {
		return Thousands(int64(n)) + " operations that were due were never started"
	}

	return "not every client did its whole share"
}

// together reports whether the parts overlapped in at least one step.
func together(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.Overlap != nil && *s.Overlap > 0 })
}

// timeNotes names the steps whose parts overlapped too little.
func timeNotes(steps []Step) (notes []string) {
	for i := range steps {
		if s := &steps[i]; s.apart() && (i == 0 || !SameStep(&steps[i-1], s)) {
			notes = append(notes, fmt.Sprintf("%s is not complete: %s", s.id(), s.Incomplete()))
		}
	}

	return notes
}
