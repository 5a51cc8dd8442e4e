package measure

import (
	"maps"
	"slices"
)

// Warmed is how many operations of a kind the clients of a step did to warm up. They are no part of what is measured.
type Warmed struct {
	Op          string
	Ops, Failed uint64 // successful ones, failed ones
}

// Warmed returns what the clients have done so far to warm up, in the order of the operations' names. It may be called at any time, by any
// goroutine.
func (s *Step) Warmed() []Warmed {
	totals := map[string]Warmed{}
	for _, c := range s.clients {
		for _, r := range c.kinds() {
			ops, failed := r.warmed.Load(), r.warmedFailed.Load()
			if ops+failed == 0 {
				continue
			}
			t := totals[r.op]
			totals[r.op] = Warmed{Op: r.op, Ops: t.Ops + ops, Failed: t.Failed + failed}
		}
	}
	all := make([]Warmed, 0, len(totals))
	for _, op := range slices.Sorted(maps.Keys(totals)) {
		all = append(all, totals[op])
	}

	return all
}
