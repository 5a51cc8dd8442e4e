package history

import (
	"fmt"
	"math"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// FewestRuns is the least number of runs on each side of a change.
const FewestRuns = fewest

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
			if len(one.Points) < 2*fewest {
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
