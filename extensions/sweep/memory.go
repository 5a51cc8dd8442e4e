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
// of an operation. What hundreds of clients hold may grow threefold, up to crowdBudget. Where more than half of that is in
// use, Go's default stays.
const (
	heapBudget     = 320 << 20
	crowdBudget    = 600 << 20
	crowdGCPercent = 200
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
	percent := max(within(heapBudget, live, mostGCPercent), within(crowdBudget, live, crowdGCPercent))

	return max(percent/stepGCPercent*stepGCPercent, leastGCPercent)
}

// within is by how much, up to most, what is in use may grow in a budget.
func within(budget, live uint64, most int) int {
	if live == 0 {
		return most
	}

	return int(min((budget-min(live, budget))*100/live, uint64(most)))
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
