package umemcache

import (
	"errors"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/umemcache"

// The module's metrics. Tags: op (connect, or the method's name) and outcome (ok, or the error's
// kind).
const (
	metricOps       = "umemcache_ops"         // Counter: operations
	metricDuration  = "umemcache_op_duration" // Trend, ms: durations of operations; not in a sweep
	metricHits      = "umemcache_hits"        // Counter: requested keys that were found
	metricMisses    = "umemcache_misses"      // Counter: requested keys that were not found
	metricRetries   = "umemcache_retries"     // Counter: operations that needed a second connection
	metricLostFills = "umemcache_lost_fills"  // Counter: values that the server turned out to have discarded
)

// New returns the JavaScript module.
func New() modules.Module {
	var shared sharedByAll

	return k6x.New(k6x.Definition{
		ErrorName: "UmemcacheError", AsError: asError,
		Metrics: k6x.Metrics{Ops: metricOps, Duration: metricDuration, Counts: []string{metricHits, metricMisses}},
		Exports: func(m *k6x.Module) map[string]any {
			vu := &module{m, &shared, m.Counter(metricRetries), m.Counter(metricLostFills)}

			return map[string]any{"Client": vu.newClient}
		},
	})
}

type sharedByAll struct {
	// targets are the shared connections: a server has slots for only 512.
	targets k6x.Shared[targetConfig, wire.Target]
	bench   workload.CacheShared
}

type module struct {
	*k6x.Module

	shared             *sharedByAll
	retries, lostFills k6x.Series
}

func asError(err error) k6x.Error {
	if e, is := errors.AsType[*wire.Error](err); is {
		return k6x.Error{Kind: string(e.Kind), Message: e.Message, Cause: err}
	}

	return k6x.Error{Kind: k6x.KindConnection, Message: "the connection broke: " + err.Error(), Cause: err}
}
