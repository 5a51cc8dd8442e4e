package report

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Cache describes the memory use of a cache server, for comparing its hits with other caches.
type Cache struct {
	Memory      int64 // memory limit in bytes
	AverageItem int64 // key and value, bytes
	Peak        int64 // peak resident memory of its processes, bytes; 0: unknown
	// PeakSince is when the measurement of Peak began; zero: at the start of the processes.
	PeakSince time.Time
}

// count stores counters. A cache's counters have their own keys and rates.
func (e *Extra) count(counted measure.Counters) {
	for name, n := range counted {
		switch name {
		case measure.Hits:
			e.Hits = n
		case measure.Misses:
			e.Misses = n
		case measure.Hot:
			e.Hot = n
		case measure.HotHits:
			e.HotHits = n
		default:
			if e.Counters == nil {
				e.Counters = measure.Counters{}
			}
			e.Counters[name] = n
		}
	}
	if asked := e.Hits + e.Misses; asked > 0 {
		rate := percent(e.Hits, asked)
		e.HitRate = &rate
	}
	if e.Hot > 0 {
		rate := percent(e.HotHits, e.Hot)
		e.HotHitRate = &rate
	}
}

func (e *Extra) counters() measure.Counters {
	cache := measure.Counters{measure.Hits: e.Hits, measure.Misses: e.Misses, measure.Hot: e.Hot, measure.HotHits: e.HotHits}

	return measure.Counters(nil).Plus(cache).Plus(e.Counters)
}

// Weigh adds the published benchmark's figures to a step: output in MiB/s and, if the peak memory
// is known, hits scaled by memory.
func (s *Step) Weigh(c Cache) {
	e := &s.Extra
	if e.HitRate == nil {
		return
	}
	perSecond := 0.0
	if s.Seconds > 0 {
		perSecond = float64(e.Hits) / s.Seconds
	}
	const bits, mebi = 8, 1 << 20
	out := perSecond * float64(c.AverageItem) * bits / mebi
	e.OutMibPerSecond = &out
	if c.Peak == 0 {
		return
	}
	e.VMHWMBytes = uint64(c.Peak)
	if !c.PeakSince.IsZero() {
		since := c.PeakSince.UTC().Truncate(time.Millisecond)
		e.VMHWMSince = &since
	}
	rate, perSecondMem := c.perMemory(*e.HitRate), c.perMemory(perSecond)
	e.PerMemoryHitRate, e.HitsPerSecondMem = &rate, &perSecondMem
}

// perMemory scales a figure by limit/peak if the server used more memory than its limit.
func (c *Cache) perMemory(figure float64) float64 {
	return figure * float64(c.Memory) / float64(max(c.Peak, c.Memory))
}

func percent(part, of uint64) float64 { return float64(part) / float64(of) * 100 }
