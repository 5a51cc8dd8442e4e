package memcached

import (
	"time"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// The module's metrics. Tags: operation (connect, or the method's name) and outcome (ok, or the error's kind).
const (
	metricOps      = "memcached_ops"         // Counter: operations; of a pipeline each of its commands
	metricDuration = "memcached_op_duration" // Trend, ms: durations of calls, without connecting; not in a sweep, which has its own
	metricHits     = "memcached_hits"        // Counter: keys that were asked for and found
	metricMisses   = "memcached_misses"      // Counter: keys that were asked for and not found
)

// Operations that are no commands. Those that are have their command's name.
const (
	opConnect  = "connect"
	opGetMulti = "getMulti"
	opSetMulti = "setMulti"
	opPipeline = "pipeline"
	opFlushAll = "flushAll"
	opStats    = "stats"
	opVersion  = "version"
)

// instruments emit the metrics of one VU.
type instruments struct{ *k6glue.Instruments }

func newInstruments(vu modules.VU) (*instruments, error) {
	all, err := k6glue.NewInstruments(vu, k6glue.MetricNames{
		Ops: metricOps, Duration: metricDuration, Counts: []string{metricHits, metricMisses},
	})

	return &instruments{all}, err
}

// tally is what operations of one kind came to.
type tally struct {
	hits, misses int
}

// of counts a key that was asked for.
func (t *tally) of(status wire.Status) {
	if status == wire.NotFound {
		t.misses++
	} else {
		t.hits++
	}
}

// count counts an operation.
func (i *instruments) count(operation string, err error, came tally) {
	i.Count(operation, outcome(err), came.hits, came.misses)
}

// emit sends what was counted, and the duration of the call that it was counted in.
func (i *instruments) emit(operation string, err error, took time.Duration) {
	i.EmitDuration(operation, outcome(err), took)
}

func outcome(err error) string {
	if err != nil {
		return asError(err).Kind
	}

	return k6glue.OutcomeOK
}
