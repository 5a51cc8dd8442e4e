package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Limits from which on a note is shown.
const (
	longTail  = 0.1 // tail after the window, relative to it
	fewAtWork = 0.5 // time with all clients at work, relative to the step
)

// notes returns the sentences under the table: what a reader must know, and results.
func (r *Report) notes() []string {
	var notes []string
	if r.Interrupted {
		notes = append(notes, r.interruption())
	}
	if r.Quiet != nil && !r.Quiet.Reached {
		notes = append(notes, r.Quiet.Note())
	}
	if note := r.Script.note(); note != "" {
		notes = append(notes, note)
	}
	last := len(r.Steps) - 1
	for i := range r.Steps {
		s := &r.Steps[i]
		first := i == 0 || !SameStep(&r.Steps[i-1], s)
		if first { // once for a step, not for each kind of operation
			told := r.Interrupted && sameNumbers(s, &r.Steps[last])
			notes = append(notes, stepNotes(s, told)...)
		}
		label := s.label()
		if !first || i < last && SameStep(s, &r.Steps[i+1]) {
			label += ", " + Escape(s.Op)
		}
		notes = append(notes, failureNotes(label, s)...)
	}
	notes = append(notes, r.witnessNotes()...)
	if note := r.ownTimeNote(); note != "" {
		notes = append(notes, note)
	}
	if slices.ContainsFunc(r.WithTotals(), func(s *Step) bool { return s.Op == TotalOp }) {
		notes = append(notes, TotalOp+" counts operations: a call of the script's function that does several counts as several.")
	}

	return append(notes, r.gateNotes()...)
}

func failureNotes(label string, s *Step) []string {
	var notes []string
	if note := s.failedNote(); note != "" {
		notes = append(notes, label+": "+note)
	}
	for _, text := range measure.MostFrequent(s.Extra.Errors) {
		notes = append(notes, fmt.Sprintf("%s: %s x %s", label, Thousands(int64(s.Extra.Errors[text])), codeSpan(text)))
	}

	return notes
}

func (r *Report) interruption() string {
	if last := len(r.Steps) - 1; last >= 0 && !r.Steps[last].Complete {
		if s := &r.Steps[last]; s.Operations == 0 && s.Failed == 0 {
			return "The run was interrupted before an operation of the last step shown ended in its measured phase: earlier ones are not counted."
		}

		return "The run was interrupted: the last step shown, and those that are missing, were not done."
	}

	return "The run was interrupted: steps that are missing were not done."
}

// stepNotes returns the notes about a whole step. told: the step was already called incomplete.
func stepNotes(s *Step, told bool) []string {
	var notes []string
	if !s.Complete && !told {
		notes = append(notes, fmt.Sprintf("The step of %s is incomplete: %s.", s.label(), s.Incomplete()))
	}
	if asked := uint64(s.Clients) * s.PerClient; s.Complete && asked > 0 && asked < measure.LeastOperations {
		notes = append(notes, fmt.Sprintf("%s: %s, at least %d are needed for ops/s, an average or a percentile to be judged.",
			s.label(), Counted(int64(asked), "operation"), measure.LeastOperations))
	}
	if w := s.Window; w != nil && !told && w.TailSeconds > longTail*w.Seconds {
		notes = append(notes, fmt.Sprintf("%s: ops/s is of the window of %s; what was under way then ended within another %s.",
			s.label(), Span(w.Seconds), Span(w.TailSeconds)))
	}
	if a := s.AllClients; a != nil && a.Seconds < fewAtWork*s.Seconds {
		notes = append(notes, fmt.Sprintf("%s: all clients were at work for %s of %s, with %s.",
			s.label(), Span(a.Seconds), Span(s.Seconds), opsPerSecond(a.OpsPerSecond)))
	}
	if why := s.missed(); why != "" && s.Complete {
		notes = append(notes, fmt.Sprintf("%s: %s", s.label(), why))
	}
	if note := s.busyNote(); note != "" {
		notes = append(notes, fmt.Sprintf("%s: %s", s.label(), note))
	}
	if n := s.Extra.Unstarted; n > 0 {
		notes = append(notes, fmt.Sprintf("%s: operations that were due but never started: %s", s.label(), Thousands(int64(n))))
	}

	return notes
}

// label returns the step's name in notes, such as "8 clients (repeat 2)".
func (s *Step) label() string {
	label := Plural(s.Clients, "client")
	if s.Variant != "" {
		label += ", " + Escape(s.Variant)
	}
	if s.Rate != 0 {
		label += " at " + perSecond(s.Rate)
	}
	if s.Repeat > 1 {
		label += fmt.Sprintf(" (repeat %d)", s.Repeat)
	}

	return label
}

// restsOnFew names the percentiles of the result that rest on few operations, as sentences after a
// space. If nothing was found, it looks at all steps.
func (r *Report) restsOnFew() string {
	said := ""
	groups := r.Groups()
	for i := range groups {
		g := &groups[i]
		number := float64(g.Clients)
		if r.Search.Of == ofRate {
			number = g.Rate
		}
		if r.Search.Found > 0 && number != r.Search.Found {
			continue
		}
		for _, p := range []Percentile{P50, P90, P95, P99, P999} {
			if why := g.TooFew(p); why != "" && slices.Contains(strings.Fields(r.Search.Bound), p.key()) {
				said += fmt.Sprintf(" With %s, %s.", g.Steps[0].label(), why)
			}
		}
	}

	return said
}

