package measure

import (
	"maps"
	"sync/atomic"
)

// The counters of a cache.
const (
	// Hits are keys that were found.
	Hits = "hits"
	// Misses are keys that were not found.
	Misses = "misses"
	// Hot are keys that a benchmark asks for more often than the others.
	Hot = "hot"
	// HotHits are those of them that were found.
	HotHits = "hotHits"
)

// Messages is the counter of the messages that a client has sent or received, whichever is more.
const Messages = "messages"

// Counter counts what one client's operations have done beside themselves. Its methods may be
// called by the client's goroutine only.
type Counter struct {
	name   string
	client *Client
	n      atomic.Uint64
}

// Add counts n more. As with operations, those of the warm-up are forgotten.
func (c *Counter) Add(n uint64) {
	if c.client.measuring {
		c.n.Store(c.n.Load() + n)
	}
}

// Counter returns the client's counter of that name. Ask once and keep it for the step: asking
// takes a lock.
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

// counted adds what the client has counted to the step's counters.
func (c *Client) counted(sums Counters) Counters {
	c.mu.Lock()
	counters := c.counters
	c.mu.Unlock()
	for _, counter := range counters {
		sums = sums.plus(counter.name, counter.n.Load())
	}

	return sums
}

// Counters are numbers by the names of their counters: none is zero.
type Counters map[string]uint64

// Plus returns the counters with others added to them; it may be the same map.
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

// Since is what was counted after an earlier reading of the same clients.
func (c Counters) Since(earlier Counters) Counters {
	var since Counters
	for name, n := range c {
		since = since.plus(name, n-earlier[name])
	}

	return since
}

// Equal tells whether both have counted the same.
func (c Counters) Equal(other Counters) bool { return maps.Equal(c, other) }
