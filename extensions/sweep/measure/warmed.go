package measure

import (
	"maps"
	"slices"
	"time"
)

// Warmed counts an operation in the warm-up. It is not part of the measured figures.
type Warmed struct {
	Op          string
	Ops, Failed uint64 // successful and failed operations
}

// Warmed returns the warm-up's operations so far, sorted by name, and the time from all clients
// being connected to the start line. Any goroutine may call it at any time.
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
