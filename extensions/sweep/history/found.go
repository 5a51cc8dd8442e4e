package history

// FewestRuns is how many runs stand at least on each side of a change.
const FewestRuns = fewest

// Found is a change of a series.
type Found struct {
	Setup  *Setup
	Series *Series
	Change *NamedChange
}

// Found are all changes of the setup.
func (s *Setup) Found() (all []Found) {
	for i := range s.Series {
		one := &s.Series[i]
		for j := range one.Changes {
			all = append(all, Found{s, one, &one.Changes[j]})
		}
	}

	return all
}

// All are the changes of all setups.
func (h *History) All() (all []Found) {
	for i := range h.Setups {
		all = append(all, h.Setups[i].Found()...)
	}

	return all
}

// Worse are the newest changes of each series that are for the worse and may have begun in one of
// the last commits; judged is how many series are long enough to have a change.
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
