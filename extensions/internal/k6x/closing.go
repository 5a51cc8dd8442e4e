package k6x

import (
	"maps"
	"slices"
	"sync"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// Closing closes what a VU has opened when the VU ends: see OnVUEnd. Any goroutine may use it.
type Closing struct {
	vu modules.VU

	mu       sync.Mutex
	owners   map[any]func()
	awaiting bool     // the end of the VU is awaited
	session  *Session // the step whose end is awaited
}

// NewClosing returns a VU's Closing.
func NewClosing(vu modules.VU) *Closing { return &Closing{vu: vu, owners: map[any]func(){}} }

// Add registers end for an owner, a pointer, that has something open.
func (c *Closing) Add(owner any, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owners[owner] = end
	if session := SessionOf(c.vu); !c.awaiting || session != c.session {
		c.awaiting, c.session = true, session
		OnVUEnd(c.vu, c.all)
	}
}

// Remove unregisters the owner.
func (c *Closing) Remove(owner any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.owners, owner)
}

// contained calls fn and recovers its panic.
func contained(fn func()) {
	defer crash.Contain("background work")
	fn()
}

func (c *Closing) all() {
	c.mu.Lock()
	ends := slices.Collect(maps.Values(c.owners))
	clear(c.owners)
	c.mu.Unlock()
	for _, end := range ends {
		contained(end)
	}
}
