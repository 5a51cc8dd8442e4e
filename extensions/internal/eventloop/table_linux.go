//go:build !portable

package eventloop

import (
	"sync"
	"sync/atomic"
)

// table maps the slot numbers in epoll events to watches.
type table struct {
	mu   sync.Mutex
	free []int32
	// number is the last generation number.
	number int32
	all    atomic.Pointer[[]*atomic.Pointer[watch]]
}

// at returns the watch in a slot; nil if it has ended.
func (t *table) at(slot int32) *watch { return (*t.all.Load())[slot].Load() }

func (t *table) put(w *watch) int32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.number++
	w.number = t.number
	if n := len(t.free); n > 0 {
		slot := t.free[n-1]
		t.free = t.free[:n-1]
		(*t.all.Load())[slot].Store(w)

		return slot
	}
	var all []*atomic.Pointer[watch]
	if have := t.all.Load(); have != nil {
		all = *have
	}
	own := &atomic.Pointer[watch]{}
	own.Store(w)
	all = append(all, own) // readers keep their shorter slice
	t.all.Store(&all)

	return int32(len(all) - 1)
}

func (t *table) remove(slot int32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	(*t.all.Load())[slot].Store(nil)
	t.free = append(t.free, slot)
}
