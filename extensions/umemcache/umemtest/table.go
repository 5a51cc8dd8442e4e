package umemtest

import (
	"maps"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

type table struct {
	generation  wire.Generation
	budget      int
	connections int
	entries     map[string]*entry
	order       []string
	used        int
}

// entry is a value or, with an owner, a fill lock.
type entry struct {
	value   []byte
	owner   *peer
	waiters []*peer // newest first, as in the real server
	clocked bool
	ticks   int
}

type answer struct {
	hit   bool
	value []byte
}

func newTable(g wire.Generation, budget int) *table {
	return &table{generation: g, budget: budget, entries: map[string]*entry{}}
}

const itemHeader = 57

func cost(key string, size int) int { return itemHeader + len(key) + size }

func (t *table) get(p *peer, key string) (a answer, now bool) {
	e := t.entries[key]
	switch {
	case e == nil:
		t.entries[key] = &entry{owner: p}

		return answer{}, true
	case e.owner == nil:
		return answer{hit: true, value: e.value}, true
	default:
		e.waiters = slices.Insert(e.waiters, 0, p)
		e.clocked = true

		return answer{}, false
	}
}

// set returns false if the peer has lost the lock.
func (t *table) set(p *peer, key string, value []byte) bool {
	e := t.entries[key]
	if e == nil || e.owner != p {
		return false
	}
	t.used += cost(key, len(value))
	for t.used > t.budget && len(t.order) > 0 {
		t.remove(t.order[0])
	}
	t.order = append(t.order, key)
	for _, w := range e.waiters {
		w.granted <- answer{hit: true, value: value}
	}
	t.entries[key] = &entry{value: value}

	return true
}

func (t *table) owns(p *peer, key string) bool {
	e := t.entries[key]

	return e != nil && e.owner == p
}

func (t *table) del(key string) {
	switch e := t.entries[key]; {
	case e == nil:
	case e.owner == nil:
		t.remove(key)
	default:
		if t.generation == wire.G1 { // G2 and G3 close the connection at its next packet
			e.owner.reset()
		}
		t.pass(key, e)
	}
}

func (t *table) leave(p *peer, key string) {
	e := t.entries[key]
	if e == nil {
		return
	}
	if e.owner == p {
		t.pass(key, e)
	} else if i := slices.Index(e.waiters, p); i >= 0 {
		e.waiters = slices.Delete(e.waiters, i, i+1)
	}
}

// pass gives the owner's lock to the peer that has waited for the shortest time.
func (t *table) pass(key string, e *entry) {
	if len(e.waiters) == 0 {
		delete(t.entries, key)

		return
	}
	e.owner, e.waiters, e.ticks = e.waiters[0], e.waiters[1:], 0
	if t.generation == wire.G3 {
		e.clocked = true
	} else {
		slices.Reverse(e.waiters)
		e.clocked = len(e.waiters) > 0
	}
	e.owner.granted <- answer{}
}

func (t *table) remove(key string) {
	t.used -= cost(key, len(t.entries[key].value))
	delete(t.entries, key)
	i := slices.Index(t.order, key)
	t.order = slices.Delete(t.order, i, i+1)
}

func (t *table) tick() {
	for _, key := range slices.Sorted(maps.Keys(t.entries)) {
		e := t.entries[key]
		if !e.clocked {
			continue
		}
		if e.ticks++; e.ticks >= 2 {
			if t.generation != wire.G3 { // G3 closes the connection at its next packet
				e.owner.reset()
			}
			t.pass(key, e)
		}
	}
}
