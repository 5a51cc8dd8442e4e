package measure

import (
	"maps"
	"slices"
	"time"
)

// Warmed is how many operations of a kind the clients of a step did to warm up. They are no part of
// what is measured.
type Warmed struct {
	Op          string
	Ops, Failed uint64 // successful ones, failed ones
}

// Warmed returns what the clients have done so far to warm up, in the order of the operations'
// names, and for how long: from when all were connected up to the start line. It may be called at
// any time, by any goroutine.
func (s *Step) Warmed() (elapsed time.Duration, all []Warmed) {
	if s.ready.isOpen() {
		end := now()
		if s.line.isOpen() {
			end = s.line.openedAt
		}
		elapsed = end - s.ready.openedAt
	}
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
	for _, op := range slices.Sorted(maps.Keys(totals)) {
		all = append(all, totals[op])
	}

	return elapsed, all
}
