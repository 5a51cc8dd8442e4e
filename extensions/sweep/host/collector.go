package host

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// While a sweep runs, the heap may grow to heapBudget between two garbage collections, however
// little of it is in use: k6's heap is full of pointers, and marking it as often as Go's default
// wants costs a fifth of the processor time of an operation. What hundreds of clients hold may grow
// threefold, up to crowdBudget. Where more than half of that is in use, Go's default stays.
//
// What thousands hold may grow up to thousandsBudget only, or by a quarter, as long as that takes
// betweenCollections: k6 could else take twice the memory that its clients need, for a little
// garbage.
const (
	heapBudget      = 320 << 20
	crowdBudget     = 600 << 20
	crowdGCPercent  = 200
	thousandsBudget = 750 << 20
	// leastGCPercent is Go's default.
	leastGCPercent = 100
	mostGCPercent  = 400
	// stepGCPercent is the step of the setting, so that it changes seldom.
	stepGCPercent = 25

	betweenCollections = 10 * time.Second
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
	garbage  garbage
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
		percent = gcPercent(heapBytes("/gc/heap/live:bytes"), c.garbage.within(betweenCollections))
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
		c.gather()
		c.Adjust()
	}
}

func (c *Collector) gather() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gathering = true
}

// settle forgets how much garbage there was: what is measured makes its own.
func (c *Collector) settle() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gathering, c.garbage = false, garbage{}
}

// Settle collects what has been left by now and adjusts: what is measured next neither pays for it
// nor has less room than others. It collects where the setting is the user's as well: runs with a
// GOGC are compared too.
func (c *Collector) Settle() {
	runtime.GC()
	c.settle()
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

// gcPercent is by how much the heap may grow over what is in use. coming is how much garbage there
// will be between two collections, if they can wait.
func gcPercent(live, coming uint64) int {
	percent := max(within(heapBudget, live, mostGCPercent), within(crowdBudget, live, crowdGCPercent)) / stepGCPercent * stepGCPercent
	if percent >= leastGCPercent {
		return percent
	}
	budget := max(thousandsBudget, live+min(coming, live))

	return max(within(budget, live, leastGCPercent)/stepGCPercent*stepGCPercent, gatherGCPercent)
}

// within is by how much, up to most, what is in use may grow in a budget.
func within(budget, live uint64, most int) int {
	if live == 0 {
		return most
	}

	return int(min((budget-min(live, budget))*100/live, uint64(most)))
}

// garbage is how fast there is more of it. The zero value knows nothing.
type garbage struct {
	at        time.Time
	allocated uint64
	rate      float64 // bytes in a second; 0: it is not known
}

// shortest is the least time that tells how fast there is more garbage.
const shortest = 500 * time.Millisecond

// within is how much there will be in a time, if it goes on as since it was asked last; without end
// where that is not known.
func (g *garbage) within(d time.Duration) uint64 {
	allocated, now := heapBytes("/gc/heap/allocs:bytes"), time.Now()
	passed := now.Sub(g.at)
	if known := !g.at.IsZero(); !known || passed >= shortest {
		if known {
			g.rate = float64(allocated-g.allocated) / passed.Seconds()
		}
		g.at, g.allocated = now, allocated
	}
	if g.rate == 0 {
		return math.MaxUint64
	}

	return uint64(g.rate * d.Seconds())
}

// heapBytes is one of Go's own metrics of the heap.
func heapBytes(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}

	return sample[0].Value.Uint64()
}
