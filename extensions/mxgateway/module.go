package mxgateway

import (
	"errors"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/mxgateway"

// The module's metrics. Tags: op and outcome (ok, or the error's kind).
const (
	metricOps      = "mxgateway_ops"            // Counter: calls
	metricDuration = "mxgateway_op_duration"    // Trend, ms: durations of single calls; not in a sweep
	metricResults  = "mxgateway_results"        // Counter: results of ReadBulk, one for each tag
	metricCached   = "mxgateway_results_cached" // Counter: cached results
	metricFailed   = "mxgateway_results_failed" // Counter: failed results
)

const (
	opConnect     = "connect"
	opOpen        = "open"
	opRegister    = "register"
	opSubscribe   = "subscribe"
	opReadBulk    = "readBulk"
	opUnsubscribe = "unsubscribe"
	opClose       = "close"
)

// New returns the JavaScript module.
func New() modules.Module {
	var shared process

	return k6x.New(k6x.Definition{
		ErrorName: "GatewayError", AsError: asError,
		Metrics: k6x.Metrics{
			Ops: metricOps, Duration: metricDuration, Counts: []string{metricResults, metricCached, metricFailed},
		},
		Exports: func(in *k6x.Module) map[string]any {
			m := &module{in, &shared}

			return map[string]any{"Client": m.newClient, "Tally": m.newTally}
		},
	})
}

type module struct {
	*k6x.Module
	*process
}

type process struct {
	schemas schemas
	conns   k6x.Shared[target, *wire.Conn]
	tallies tallies
}

func asError(err error) k6x.Error {
	if e, is := errors.AsType[*wire.Error](err); is {
		return k6x.Error{Kind: e.Kind, Code: int(e.Code), Message: e.Message, Cause: err}
	}

	return *k6x.Misuse("%s", err)
}

func (m *module) count(operation string, err error, counts wire.Counts) {
	m.Count(operation, err, counts.Results, counts.Cached, counts.Failed)
}
