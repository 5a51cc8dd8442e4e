package umemcache

import (
	"time"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// The module's metrics. Tags: operation (connect, or the method's name) and outcome (ok, or the error's kind).
const (
	metricOps       = "umemcache_ops"         // Counter: operations
	metricDuration  = "umemcache_op_duration" // Trend, ms: their durations; not emitted in a sweep, which has its own
	metricHits      = "umemcache_hits"        // Counter: keys that were asked for and found
	metricMisses    = "umemcache_misses"      // Counter: keys that were asked for and not found
	metricRetries   = "umemcache_retries"     // Counter: operations that took a second connection
	metricLostFills = "umemcache_lost_fills"  // Counter: fills that turned out to have been thrown away by the server
)

// Operations, the values of the tag operation.
const (
	opConnect  = "connect"
	opGet      = "get"
	opGetOrSet = "getOrSet"
	opSet      = "set"
	opDel      = "del"
)

// instruments emit the metrics of one VU.
type instruments struct {
	*k6glue.Instruments

	retries, lostFills k6glue.Series
}

func newInstruments(vu modules.VU) (*instruments, error) {
	all, err := k6glue.NewInstruments(vu, k6glue.MetricNames{
		Ops: metricOps, Duration: metricDuration, Counts: []string{metricHits, metricMisses},
	})
	if err != nil {
		return nil, err
	}
	i := &instruments{Instruments: all}
	if i.retries, err = all.Counter(metricRetries); err != nil {
		return nil, err
	}
	if i.lostFills, err = all.Counter(metricLostFills); err != nil {
		return nil, err
	}

	return i, nil
}

// done is what an operation came to.
type done struct {
	operation, outcome string
	took               time.Duration
	hits, misses       int
	received, sent     uint64 // bytes
	retries, lostFills uint64
}

// asked counts a key that was asked for.
func (d *done) asked(found bool) {
	if found {
		d.hits++
	} else {
		d.misses++
	}
}

// record counts one operation and emits its samples.
func (i *instruments) record(d *done) {
	i.count(d)
	i.EmitDuration(d.operation, d.outcome, d.took)
}

// count counts one operation.
func (i *instruments) count(d *done) {
	i.Count(d.operation, d.outcome, d.hits, d.misses)
	i.Add(i.retries, float64(d.retries))
	i.Add(i.lostFills, float64(d.lostFills))
	i.Traffic(d.received, d.sent)
}
