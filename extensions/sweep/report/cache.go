package report

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload/hitrate"
)

// Cache is what has to be known of a cache beside its hits to compare it with others, as the published benchmark of hit
// rates does.
type Cache struct {
	Memory      int64 // its limit, bytes
	AverageItem int64 // key and value, bytes
	Peak        int64 // peak resident memory of its processes together, bytes; 0: unknown
	// PeakSince is when the peak began to count; zero: when the processes were started.
	PeakSince time.Time
}

// look writes down how many keys were found. Without any there is nothing to tell.
func (e *Extra) look(l measure.Lookups) {
	e.Hits, e.Misses, e.Hot, e.HotHits = l.Hits, l.Misses, l.Hot, l.HotHits
	if asked := l.Hits + l.Misses; asked > 0 {
		rate := hitrate.HitRate(l.Hits, asked)
		e.HitRate = &rate
	}
	if l.Hot > 0 {
		rate := hitrate.HitRate(l.HotHits, l.Hot)
		e.HotHitRate = &rate
	}
}

func (e *Extra) lookups() measure.Lookups {
	return measure.Lookups{Hits: e.Hits, Misses: e.Misses, Hot: e.Hot, HotHits: e.HotHits}
}

// Weigh adds the published benchmark's figures to a step: what the cache put out and, where its peak memory is known, its
// hits by memory.
func (s *Step) Weigh(c Cache) {
	e := &s.Extra
	if e.HitRate == nil {
		return
	}
	out := hitrate.OutputSpeed(e.Hits, c.AverageItem, s.Seconds)
	e.OutMibPerSecond = &out
	if c.Peak == 0 {
		return
	}
	e.VMHWMBytes = uint64(c.Peak)
	if !c.PeakSince.IsZero() {
		since := c.PeakSince.UTC().Truncate(time.Millisecond)
		e.VMHWMSince = &since
	}
	rate := hitrate.PerMemory(*e.HitRate, c.Memory, c.Peak)
	perSecond := hitrate.PerMemory(hitrate.HitsPerSecond(e.Hits, s.Seconds), c.Memory, c.Peak)
	e.PerMemoryHitRate, e.HitsPerSecondMem = &rate, &perSecond
}
