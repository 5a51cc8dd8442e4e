package measure

// Lookups are keys that operations on a cache have asked for.
type Lookups struct {
	Hits, Misses uint64 // found, not found
	Hot, HotHits uint64 // of those that benchmarks ask for more often than the others
}

// Add adds other ones.
func (l *Lookups) Add(other Lookups) {
	l.Hits += other.Hits
	l.Misses += other.Misses
	l.Hot += other.Hot
	l.HotHits += other.HotHits
}

// Since is what came after an earlier reading of the same clients.
func (l Lookups) Since(earlier Lookups) Lookups {
	return Lookups{
		Hits: l.Hits - earlier.Hits, Misses: l.Misses - earlier.Misses,
		Hot: l.Hot - earlier.Hot, HotHits: l.HotHits - earlier.HotHits,
	}
}

// Lookups counts keys that were asked for. As with operations, those of the warm-up are forgotten.
func (c *Client) Lookups(l Lookups) {
	if !c.measuring {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lookups.Add(l)
}

func (c *Client) looked() Lookups {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.lookups
}
