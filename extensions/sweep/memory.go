package sweep

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// While a sweep runs, the heap may grow to heapBudget between two garbage collections, however little of it is in
// use: k6's heap is full of pointers, and marking it as often as Go's default wants costs a fifth of the processor time
// of an operation. It may also grow no further, unless what is in use needs more.
const (
	heapBudget     = 320 << 20
	leastGCPercent = 25
	mostGCPercent  = 400
	goGCPercent    = 100                // Go's default,
	tooMuch        = heapBudget * 5 / 4 // to which more than this in use is left: collecting so often would not pay
)

// collector sets how often Go collects garbage while sweeps run. A process has one setting: scenarios that sweep at
// the same time share the collector, and the last one to end restores what was before.
type collector struct {
	mu       sync.Mutex
	sweeps   int
	current  int // zero: not set
	original int
}

var theCollector collector //nolint:gochecknoglobals // the setting is the process's

// tuneCollector begins to set how often garbage is collected, until restore. It leaves that alone when the user has
// set GOGC or GOMEMLIMIT.
func tuneCollector() *collector {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	theCollector.mu.Lock()
	defer theCollector.mu.Unlock()
	theCollector.sweeps++

	return &theCollector
}

// adjust fits the setting to what is in use now.
func (c *collector) adjust() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	percent := gcPercent(liveBytes())
	if percent == c.current {
		return
	}
	before := debug.SetGCPercent(percent)
	if c.current == 0 {
		c.original = before
	}
	c.current = percent
}

// restore undoes what adjust did, once no sweep needs it any more.
func (c *collector) restore() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sweeps--; c.sweeps == 0 && c.current != 0 {
		debug.SetGCPercent(c.original)
		c.current = 0
	}
}

// gcPercent is by how much the heap may grow over what is in use, in steps of a quarter of Go's default.
func gcPercent(live uint64) int {
	if live > tooMuch {
		return goGCPercent
	}
	percent := mostGCPercent
	if live > 0 {
		percent = int((heapBudget - min(live, heapBudget)) * 100 / live)
	}

	return min(max(percent/leastGCPercent*leastGCPercent, leastGCPercent), mostGCPercent)
}

// liveBytes is what the last garbage collection found in use.
func liveBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}

	return sample[0].Value.Uint64()
}
