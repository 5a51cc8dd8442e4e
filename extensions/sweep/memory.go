package sweep

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// While a sweep runs, the heap may grow to heapBudget between two garbage collections, however little of it is in
// use: k6's heap is full of pointers, and marking it as often as Go's default wants costs a fifth of the processor time
// of an operation. Where more than half of it is in use, Go's default stays.
const (
	heapBudget     = 320 << 20
	leastGCPercent = 100 // Go's default
	mostGCPercent  = 400
	stepGCPercent  = 25 // of the setting, so that it changes seldom
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

// settle collects what has been left by now, so that what is measured next neither pays for it nor has less room than others, and
// adjusts.
func (c *collector) settle() {
	if c == nil {
		return
	}
	runtime.GC()
	c.adjust()
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

// gcPercent is by how much the heap may grow over what is in use.
func gcPercent(live uint64) int {
	percent := mostGCPercent
	if live > 0 {
		percent = int((heapBudget - min(live, heapBudget)) * 100 / live)
	}

	return min(max(percent/stepGCPercent*stepGCPercent, leastGCPercent), mostGCPercent)
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
