package measure

import (
	"runtime"
	"slices"
)

// kind is where durations of a kind of operation count that clients have in common; in a duet, of
// one variant. A client's own would take 8 kB, and be outside of the processor's caches where
// clients are hundreds. There is a part for each processor, which is that of its event loop's
// clients. Clients that goroutines run are at any processor: one that finds another at its part
// goes on in the next.
type kind struct {
	op string
	// change tells that it is of a duet's change. Else it is of base, or of a step that is no duet.
	change bool
	parts  []part
}

// part is that of some clients, successful and failed operations apart.
type part struct {
	ok, failed buckets
	// next is that of other clients, of the same kind; of the last one the first.
	next *part
}

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
	k := &kind{op: op, change: change, parts: make([]part, parts)}
	for i := range k.parts {
		k.parts[i].next = k.of(i + 1)
	}

	return k
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
