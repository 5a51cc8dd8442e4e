package k6glue

import (
	"maps"
	"slices"
	"sync"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// Closing closes what a VU has opened when the VU has no more use for it: see OnVUEnd. Any
// goroutine may use it.
type Closing struct {
	vu modules.VU

	mu       sync.Mutex
	owners   map[any]func()
	awaiting bool     // the end of the VU or, in a sweep, of
	session  *Session // this step
}

// NewClosing returns the VU's.
func NewClosing(vu modules.VU) *Closing { return &Closing{vu: vu, owners: map[any]func(){}} }

// Add remembers that the owner, a pointer, has something open, which end closes. It waits for the
// VU's end once, however many owners come and however often they open something.
func (c *Closing) Add(owner any, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owners[owner] = end
	if session := SessionOf(c.vu); !c.awaiting || session != c.session {
		c.awaiting, c.session = true, session
		OnVUEnd(c.vu, c.all)
	}
}

// Remove forgets the owner: it has nothing open any more.
func (c *Closing) Remove(owner any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.owners, owner)
}

// contained calls fn. Its panic keeps nothing else from being done.
func contained(fn func()) {
	defer crash.Contain("what is done beside a script")
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
