package umemcache

import (
	"errors"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
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

	return k6mod.New(k6mod.Definition{
		ErrorName: "UmemcacheError", AsError: asError,
		Metrics: k6mod.Metrics{Ops: metricOps, Duration: metricDuration, Counts: []string{metricHits, metricMisses}},
		Exports: func(m *k6mod.Module) map[string]any {
			vu := &module{m, &shared, m.Counter(metricRetries), m.Counter(metricLostFills)}

			return map[string]any{"Client": vu.newClient}
		},
	})
}

type sharedByAll struct {
	// targets are the shared connections: a server has slots for only 512.
	targets k6glue.Shared[targetConfig, wire.Target]
	bench   workload.CacheShared
}

type module struct {
	*k6mod.Module

	shared             *sharedByAll
	retries, lostFills k6glue.Series
}

func asError(err error) k6mod.Error {
	if e, is := errors.AsType[*wire.Error](err); is {
		return k6mod.Error{Kind: string(e.Kind), Message: e.Message, Cause: err}
	}

	return k6mod.Error{Kind: k6mod.KindConnection, Message: "the connection broke: " + err.Error(), Cause: err}
}
