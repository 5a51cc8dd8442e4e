package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
)

// CompareOptions are when a difference between two runs counts.
type CompareOptions struct {
	Tolerance float64 // the part by which a figure may get worse: 0.05 is 5 %
	Alpha     float64 // how often a figure may be called worse where nothing has changed; zero is DefaultAlpha
}

// Comparison is what changed from an old run to a new one.
type Comparison struct {
	Old       Run       `json:"old"`
	New       Run       `json:"new"`
	Tolerance float64   `json:"tolerance"`
	Alpha     float64   `json:"alpha"`
	Rows      []Row     `json:"rows"` // by figure, and in it by step
	Geomeans  []Geomean `json:"geomeans"`
	Search    *Sought   `json:"search,omitempty"` // when both runs are of a search for the same
	Warnings  []string  `json:"warnings"`         // in what else than their figures the runs differ
	Notes     []string  `json:"notes"`            // what limits the comparison
	Regressed bool      `json:"regressed"`        // one of the rows or the search is, or the new run was interrupted

	// Undecided tells that something could not be judged: a row without a search, or what a search
	// found.
	Undecided bool `json:"undecided"`
}

// Run is which run is compared.
type Run struct {
	Name     string `json:"name"` // what the caller calls it, such as its file
	Scenario string `json:"scenario"`
	Started  string `json:"started"` // RFC 3339
}

// Verdict of a row.
const (
	Better        = "better"         // significantly
	Worse         = "worse"          // significantly, within the tolerance or by more
	Same          = "same"           // any difference is within the tolerance, and not significant
	Undecided     = "undecided"      // see the row's reason
	NotComparable = "not comparable" // see the row's problem
)

// Row compares one figure of one step.
type Row struct {
	Figure  string  `json:"figure"` // "ops/s", "p50", "p99"; the latter in milliseconds
	Op      string  `json:"op"`
	Clients int     `json:"clients"`
	Rate    float64 `json:"rate,omitempty"`    // of an open-loop step
	Variant string  `json:"variant,omitempty"` // where operations do not have its name
	Contrast
	Verdict string `json:"verdict"`
	// Outcome is that of the row as a gate: none got worse by more than the tolerance. It is empty
	// where nothing was judged.
	Outcome   judgement.Outcome `json:"outcome,omitempty"`
	Problem   string            `json:"problem,omitempty"` // why it is not comparable
	Reason    string            `json:"reason,omitempty"`  // why it is undecided, or less sure than it seems
	Regressed bool              `json:"regressed"`         // significantly worse by more than the tolerance, or no longer comparable
}

// Geomean is the geometric mean of one figure's medians over all rows that are comparable.
type Geomean struct {
	Figure string  `json:"figure"`
	Old    float64 `json:"old"`
	New    float64 `json:"new"`
	Ratio  float64 `json:"ratio"`
}

// compared are the figures that are compared.
var compared = []*Figure{ //nolint:gochecknoglobals // a constant
	FigureOf("ops_per_second"), FigureOf("p50"), FigureOf("p99"),
}

// Compare compares two runs step by step, and holds the interval of each ratio against the
// tolerance. What could not have shown a change of that size, has too few repeats or is in one of
// the runs only, is undecided.
// A step that the new run lacks, or that is incomplete or has failed operations in it, counts as a
// regression, and so does a new run that was interrupted. Of two searches, what they found is
// compared, and the steps that both have: which ones these are depends on what was measured. It
// returns an error when the options are impossible, the scenarios are different or nothing can be
// compared.
func Compare(before, after *Report, o CompareOptions) (*Comparison, error) {
	if o.Alpha == 0 {
		o.Alpha = DefaultAlpha
	}
	if err := checkComparable(before, after, o); err != nil {
		return nil, err
	}

	c := &Comparison{
		Old: runOf(before), New: runOf(after), Tolerance: o.Tolerance, Alpha: o.Alpha,
		Warnings: warnings(before, after), Notes: []string{}, Geomeans: []Geomean{},
	}
	pairs := pairs(before, after)
	if before.Search != nil && after.Search != nil {
		pairs = ofBoth(pairs)
		c.Search = newSought(before.Search, after.Search, o.Tolerance)
	}
	if problem := nothingComparable(pairs); problem != "" && c.Search == nil {
		return nil, errors.New(problem)
	}
	rows := make([]judged, 0, len(compared)*len(pairs))
	c.Rows = make([]Row, 0, cap(rows))
	for _, figure := range compared {
		for i := range pairs {
			row, estimate := pairs[i].row(figure, o)
			c.Rows = append(c.Rows, row)
			if estimate != nil {
				rows = append(rows, judged{&c.Rows[len(c.Rows)-1], figure, estimate})
			}
		}
		if mean, known := geomean(figure.Name, c.Rows[len(c.Rows)-len(pairs):]); known {
			c.Geomeans = append(c.Geomeans, mean)
		}
	}
	judgeRows(rows, o)
	c.judge(after.Interrupted)
	c.Notes = append(c.Notes, fewRepeats(pairs)...)

	return c, nil
}

// judge tells what the rows, and what searches have found, come to.
func (c *Comparison) judge(interrupted bool) {
	c.Regressed = interrupted || c.Search != nil && c.Search.Regressed
	for i := range c.Rows {
		r := &c.Rows[i]
		c.Regressed = c.Regressed || r.Regressed
		// A search is judged by what it found: which steps both have tried is chance.
		c.Undecided = c.Undecided || c.Search == nil && !r.Regressed && (r.Verdict == Undecided || r.Verdict == NotComparable)
	}
}

// checkComparable returns an error when the options are impossible, or the runs as a whole cannot
// be compared.
func checkComparable(before, after *Report, o CompareOptions) error {
	switch {
	case !(o.Tolerance >= 0 && o.Tolerance < 1):
		return fmt.Errorf("a tolerance of %g is impossible: it must be from 0 and below 1, such as 0.05 for 5 %%", o.Tolerance)
	case !(o.Alpha > 0 && o.Alpha < 1):
		return fmt.Errorf("an alpha of %g is impossible: it must be above 0 and below 1", o.Alpha)
	case before.Scenario != after.Scenario:
		return fmt.Errorf("the runs are of different scenarios, %s and %s: only those of one can be compared",
			shown(before.Scenario), shown(after.Scenario))
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

// warnings are in what the runs differ before anything was measured, and whether one was cut short.
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

// nothingComparable says why no step can be compared, or nothing when one can. One reason stands
// for all.
func nothingComparable(pairs []pair) string {
	for i := range pairs {
		if pairs[i].problem == "" {
			return ""
		}
	}
	if len(pairs) == 0 {
		return "no step can be compared: the runs have none in common"
	}
	first := Row{Op: pairs[0].Op, Clients: pairs[0].Clients, Rate: pairs[0].Rate, Variant: pairs[0].Variant}

	return fmt.Sprintf("no step can be compared, such as %s: %s", first.step(), pairs[0].problem)
}

// fewRepeats notes that steps can show no significant difference, however large it is.
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

// JSON renders the comparison as indented JSON with a line end.
func (c *Comparison) JSON() ([]byte, error) {
	out, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("comparison of %s: %w", strings.Join([]string{c.Old.Name, c.New.Name}, " and "), err)
	}

	return append(out, '\n'), nil
}
