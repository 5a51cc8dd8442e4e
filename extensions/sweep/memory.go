package sweep

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
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

// collector sets how often Go collects garbage during a sweep.
type collector struct {
	enabled  bool
	current  int
	original int
}

// newCollector returns a collector. It does nothing when the user has set GOGC or GOMEMLIMIT.
func newCollector() *collector {
	return &collector{enabled: os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == ""}
}

// adjust fits the collector to what is in use now.
func (c *collector) adjust() {
	if !c.enabled {
		return
	}
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

// restore undoes what adjust did.
func (c *collector) restore() {
	if c.current != 0 {
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
