package host

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// While a sweep runs, the heap may grow to heapBudget between two garbage collections, however
// little of it is in use: k6's heap is full of pointers, and marking it as often as Go's default
// wants costs a fifth of the processor time of an operation. What hundreds of clients hold may grow
// threefold, up to crowdBudget. Where more than half of that is in use, Go's default stays.
const (
	heapBudget     = 320 << 20
	crowdBudget    = 600 << 20
	crowdGCPercent = 200
	// leastGCPercent is Go's default.
	leastGCPercent = 100
	mostGCPercent  = 400
	// stepGCPercent is the step of the setting, so that it changes seldom.
	stepGCPercent = 25
)

// While a crowd is got together (k6 makes the VUs, their clients connect) or has done its part,
// nothing is measured, and the heap grows by a quarter only between two collections. What is in use
// then is most of it: with Go's default, k6 may take twice the memory that its clients need.
const (
	crowd           = 256 // clients
	gatherGCPercent = 25
)

// Collector sets how often Go collects garbage while sweeps run. A process has one setting:
// scenarios that sweep at the same time share the collector, and the last one to end restores what
// was before. A nil Collector leaves the setting alone.
type Collector struct {
	mu     sync.Mutex
	sweeps int
	// gathering tells that a crowd is got together, or taken apart.
	gathering bool
	// current is zero until the setting is changed.
	current  int
	original int
}

var theCollector Collector //nolint:gochecknoglobals // the setting is the process's

// TuneCollector begins to set how often garbage is collected, until Restore. It returns nil when
// the user has set GOGC or GOMEMLIMIT.
func TuneCollector() *Collector {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	theCollector.mu.Lock()
	defer theCollector.mu.Unlock()
	theCollector.sweeps++

	return &theCollector
}

// Adjust fits the setting to what is in use now.
func (c *Collector) Adjust() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	percent := gatherGCPercent
	if !c.gathering {
		percent = gcPercent(liveBytes())
	}
	if percent == c.current {
		return
	}
	before := debug.SetGCPercent(percent)
	if c.current == 0 {
		c.original = before
	}
	c.current = percent
}

// Gather says that from now on, until Settle, so many clients are got together or taken apart.
func (c *Collector) Gather(clients int) {
	if clients >= crowd {
		c.gather(true)
		c.Adjust()
	}
}

func (c *Collector) gather(is bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gathering = is
}

// Settle collects what has been left by now and adjusts: what is measured next neither pays for it
// nor has less room than others. It collects where the setting is the user's as well: runs with a
// GOGC are compared too.
func (c *Collector) Settle() {
	runtime.GC()
	c.gather(false)
	c.Adjust()
}

// Restore undoes what Adjust did, once no sweep needs it any more.
func (c *Collector) Restore() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sweeps--; c.sweeps == 0 && c.current != 0 {
		debug.SetGCPercent(c.original)
		c.current, c.gathering = 0, false
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
