package memcached

import (
	"errors"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/cachebench"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/evictions"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/memcached"

// The module's metrics. Tags: operation (connect, or the method's name) and outcome (ok, or the
// error's kind).
const (
	metricOps      = "memcached_ops"         // Counter: operations; of a pipeline each of its commands
	metricDuration = "memcached_op_duration" // Trend, ms: durations of calls, without connecting; not in a sweep, which has its own
	metricHits     = "memcached_hits"        // Counter: keys that were asked for and found
	metricMisses   = "memcached_misses"      // Counter: keys that were asked for and not found
)

// opConnect is the operation of connecting.
const opConnect = "connect"

// New returns the JavaScript module.
func New() modules.Module {
	var shared sharedByAll

	return k6mod.New(k6mod.Definition{
		ErrorName: "MemcachedError", AsError: asError,
		Metrics: k6mod.Metrics{Ops: metricOps, Duration: metricDuration, Counts: []string{metricHits, metricMisses}},
		Exports: func(m *k6mod.Module) map[string]any {
			return map[string]any{"Client": (&module{m, &shared}).newClient}
		},
	})
}

// sharedByAll is what all VUs have in common.
type sharedByAll struct {
	pools   pools
	bench   cachebench.Shared
	watched evictions.Watched
}

type module struct {
	*k6mod.Module

	shared *sharedByAll
}

// asError says what an error of the protocol is.
func asError(err error) k6mod.Error {
	if e, is := errors.AsType[*wire.Error](err); is {
		return k6mod.Error{Kind: e.Kind, Message: e.Message, Cause: err}
	}

	return k6mod.Error{Kind: k6mod.KindConnection, Message: "the connection broke: " + err.Error(), Cause: err}
}

// check throws an error, unless it is nil.
func (m *module) check(err error) {
	if err != nil {
		m.Throw(err)
	}
}

// object makes an object of its properties, whatever they are called.
func (m *module) object(properties ...k6mod.Property) *sobek.Object {
	object := m.Runtime().NewObject()
	for _, p := range properties {
		m.Set(object, p.Name, p.Value)
	}

	return object
}
