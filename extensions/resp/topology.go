package resp

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

// topology is the process's knowledge of a cluster: which server has which slot. All clients share
// it.
type topology struct {
	// owners are indices of servers, plus one; 0 for an unknown owner.
	owners [wire.Slots]atomic.Int32

	mu      sync.Mutex
	servers []string // addresses; it only grows
	asked   time.Duration
	asking  bool
}

const askEvery = 100 * time.Millisecond

func newTopology(seeds []server) *topology {
	t := &topology{}
	for _, s := range seeds {
		t.server(s.Address)
	}

	return t
}

func (t *topology) server(address string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.servers, address); i >= 0 {
		return i
	}
	t.servers = append(t.servers, address)

	return len(t.servers) - 1
}

func (t *topology) address(server int) string {
	t.mu.Lock()
	defer t.mu.Unlock()

	return t.servers[server]
}

func (t *topology) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()

	return len(t.servers)
}

func (t *topology) owner(slot int) (server int, known bool) {
	owner := int(t.owners[slot].Load())

	return owner - 1, owner > 0
}

func (t *topology) assign(first, last, server int) {
	for slot := first; slot <= last; slot++ {
		t.owners[slot].Store(int32(server) + 1)
	}
}

func (t *topology) primaries() (servers []int) {
	for slot := range t.owners {
		if server, known := t.owner(slot); known && !slices.Contains(servers, server) {
			servers = append(servers, server)
		}
	}

	return servers
}

// The caller must call answered afterwards.
func (t *topology) mayAsk() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := clock.Now()
	if t.asking || t.asked > 0 && now-t.asked < askEvery {
		return false
	}
	t.asked, t.asking = now, true

	return true
}

func (t *topology) answered() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asking = false
}
