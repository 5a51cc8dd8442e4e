package report

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// CompareOptions are the limits for calling a difference between two runs a change.
type CompareOptions struct {
	Tolerance float64 // allowed worsening: 0.05 is 5 %
	Alpha     float64 // probability of a false alarm; zero means DefaultAlpha
}

// Comparison is the result of comparing an old and a new run.
type Comparison struct {
	Old       Run      `json:"old"`
	New       Run      `json:"new"`
	Tolerance float64  `json:"tolerance"`
	Alpha     float64  `json:"alpha"`
	Rows      []Row    `json:"rows"`             // sorted by figure, then by step
	Search    *Sought  `json:"search,omitempty"` // if both runs are searches with the same goal
	Warnings  []string `json:"warnings"`         // differences besides the figures
	Notes     []string `json:"notes"`            // limits of the comparison
	Regressed bool     `json:"regressed"`        // a row or the search regressed, or the new run was interrupted

	// Undecided reports whether the result of a search, or a row of runs without one, could not be
	// judged.
	Undecided bool `json:"undecided"`
}

// Run identifies a compared run.
type Run struct {
	Name     string `json:"name"` // the caller's name for it, such as its file
	Scenario string `json:"scenario"`
	Started  string `json:"started"` // RFC 3339
}

// The verdicts of a row.
const (
	Better        = "better"         // significantly better
	Worse         = "worse"          // significantly worse, within the tolerance or beyond it
	Same          = "same"           // not significant, and within the tolerance
	Undecided     = "undecided"      // Row.Reason says why
	NotComparable = "not comparable" // Row.Problem says why
)

// Row compares one figure of one step.
type Row struct {
	Figure string `json:"figure"` // "ops/s", "p50", "p99"; latencies in ms
	Key
	Contrast
	Verdict string `json:"verdict"`
	// Outcome judges the row as a gate on the tolerance. It is empty if the row was not judged.
	Outcome   stats.Outcome `json:"outcome,omitempty"`
	Problem   string        `json:"problem,omitempty"` // why it is not comparable
	Reason    string        `json:"reason,omitempty"`  // why it is undecided, or less certain
	Regressed bool          `json:"regressed"`         // significantly worse by more than the tolerance, or not comparable any more
}

// Compared are the figures that two runs are compared by, and that tables have intervals of.
var Compared = []*Figure{ //nolint:gochecknoglobals // a constant
	FigureOf("ops_per_second"), FigureOf("p50"), FigureOf("p99"),
}

// Compare compares two runs step by step and judges the interval of each ratio against the
// tolerance. A row is undecided if its repeats are too few, could not show a change of that size,
// or exist in one run only. A step that is missing, incomplete or has failures in the new run only
// is a regression, and so is an interrupted new run. For two searches, the results and the common
// steps are compared. Compare returns an error for invalid options, different scenarios, and runs
// without a comparable step.
func Compare(before, after *Report, o CompareOptions) (*Comparison, error) {
	if o.Alpha == 0 {
		o.Alpha = DefaultAlpha
	}
	if err := checkComparable(before, after, o); err != nil {
		return nil, err
	}

	c := &Comparison{
		Old: runOf(before), New: runOf(after), Tolerance: o.Tolerance, Alpha: o.Alpha,
		Warnings: warnings(before, after), Notes: []string{},
	}
	pairs := pairs(before, after)
	if before.Search != nil && after.Search != nil {
		pairs = ofBoth(pairs)
		c.Search = newSought(before.Search, after.Search, o.Tolerance)
	}
	if problem := nothingComparable(pairs); problem != "" && c.Search == nil {
		return nil, errors.New(problem)
	}
	rows := make([]judged, 0, len(Compared)*len(pairs))
	c.Rows = make([]Row, 0, cap(rows))
	for _, figure := range Compared {
		for i := range pairs {
			row, estimate := pairs[i].row(figure, o)
			c.Rows = append(c.Rows, row)
			if estimate != nil {
				rows = append(rows, judged{&c.Rows[len(c.Rows)-1], figure, estimate})
			}
		}
	}
	judgeRows(rows, o)
	c.judge(after.Interrupted)
	c.Notes = append(c.Notes, fewRepeats(pairs)...)

	return c, nil
}

