package measure

import (
	"maps"
	"sync/atomic"
)

// Counters of caches.
const (
	// Hits counts keys found.
	Hits = "hits"
	// Misses counts keys not found.
	Misses = "misses"
	// Hot counts accesses to hot keys.
	Hot = "hot"
	// HotHits counts hot keys found.
	HotHits = "hotHits"
)

// Messages counts messages sent or received by a client, whichever is more.
const Messages = "messages"

// Counter counts something other than operations. Only the client's goroutine may use it.
type Counter struct {
	name   string
	client *Client
	n      atomic.Uint64
}

// Add adds n, except during the warm-up.
func (c *Counter) Add(n uint64) {
	if c.client.measuring {
		c.n.Store(c.n.Load() + n)
	}
}

// Counter returns the client's counter with this name. It takes a lock, so keep the result for the
// step.
func (c *Client) Counter(name string) *Counter {
	c.mu.Lock()
	defer c.mu.Unlock()

	for _, counter := range c.counters {
		if counter.name == name {
			return counter
		}
	}
	counter := &Counter{name: name, client: c}
	c.counters = append(c.counters, counter)

	return counter
}

// counted adds the client's counters to sums.
func (c *Client) counted(sums Counters) Counters {
	c.mu.Lock()
	counters := c.counters
	c.mu.Unlock()
	for _, counter := range counters {
		sums = sums.plus(counter.name, counter.n.Load())
	}

	return sums
}

// Counters maps names to non-zero counts.
type Counters map[string]uint64

// Plus adds others to the counters and returns them.
func (c Counters) Plus(others Counters) Counters {
	for name, n := range others {
		c = c.plus(name, n)
	}

	return c
}

func (c Counters) plus(name string, n uint64) Counters {
	if n == 0 {
		return c
	}
	if c == nil {
		c = Counters{}
	}
	c[name] += n

	return c
}

// Since returns the counts since an earlier reading.
func (c Counters) Since(earlier Counters) Counters {
	var since Counters
	for name, n := range c {
		since = since.plus(name, n-earlier[name])
	}

	return since
}

// Equal reports whether all counts are equal.
func (c Counters) Equal(other Counters) bool { return maps.Equal(c, other) }
