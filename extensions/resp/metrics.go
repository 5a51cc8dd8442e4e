package resp

import (
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// The module's metrics. Tags: operation (connect, get, set, delete, touch, getMulti, info) and
// outcome (ok, or the error's kind).
const (
	metricOps    = "resp_ops"    // Counter: operations; of a pipeline each of its commands
	metricHits   = "resp_hits"   // Counter: keys that were asked for and found
	metricMisses = "resp_misses" // Counter: keys that were asked for and not found
)

const opConnect = "connect"

// instruments emit the metrics of one VU.
type instruments struct{ *k6glue.Instruments }

func newInstruments(vu modules.VU) (*instruments, error) {
	all, err := k6glue.NewInstruments(vu, k6glue.MetricNames{Ops: metricOps, Counts: []string{metricHits, metricMisses}})

	return &instruments{all}, err
}

// count counts an operation, and how many of its keys were found and not.
func (i *instruments) count(operation string, err error, hits, misses int) {
	outcome := k6glue.OutcomeOK
	if err != nil {
		outcome = asError(err).Kind
	}
	i.Count(operation, outcome, hits, misses)
}
