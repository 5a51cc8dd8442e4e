package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// CompareOptions are when a difference between two runs counts.
type CompareOptions struct {
	Tolerance float64 // the part by which a median may get worse: 0.05 is 5 %
	Alpha     float64 // of the significance test; zero is DefaultAlpha
}

// Comparison is what changed from an old run to a new one.
type Comparison struct {
	Old       Run       `json:"old"`
	New       Run       `json:"new"`
	Tolerance float64   `json:"tolerance"`
	Alpha     float64   `json:"alpha"`
	Rows      []Row     `json:"rows"` // by figure, and in it by step
	Geomeans  []Geomean `json:"geomeans"`
	Warnings  []string  `json:"warnings"`  // in what else than their figures the runs differ
	Notes     []string  `json:"notes"`     // what limits the comparison
	Regressed bool      `json:"regressed"` // one of the rows is
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
	Worse         = "worse"          // significantly
	Same          = "same"           // no significant difference
	NotComparable = "not comparable" // see the row's problem
)

// Row compares one figure of one step.
type Row struct {
	Figure  string  `json:"figure"` // "ops/s", "p50", "p99"; the latter in milliseconds
	Op      string  `json:"op"`
	Clients int     `json:"clients"`
	Rate    float64 `json:"rate,omitempty"` // of an open-loop step
	Contrast
	Verdict   string `json:"verdict"`
	Problem   string `json:"problem,omitempty"` // why it is not comparable
	Regressed bool   `json:"regressed"`         // significantly worse by more than the tolerance, or no longer comparable
}

// Geomean is the geometric mean of one figure's medians over all rows that are comparable.
type Geomean struct {
	Figure string  `json:"figure"`
	Old    float64 `json:"old"`
	New    float64 `json:"new"`
	Ratio  float64 `json:"ratio"`
}

// compared are the figures that are compared.
var compared = []struct { //nolint:gochecknoglobals // a constant
	name   string
	higher bool // is better
	of     func(*Step) float64
	show   func(float64) string
}{
	{"ops/s", true, func(s *Step) float64 { return s.OpsPerSecond }, showRate},
	{"p50", false, func(s *Step) float64 { return s.Latency.P50 }, Millis},
	{"p99", false, func(s *Step) float64 { return s.Latency.P99 }, Millis},
}

// Compare compares two runs step by step, by the medians of the repeats and whether these differ significantly. A step
// that the new run lacks, or that is incomplete or has failed operations in it, counts as a regression. It returns an
// error when the options are impossible or there is nothing to compare.
func Compare(before, after *Report, o CompareOptions) (*Comparison, error) {
	if o.Alpha == 0 {
		o.Alpha = DefaultAlpha
	}
	switch {
	case !(o.Tolerance >= 0 && o.Tolerance < 1):
		return nil, fmt.Errorf("a tolerance of %g is impossible: it must be from 0 and below 1, such as 0.05 for 5 %%", o.Tolerance)
	case !(o.Alpha > 0 && o.Alpha < 1):
		return nil, fmt.Errorf("an alpha of %g is impossible: it must be above 0 and below 1", o.Alpha)
	case len(before.Steps) == 0:
		return nil, errors.New("there is nothing to compare with: the old run has no steps")
	case len(after.Steps) == 0:
		return nil, errors.New("there is nothing to compare: the new run has no steps")
	}

	c := &Comparison{
		Old: runOf(before), New: runOf(after), Tolerance: o.Tolerance, Alpha: o.Alpha,
		Warnings: warnings(before, after), Notes: []string{}, Geomeans: []Geomean{},
	}
	pairs := pairs(before, after)
	for figure := range compared {
		for i := range pairs {
			c.Rows = append(c.Rows, pairs[i].row(figure, o))
		}
		if mean, known := geomean(compared[figure].name, c.Rows[len(c.Rows)-len(pairs):]); known {
			c.Geomeans = append(c.Geomeans, mean)
		}
	}
	for i := range c.Rows {
		c.Regressed = c.Regressed || c.Rows[i].Regressed
	}
	c.Notes = append(c.Notes, fewRepeats(pairs, o.Alpha)...)

	return c, nil
}

func runOf(r *Report) Run {
	return Run{Scenario: r.Scenario, Started: r.Started.UTC().Format("2006-01-02T15:04:05Z")}
}

// warnings are in what the runs differ before anything was measured, and whether one was cut short.
func warnings(before, after *Report) []string {
	found := []string{}
	if text := difference("scenario", before.Scenario, after.Scenario); text != "" {
		found = append(found, text)
	}
	found = append(found, Differences(before, after)...)
	if before.Interrupted {
		found = append(found, "the old run was interrupted")
	}
	if after.Interrupted {
		found = append(found, "the new run was interrupted")
	}

	return found
}

// fewRepeats notes which steps can show no significant difference, however large it is.
func fewRepeats(pairs []pair, alpha float64) []string {
	needed := MinRepeats(alpha)
	fewest := needed
	for i := range pairs {
		if p := &pairs[i]; p.problem == "" {
			fewest = min(fewest, len(p.before.Steps), len(p.after.Steps))
		}
	}
	if fewest == needed {
		return nil
	}

	return []string{fmt.Sprintf("n=%d: too few repeats for significance, run with at least %d", fewest, needed)}
}

// JSON renders the comparison as indented JSON with a line end.
func (c *Comparison) JSON() ([]byte, error) {
	out, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("comparison of %s: %w", strings.Join([]string{c.Old.Name, c.New.Name}, " and "), err)
	}

	return append(out, '\n'), nil
}
