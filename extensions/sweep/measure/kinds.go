package measure

import (
	"runtime"
	"slices"
)

// kind holds the buckets of an operation (in a duet, of one variant) for all clients; separate
// buckets would take 8 kB per client. There is one part per processor, and each client uses a fixed
// part.
type kind struct {
	op     string
	change bool
	parts  []part
}

type part struct{ ok, failed buckets }

func (k *kind) of(index int) *part { return &k.parts[index%len(k.parts)] }

// kind returns the kind for an operation name and variant. Any goroutine may call it.
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

func (k *kind) addTo(counts *[coarseCounters]uint64) {
	for i := range k.parts {
		k.parts[i].ok.pages(func(first int, p *page) {
			lowest, _ := valueRange(first)
			at := &counts[coarseIndex(lowest)] // a page lies within one coarse counter
			for j := range p {
				*at += p[j].Load()
			}
		})
	}
}

func (s *Step) allKinds() []*kind {
	s.mu.Lock()
	defer s.mu.Unlock()

	return slices.Clone(s.kinds)
}

// addKind adds a kind's buckets; its figures were added before.
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
