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
type timeLine struct {
	spans   []span
	longest time.Duration
	unknown bool
}

// add adds a part's step. A step whose start line never opened has no time.
func (l *timeLine) add(s *Step) {
	took := nanoseconds(s.Seconds, time.Second)
	l.longest = max(l.longest, took)
	switch {
	case !s.Started.IsZero():
		l.spans = append(l.spans, span{s.Started, s.Started.Add(took)})
	case took > 0:
		l.unknown = true
	}
}

func (l *timeLine) started() time.Time {
	if l.unknown || len(l.spans) == 0 {
		return time.Time{}
	}

	return slices.MinFunc(l.spans, func(a, b span) int { return a.from.Compare(b.from) }).from
}

// elapsed returns the time in which at least one part ran. If starts are unknown, all parts are
// assumed to start together.
func (l *timeLine) elapsed() time.Duration {
	if l.unknown {
		return l.longest
	}
	spans := slices.SortedFunc(slices.Values(l.spans), func(a, b span) int { return a.from.Compare(b.from) })
	var elapsed time.Duration
	var end time.Time
	for i, s := range spans {
		if i == 0 || s.from.After(end) {
			elapsed += s.to.Sub(s.from)
			end = s.to

			continue
		}
		if more := s.to.Sub(end); more > 0 {
			elapsed += more
			end = s.to
		}
	}

	return elapsed
}

// overlap returns the share of the shortest part's time in which all parts ran. It is unknown for a
// single part, or without start times. Parts may end at different times, as clients do.
func (l *timeLine) overlap() (part float64, known bool) {
	if l.unknown || len(l.spans) < 2 {
		return 0, false
	}
	from := slices.MaxFunc(l.spans, func(a, b span) int { return a.from.Compare(b.from) }).from
	to := slices.MinFunc(l.spans, func(a, b span) int { return a.to.Compare(b.to) }).to
	shortest := slices.MinFunc(l.spans, func(a, b span) int { return cmp.Compare(a.to.Sub(a.from), b.to.Sub(b.from)) })
	took := shortest.to.Sub(shortest.from)
	if took == 0 {
		return 1, true // a part without duration overlaps with everything
	}

	return max(float64(to.Sub(from))/float64(took), 0), true
}

// windowLine has the windows of the parts, in which operations count for ops/s.
type windowLine struct {
	timeLine

	without bool // a part has no window
}

// add adds the window of a part's step. A step whose start line never opened needs none.
func (l *windowLine) add(s *Step) {
	switch {
	case s.Window != nil:
		l.timeLine.add(&Step{Started: s.Started, Seconds: s.Window.Seconds})
	case s.Seconds > 0:
		l.without = true
	}
}

// elapsed returns the time in which at least one part had its window; zero if a part has no window.
func (l *windowLine) elapsed() time.Duration {
	if l.without {
		return 0
	}

	return l.timeLine.elapsed()
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

// timeNotes names the steps whose parts overlapped too little. unknown counts the steps without
// start times.
func timeNotes(steps []Step, unknown int) []string {
	var notes []string
	for i := range steps {
		if s := &steps[i]; s.apart() && (i == 0 || !SameStep(&steps[i-1], s)) {
			notes = append(notes, fmt.Sprintf("%s is not complete: %s", s.id(), s.Incomplete()))
		}
	}
	if unknown > 0 {
		notes = append(notes, fmt.Sprintf("parts do not tell when %s of theirs began: ops/s are right only if they began at once",
			Plural(unknown, "step")))
	}

	return notes
}