func (c *Comparison) judge(interrupted bool) {
	c.Regressed = interrupted || c.Search != nil && c.Search.Regressed
	for i := range c.Rows {
		r := &c.Rows[i]
		c.Regressed = c.Regressed || r.Regressed
		// In a search, the steps that both runs have in common are chance, so they do not count.
		c.Undecided = c.Undecided || c.Search == nil && !r.Regressed && (r.Verdict == Undecided || r.Verdict == NotComparable)
	}
}

// checkComparable returns an error for invalid options, or runs that cannot be compared at all.
func checkComparable(before, after *Report, o CompareOptions) error {
	switch {
	case !(o.Tolerance >= 0 && o.Tolerance < 1):
		return fmt.Errorf("a tolerance of %g is impossible: it must be from 0 and below 1, such as 0.05 for 5 %%", o.Tolerance)
	case !(o.Alpha > 0 && o.Alpha < 1):
		return fmt.Errorf("an alpha of %g is impossible: it must be above 0 and below 1", o.Alpha)
	case before.Scenario != after.Scenario:
		return fmt.Errorf("the runs are of different scenarios, %q and %q: only those of one can be compared",
			before.Scenario, after.Scenario)
	case len(before.Steps) == 0:
		return errors.New("there is nothing to compare with: the old run has no steps")
	case len(after.Steps) == 0:
		return errors.New("there is nothing to compare: the new run has no steps")
	}

	return nil
}

func runOf(r *Report) Run {
	return Run{Scenario: r.Scenario, Started: r.Started.UTC().Format("2006-01-02T15:04:05Z")}
}

func warnings(before, after *Report) []string {
	found := append([]string{}, Differences(before, after)...)
	if a, b := before.Search, after.Search; a != nil && b != nil && a.Bound != b.Bound {
		found = append(found, fmt.Sprintf("search.bound differs: %q and %q", a.Bound, b.Bound))
	}
	if before.Interrupted {
		found = append(found, "the old run was interrupted")
	}
	if after.Interrupted {
		found = append(found, "the new run was interrupted, which counts as a regression")
	}

	return found
}

// nothingComparable returns a reason if no step can be compared, else "".
func nothingComparable(pairs []pair) string {
	for i := range pairs {
		if pairs[i].problem == "" {
			return ""
		}
	}
	if len(pairs) == 0 {
		return "no step can be compared: the runs have none in common"
	}

	return fmt.Sprintf("no step can be compared, such as %s: %s", pairs[0].Name(), pairs[0].problem)
}

// fewRepeats returns a note if the repeats are too few for any significant difference.
func fewRepeats(pairs []pair) []string {
	fewest := FewestRepeats
	for i := range pairs {
		if p := &pairs[i]; p.problem == "" {
			fewest = min(fewest, len(p.before.Steps), len(p.after.Steps))
		}
	}
	if fewest == FewestRepeats {
		return nil
	}

	return []string{fmt.Sprintf("n=%d: too few repeats to judge a difference (?), run with at least %d", fewest, FewestRepeats)}
}

type pair struct {
	Key
	before, after *Group // nil if the run lacks the step
	problem       string // why the step cannot be compared
	lost          bool   // comparable in the old run, but not in the new one
}

// pairs returns the steps of the old run in order, then those that only the new run has.
func pairs(before, after *Report) []pair {
	olds, news := before.Groups(), after.Groups()
	index := map[Key]*Group{}
	for i := range news {
		index[news[i].Key] = &news[i]
	}
	all := make([]pair, 0, len(olds))
	for i := range olds {
		all = append(all, newPair(olds[i].Key, &olds[i], index[olds[i].Key]))
		delete(index, olds[i].Key)
	}
	for i := range news {
		if _, only := index[news[i].Key]; only {
			all = append(all, newPair(news[i].Key, nil, &news[i]))
		}
	}

	return all
}

