package umemcache

import (
	"errors"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/cachebench"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/umemcache"

// The module's metrics. Tags: operation (connect, or the method's name) and outcome (ok, or the
// error's kind).
const (
	metricOps       = "umemcache_ops"         // Counter: operations
	metricDuration  = "umemcache_op_duration" // Trend, ms: their durations; not emitted in a sweep, which has its own
	metricHits      = "umemcache_hits"        // Counter: keys that were asked for and found
	metricMisses    = "umemcache_misses"      // Counter: keys that were asked for and not found
	metricRetries   = "umemcache_retries"     // Counter: operations that took a second connection
	metricLostFills = "umemcache_lost_fills"  // Counter: fills that turned out to have been thrown away by the server
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

// sharedByAll is what all VUs have in common.
type sharedByAll struct {
	// targets are the connections that clients share: a server has slots for 512, whatever the
	// number of VUs.
	targets k6glue.Shared[targetConfig, wire.Target]
	bench   cachebench.Shared
}

type module struct {
	*k6mod.Module

	shared             *sharedByAll
	retries, lostFills k6glue.Series
}

// asError says what an error of the protocol is.
func asError(err error) k6mod.Error {
	if e, is := errors.AsType[*wire.Error](err); is {
		return k6mod.Error{Kind: string(e.Kind), Message: e.Message, Cause: err}
	}

	return k6mod.Error{Kind: k6mod.KindConnection, Message: "the connection broke: " + err.Error(), Cause: err}
}
