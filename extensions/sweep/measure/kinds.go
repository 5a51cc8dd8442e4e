package measure

import (
	"runtime"
	"slices"
)

// kind holds the buckets of one kind of operation, which the clients of a step share; in a duet,
// those of one variant. Buckets of its own would take each client 8 kB. There is a part for each
// processor, and a client counts in the same part for the whole step.
type kind struct {
	op string
	// change tells that it is of a duet's change. Else it is of base, or of a step that is no duet.
	change bool
	parts  []part
}

// part has the buckets of some clients.
type part struct{ ok, failed buckets }

// of is the part of the client with this index.
func (k *kind) of(index int) *part { return &k.parts[index%len(k.parts)] }

// kind returns the kind of operation, a duet's change apart. It may be called by any goroutine.
func (s *Step) kind(op string, change bool) *kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kinds {
		if k.op == op && k.change == change {
			return k
		}
	}
	k := newKind(op, change, min(runtime.GOMAXPROCS(0), len(s.clients)))
	s.kinds = append(s.kinds, k)

	return k
}

func newKind(op string, change bool, parts int) *kind {
	return &kind{op: op, change: change, parts: make([]part, parts)}
}

// addTo adds how many successful operations there were to the counters of a coarse histogram.
func (k *kind) addTo(counts *[coarseCounters]uint64) {
	for i := range k.parts {
		k.parts[i].ok.pages(func(first int, p *page) {
			lowest, _ := valueRange(first)
			at := &counts[coarseIndex(lowest)] // a page is within one of its counters
			for j := range p {
				*at += p[j].Load()
			}
		})
	}
}

// allKinds are those that there are by now.
func (s *Step) allKinds() []*kind {
	s.mu.Lock()
	defer s.mu.Unlock()

	return slices.Clone(s.kinds)
}

// addKind adds the buckets of durations whose figures were added before.
func (t *Totals) addKind(k *kind) {
	for i := range k.parts {
		if t.Durations.counts != nil {
			t.Durations.addBuckets(&k.parts[i].ok)
		}
		if t.Failures.counts != nil {
			t.Failures.addBuckets(&k.parts[i].failed)
		}
	}
}
