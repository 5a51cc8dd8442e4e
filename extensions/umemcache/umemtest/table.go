package umemtest

import (
	"maps"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// table is the memory of one thread. The server's mutex guards it.
type table struct {
	generation  wire.Generation
	budget      int
	connections int
	entries     map[string]*entry
	order       []string // of the values, the oldest first
	used        int
}

// entry is a value or, with an owner, the lock of who is to fill it.
type entry struct {
	value   []byte
	owner   *peer
	waiters []*peer // the last who came first: that is how the real server lists them
	clocked bool    // the owner's time is running
	ticks   int     // of the clock meanwhile
}

// answer is that of a GET.
type answer struct {
	hit   bool
	value []byte
}

func newTable(g wire.Generation, budget int) *table {
	return &table{generation: g, budget: budget, entries: map[string]*entry{}}
}

// itemHeader is about what the real server needs beside key and value.
const itemHeader = 57

func cost(key string, size int) int { return itemHeader + len(key) + size }

// get answers the peer at once, or lets it wait for its answer.
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

// set stores what the owner sends. It fails for whoever has lost the lock.
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

// owns tells whether the peer still has the lock.
func (t *table) owns(p *peer, key string) bool {
	e := t.entries[key]

	return e != nil && e.owner == p
}

// del deletes the value, or takes the lock from its owner.
func (t *table) del(key string) {
	switch e := t.entries[key]; {
	case e == nil:
	case e.owner == nil:
		t.remove(key)
	default:
		if t.generation == wire.G1 { // the others close it with its next packet
			e.owner.reset()
		}
		t.pass(key, e)
	}
}

// leave gives up what the peer, who is gone, has or waits for.
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

// pass takes the lock from its owner and gives it to the one who has waited for the shortest time.
func (t *table) pass(key string, e *entry) {
	if len(e.waiters) == 0 {
		delete(t.entries, key)

		return
	}
	e.owner, e.waiters, e.ticks = e.waiters[0], e.waiters[1:], 0
	if t.generation == wire.G3 {
		e.clocked = true
	} else { // all of them ask once more
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

// tick passes on the locks of owners whose time is over.
func (t *table) tick() {
	for _, key := range slices.Sorted(maps.Keys(t.entries)) {
		e := t.entries[key]
		if !e.clocked {
			continue
		}
		if e.ticks++; e.ticks >= 2 {
			if t.generation != wire.G3 { // which closes it with its next packet
				e.owner.reset()
			}
			t.pass(key, e)
		}
	}
}
