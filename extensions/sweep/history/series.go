// Package history keeps the figures of runs over the commits of a repository, and finds changes.
// Records are in a folder or in a branch of a git repository; several processes may add some at the
// same time.
//
// A record is a line of JSON for one run of a scenario at a commit. Records with the same scenario,
// class of machine and parameters form a series for each figure of each step. History finds change
// points by the estimate of E-divisive (Matteson and James, 2014), and tests each with a t test
// that is corrected for the number of possible places.
package history

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// History has all records as series.
type History struct {
	Setups []Setup
	// Notes describe skipped records.
	Notes []string
}

// Setup has the series of records with the same setup.
type Setup struct {
	ID       string
	Scenario string
	Facts    map[string]string
	Runs     int
	Commits  []Commit
	Series   []Series
	// Excluded counts the steps excluded because of a neighbour.
	Excluded int
}

// Series is a figure of a step over the commits.
type Series struct {
	Key     report.Key
	Figure  *Figure
	Points  []Point
	Changes []NamedChange
	// Visible is the smallest relative change detected with 80 % probability, with 20 runs on each
	// side or as many as there are; infinite with too few runs.
	Visible float64
}

// Point is the value of one run.
type Point struct {
	Commit Commit
	Value  float64
	state  map[string]string
}

// NamedChange is a change point with its commits.
type NamedChange struct {
	Change
	// First is the first commit of the new level, Last the last one of the old level.
	First, Last Commit
	// Candidates is the number of commits that may be First, by From and To.
	Candidates int
	Worse      bool
	// Also lists the facts that changed at the same place, such as the kernel, and may be the cause.
	Also []string
}

// New makes series from records and finds their change points.
func New(records []Record, o Options) *History {
	h := &History{}
	byID := map[string][]Record{}
	var order []string
	for _, r := range records {
		id := r.Scenario + " " + r.SetupID()
		if byID[id] == nil {
			order = append(order, id)
		}
		byID[id] = append(byID[id], r)
	}
	for _, id := range order {
		h.Setups = append(h.Setups, newSetup(byID[id], o))
	}
	slices.SortStableFunc(h.Setups, func(a, b Setup) int { return cmp.Compare(b.Runs, a.Runs) })

	return h
}

func newSetup(records []Record, o Options) Setup {
	inOrder(records)
	s := Setup{ID: records[0].SetupID(), Scenario: records[0].Scenario, Facts: records[0].Setup, Runs: len(records)}
	type name struct {
		report.Key
		figure string
	}
	index := map[name]int{}
	for i := range records {
		r := &records[i]
		if len(s.Commits) == 0 || s.Commits[len(s.Commits)-1].ID != r.ID {
			s.Commits = append(s.Commits, r.Commit)
		}
		for j := range r.Steps {
			if r.Steps[j].LimitedBy == witness.Neighbour {
				s.Excluded++

				continue
			}
			for k := range Figures {
				f := &Figures[k]
				v := r.Steps[j].Figures[f.Key]
				if !(v > 0) {
					continue
				}
				key := name{r.Steps[j].Key, f.Key}
				at, known := index[key]
				if !known {
					at = len(s.Series)
					index[key] = at
					s.Series = append(s.Series, Series{Key: key.Key, Figure: f})
				}
				s.Series[at].Points = append(s.Series[at].Points, Point{r.Commit, v, r.State})
			}
		}
	}
	for i := range s.Series {
		s.Series[i].detect(o)
	}

	return s
}

func inOrder(records []Record) {
	first := map[string]time.Time{}
	for _, r := range records {
		if t, known := first[r.ID]; !known || r.Started.Before(t) {
			first[r.ID] = r.Started
		}
	}
	slices.SortStableFunc(records, func(a, b Record) int {
		return cmp.Or(a.Time.Compare(b.Time), first[a.ID].Compare(first[b.ID]), cmp.Compare(a.ID, b.ID), a.Started.Compare(b.Started))
	})
}