func newPair(key Key, before, after *Group) pair {
	p := pair{Key: key, before: before, after: after}
	if problem := FlawOf(after); problem != "" {
		p.problem, p.lost = problem+" in new", true
	} else if problem := FlawOf(before); problem != "" {
		p.problem = problem + " in old"
	}

	return p
}

// FlawOf returns why a step has no comparable figures; "" if it has some.
func FlawOf(g *Group) string {
	if g == nil {
		return "missing"
	}
	for _, s := range g.Steps {
		switch {
		case s.TooShort != nil:
			return fmt.Sprintf("%s (repeat %d)", s.Incomplete(), s.Repeat)
		case !s.Complete:
			return fmt.Sprintf("incomplete (repeat %d)", s.Repeat)
		case s.Failed > 0:
			return fmt.Sprintf("%s failed (repeat %d)", Thousands(int64(s.Failed)), s.Repeat)
		case s.Operations == 0:
			return fmt.Sprintf("no operation succeeded (repeat %d)", s.Repeat)
		}
	}

	return ""
}

// row compares one figure. The estimate is nil if the row cannot be judged.
func (p *pair) row(f *Figure, o CompareOptions) (Row, *stats.Estimate) {
	r := Row{
		Figure: f.Name, Key: p.Key, Verdict: NotComparable, Problem: p.problem, Regressed: p.lost,
	}
	var before, after []float64
	if p.before != nil {
		before = p.before.Values(f.Of)
	}
	if p.after != nil {
		after = p.after.Values(f.Of)
	}
	hiddenBefore, whyBefore := f.Hidden(p.before)
	hiddenAfter, whyAfter := f.Hidden(p.after)
	if r.Problem == "" && hiddenBefore == stats.Held && hiddenAfter == stats.Crossed {
		r.Problem, r.Regressed = whyAfter+" in new", true
	}
	if r.Problem != "" {
		r.Contrast = Contrast{Old: NewEstimate(before), New: NewEstimate(after), P: 1}

		return r, nil
	}
	contrast, estimate := NewContrast(before, after, o.Alpha)
	r.Contrast, r.Verdict = contrast, Undecided
	switch {
	case hiddenBefore != stats.Held:
		r.Reason = whyBefore + " in old"

		return r, nil
	case hiddenAfter != stats.Held:
		r.Reason = whyAfter + " in new"

		return r, nil
	case min(len(before), len(after)) < FewestRepeats:
		r.Reason = "too few repeats"
	case estimate == nil:
		r.Reason = "a value of 0 has no ratio"
	default:
		r.Reason = cmp.Or(f.RestsOnLittle(p.after), f.RestsOnLittle(p.before))
	}

	return r, estimate
}

type judged struct {
	row      *Row
	figure   *Figure
	estimate *stats.Estimate
}

func judgeRows(rows []judged, o CompareOptions) {
	family := make([]stats.Gate, len(rows))
	for i, j := range rows {
		family[i] = stats.Gate{Estimate: *j.estimate, Rate: j.figure.Rate, Tolerance: o.Tolerance}
	}
	for i, outcome := range stats.Judge(family, o.Alpha) {
		rows[i].row.conclude(outcome, rows[i].figure)
	}
}

// conclude sets the row's verdict from its outcome. A figure that got worse by more than the
// tolerance counts even if it rests on few operations.
func (r *Row) conclude(outcome stats.Outcome, f *Figure) {
	risen := r.Significant && *r.RatioLow > 1
	switch {
	case outcome == stats.Crossed:
		r.Verdict, r.Regressed = Worse, true
	case r.Reason != "":
		outcome = stats.Undecided
	case outcome == stats.Undecided:
		r.Reason = "could see " + stats.Percent(r.Visible)
	case !r.Significant:
		r.Verdict = Same
	case risen == f.Rate:
		r.Verdict = Better
	default:
		r.Verdict = Worse
	}
	r.Outcome = outcome
}
