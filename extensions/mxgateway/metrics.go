package mxgateway

import (
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

// The module's metrics. Tags: operation (open, register, subscribe, readBulk, unsubscribe, close) and outcome (ok, or the error's kind).
const (
	metricOps      = "mxgateway_ops"            // Counter: calls
	metricDuration = "mxgateway_op_duration"    // Trend, ms: durations of single calls; not in a sweep, which has its own
	metricResults  = "mxgateway_results"        // Counter: results of ReadBulk, one for each tag
	metricCached   = "mxgateway_results_cached" // Counter: those of them that were cached
	metricFailed   = "mxgateway_results_failed" // Counter: those of them that were not successful
)

// Operations, the values of the tag operation.
const (
	opOpen        = "open"
	opRegister    = "register"
	opSubscribe   = "subscribe"
	opReadBulk    = "readBulk"
	opUnsubscribe = "unsubscribe"
	opClose       = "close"
)

// instruments emit the metrics of one VU.
type instruments struct{ *k6mod.Instruments }

func newInstruments(vu modules.VU) (*instruments, error) {
	all, err := k6mod.NewInstruments(vu, &k6mod.Metrics{
		Ops: metricOps, Duration: metricDuration, Counts: []string{metricResults, metricCached, metricFailed},
	}, func(err error) string { return asError(err).Kind })

	return &instruments{all}, err
}

// count counts a call.
func (i *instruments) count(operation string, err error, counts wire.Counts) {
	i.Count(operation, err, counts.Results, counts.Cached, counts.Failed)
}
