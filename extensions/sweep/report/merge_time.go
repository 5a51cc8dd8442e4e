package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// leastOverlap is the part of the shortest part's time in which all parts of a step have to be at
// work. Below it their operations are not of one load, and the step is not complete.
const leastOverlap = 0.95

// span is when a part was at work in a step.
type span struct{ from, to time.Time }

// timeLine is when the parts of a step were at work, by their machines' clocks.
type timeLine struct {
	spans []span
	// longest is the step time of the part that took longest.
	longest time.Duration
	// unknown tells that a part does not say when it began.
	unknown bool
}

// add adds a part's step. One in which the start line never opened took no time.
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

// started is when the first part began; zero when one does not say.
func (l *timeLine) started() time.Time {
	if l.unknown || len(l.spans) == 0 {
		return time.Time{}
	}

	return slices.MinFunc(l.spans, func(a, b span) int { return a.from.Compare(b.from) }).from
}

// elapsed is for how long at least one part was at work: what the parts did is not done in less.
// Where that is not known, all are taken to have begun at once.
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

// overlap is the part of the shortest part's time in which all of them were at work; known is false
// for a single part, and where one does not say when it began. A part that ends later than others
// is no lack: so do single clients.
func (l *timeLine) overlap() (part float64, known bool) {
	if l.unknown || len(l.spans) < 2 {
		return 0, false
	}
	from := slices.MaxFunc(l.spans, func(a, b span) int { return a.from.Compare(b.from) }).from
	to := slices.MinFunc(l.spans, func(a, b span) int { return a.to.Compare(b.to) }).to
	shortest := slices.MinFunc(l.spans, func(a, b span) int { return cmp.Compare(a.to.Sub(a.from), b.to.Sub(b.from)) })
	took := shortest.to.Sub(shortest.from)
	if took == 0 {
		return 1, true // a moment is beside all that goes on
	}

	return max(float64(to.Sub(from))/float64(took), 0), true
}

// windowLine is when the windows of the parts were: those of the parts' times in which operations
// count for ops/s.
type windowLine struct {
	timeLine

	without bool // a part has none
}

// add adds the window of a part's step. One in which the start line never opened needs none.
func (l *windowLine) add(s *Step) {
	switch {
	case s.Window != nil:
		l.timeLine.add(&Step{Started: s.Started, Seconds: s.Window.Seconds})
	case s.Seconds > 0:
		l.without = true
	}
}

// elapsed is for how long at least one part had its window; zero where a part has none.
func (l *windowLine) elapsed() time.Duration {
	if l.without {
		return 0
	}

	return l.timeLine.elapsed()
}

// apart tells whether the parts of a merged step were not at work at the same time.
func (s *Step) apart() bool { return s.Overlap != nil && *s.Overlap < leastOverlap }

// Incomplete says why a step is not complete, or nothing when it is.
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

// together tells whether parts of a run were at work in one of its steps at the same time.
func together(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.Overlap != nil && *s.Overlap > 0 })
}

// timeNotes say which steps' parts were not at work at the same time. Of how many steps that is
// unknown is what older parts do not tell.
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