// sure describes which numbers were measured until certain and which stayed undecided, as sentences
// after a space.
func (s *Search) sure() string {
	show := func(n float64) string { return Thousands(int64(n)) }
	if s.Of == ofRate {
		show = perSecond
	}

	return s.triedAgain(show) + s.undecided(show)
}

// undecided names the numbers that are too close to the bound.
func (s *Search) undecided(show func(float64) string) string {
	if len(s.Undecided) == 0 {
		return ""
	}
	numbers := make([]string, len(s.Undecided))
	for i, n := range s.Undecided {
		numbers[i] = show(n)
	}

	if s.Why != "" {
		return fmt.Sprintf(" Undecided: %s (%s).", strings.Join(numbers, ", "), s.Why)
	}

	return fmt.Sprintf(" Undecided: %s, so near to the bound that noise is more; longer steps, or a precision of the figure, tell.",
		strings.Join(numbers, ", "))
}

func (s *Search) triedAgain(show func(float64) string) string {
	if s.Bracket == nil {
		return ""
	}
	switch low, high := s.Bracket.Low, s.Bracket.High; {
	case low > 0 && high > 0:
		return fmt.Sprintf(" Tried again, %s keeps it and %s does not.", show(low), show(high))
	case low > 0:
		return fmt.Sprintf(" Tried again, %s keeps it.", show(low))
	case high > 0:
		return fmt.Sprintf(" Tried again, %s does not keep it.", show(high))
	}

	return ""
}

// SearchNote describes the result of a search, and how certain it is.
func (r *Report) SearchNote() string { return r.FoundNote() + r.Search.sure() + r.restsOnFew() }

// FoundNote describes the result of a search in one sentence.
func (r *Report) FoundNote() string {
	s := r.Search
	bound := oneLineOf(s.Bound)
	of, show := "number of clients", func(n float64) string { return Thousands(int64(n)) }
	if s.Of == ofRate {
		of, show = "rate", perSecond
	}
	switch {
	case s.CannotTell() && s.Bracket != nil && s.Bracket.Low > 0:
		return fmt.Sprintf("The highest %s that keeps %s is undecided.", of, bound)
	case s.CannotTell():
		return fmt.Sprintf("Nothing that was tried is shown to keep %s.", bound)
	case s.Found > 0:
		return fmt.Sprintf("The highest %s that keeps %s is %s (of at most %s).", of, bound, show(s.Found), show(s.Max))
	case s.Of == ofRate:
		return fmt.Sprintf("Not even the lowest rate that was tried keeps %s.", bound)
	}
	lowest := 1
	for i := range r.Steps {
		if i == 0 || r.Steps[i].Clients < lowest {
			lowest = r.Steps[i].Clients
		}
	}
	verb := "keep"
	if lowest == 1 {
		verb = "keeps"
	}

	return fmt.Sprintf("Not even %s %s %s.", Plural(lowest, "client"), verb, bound)
}

// CannotTell reports whether a search ended without a result because too little is certain.
func (s *Search) CannotTell() bool {
	return s.Found == 0 && (len(s.Undecided) > 0 || s.Bracket != nil && s.Bracket.Low > 0)
}

// gateNotes names the gates that did not hold and those with a smallest detectable change, and
// counts the others.
func (r *Report) gateNotes() []string {
	var notes []string
	var gates []string // with one explanation, for each note
	var held []Verdict
	said := map[string]int{} // places of notes by their outcome and explanation
	for i := range r.Gates {
		v := &r.Gates[i]
		if v.Outcome == stats.Held && v.Visible == 0 {
			held = append(held, *v)

			continue
		}
		text := v.Explained()
		key := v.mark() + " " + text
		if at, known := said[key]; known && text != "" {
			gates[at] += "; " + Escape(v.Gate)

			continue
		}
		said[key] = len(notes)
		gates = append(gates, v.mark()+": "+Escape(v.Gate))
		if text != "" {
			text = " (" + Escape(text) + ")"
		}
		notes = append(notes, text)
	}
	for i := range notes {
		notes[i] = gates[i] + notes[i]
	}
	switch {
	case len(held) == 0:
	case len(notes) > 0:
		notes = append(notes, "The other "+counted(held)+" held.")
	default:
		notes = append(notes, counted(held)+" held"+thresholdNames(held)+".")
	}

	return notes
}

// thresholdNames lists the metrics if all verdicts are of k6's thresholds: sweep.options sets two
// that the script does not show.
func thresholdNames(verdicts []Verdict) string {
	var names []string
	for i := range verdicts {
		if !verdicts[i].Threshold {
			return ""
		}
		name, _, _ := strings.Cut(verdicts[i].Gate, " ")
		names = append(names, Escape(name))
	}

	return ": " + strings.Join(slices.Compact(names), ", ")
}

// SameStep reports whether b, the next in order, belongs to the same step as a.
func SameStep(a, b *Step) bool {
	return sameNumbers(a, b) && a.Op < b.Op
}

func sameNumbers(a, b *Step) bool {
	return a.id() == b.id()
}