func (s *Series) detect(o Options) {
	values, commits := make([]float64, len(s.Points)), make([]string, len(s.Points))
	for i, p := range s.Points {
		values[i], commits[i] = p.Value, p.Commit.ID
	}
	var changes []Change
	changes, s.Visible = detect(values, commits, o)
	for _, c := range changes {
		n := NamedChange{Change: c, First: s.Points[c.At].Commit, Last: s.Points[c.At-1].Commit}
		seen := map[string]bool{}
		for _, id := range commits[c.From : c.To+1] {
			seen[id] = true
		}
		n.Candidates = len(seen)
		n.Worse = c.Ratio < 1 == s.Figure.Rate
		before, after := s.Points[max(c.From-1, 0)].state, s.Points[c.To].state
		for _, name := range slices.Sorted(maps.Keys(after)) {
			if before[name] != after[name] {
				n.Also = append(n.Also, fmt.Sprintf("%s: %s, then %s", name, cmp.Or(before[name], "nothing"), after[name]))
			}
		}
		s.Changes = append(s.Changes, n)
	}
}

// Name returns a name such as "p99 of get, 8 clients".
func (s *Series) Name() string { return s.Figure.Name + " of " + s.Key.Name() }

// Text describes the change, such as "1.041x (1.032 to 1.050)".
func (c *NamedChange) Text() string {
	if c.High > 0 {
		return stats.TimesWithin(c.Ratio, c.Low, c.High)
	}

	return stats.Times(c.Ratio)
}

// Short returns the abbreviated commit.
func (c Commit) Short() string {
	const letters = 10
	if len(c.ID) > letters {
		return c.ID[:letters]
	}

	return c.ID
}

// Between describes how sure the commit of the change is.
func (c *NamedChange) Between() string {
	if c.Candidates > 1 {
		return fmt.Sprintf("one of %d commits", c.Candidates)
	}

	return "after " + c.Last.Short()
}

// Found is a change of a series.
type Found struct {
	Setup  *Setup
	Series *Series
	Change *NamedChange
}

// Found returns all changes of the setup.
func (s *Setup) Found() (all []Found) {
	for i := range s.Series {
		one := &s.Series[i]
		for j := range one.Changes {
			all = append(all, Found{s, one, &one.Changes[j]})
		}
	}

	return all
}

// All returns the changes of all setups.
func (h *History) All() (all []Found) {
	for i := range h.Setups {
		all = append(all, h.Setups[i].Found()...)
	}

	return all
}

// Remarks returns sentences about the detectable changes and the excluded runs.
func (s *Setup) Remarks() (said []string) {
	if shows := s.shows(); shows != "" {
		said = append(said, shows)
	}
	if s.Excluded > 0 {
		said = append(said, fmt.Sprintf("%s of runs left out: a neighbour limited them.", report.Plural(s.Excluded, "step")))
	}

	return said
}

// shows describes the smallest detectable change of the best and the worst series.
func (s *Setup) shows() string {
	var best, worst *Series
	for i := range s.Series {
		one := &s.Series[i]
		if math.IsInf(one.Visible, 1) {
			continue
		}
		if best == nil || one.Visible < best.Visible {
			best = one
		}
		if worst == nil || one.Visible > worst.Visible {
			worst = one
		}
	}
	switch best {
	case nil:
		return ""
	case worst:
		return fmt.Sprintf("Changes below %s cannot be seen in %s.", stats.Percent(best.Visible), best.Name())
	}

	return fmt.Sprintf("Changes below %s cannot be seen in %s, nor any below %s in %s.",
		stats.Percent(best.Visible), best.Name(), stats.Percent(worst.Visible), worst.Name())
}

// Worse returns each series' newest change if it is for the worse and may have begun in one of the
// last commits. judged counts the series that are long enough for a change.
func (h *History) Worse(last int) (worse []Found, judged int) {
	for i := range h.Setups {
		s := &h.Setups[i]
		newest := map[string]bool{}
		for _, c := range s.Commits[max(len(s.Commits)-last, 0):] {
			newest[c.ID] = true
		}
		for j := range s.Series {
			one := &s.Series[j]
			if len(one.Points) < 2*FewestRuns {
				continue
			}
			judged++
			if len(one.Changes) == 0 {
				continue
			}
			c := &one.Changes[len(one.Changes)-1]
			if c.Worse && newest[one.Points[c.To].Commit.ID] {
				worse = append(worse, Found{s, one, c})
			}
		}
	}

	return worse, judged
}
