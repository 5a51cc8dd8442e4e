package memcached

import (
	"errors"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/memcached"

// The module's metrics. Tags: op (connect, or the method's name) and outcome (ok, or the error's
// kind).
const (
	metricOps      = "memcached_ops"         // Counter: operations; each command of a pipeline counts
	metricDuration = "memcached_op_duration" // Trend, ms: durations of calls, without connecting; not in a sweep
	metricHits     = "memcached_hits"        // Counter: requested keys that were found
	metricMisses   = "memcached_misses"      // Counter: requested keys that were not found
)

const opConnect = "connect"

// New returns the JavaScript module.
func New() modules.Module {
	var shared sharedByAll

	return k6x.New(k6x.Definition{
		ErrorName: "MemcachedError", AsError: asError,
		Metrics: k6x.Metrics{Ops: metricOps, Duration: metricDuration, Counts: []string{metricHits, metricMisses}},
		Exports: func(m *k6x.Module) map[string]any {
			return map[string]any{"Client": (&module{m, &shared}).newClient}
		},
	})
}

type sharedByAll struct {
	pools pools
	bench workload.CacheShared
}

type module struct {
	*k6x.Module

	shared *sharedByAll
}

func asError(err error) k6x.Error {
	if e, is := errors.AsType[*wire.Error](err); is {
		return k6x.Error{Kind: e.Kind, Message: e.Message, Cause: err}
	}

	return k6x.Error{Kind: k6x.KindConnection, Message: "the connection broke: " + err.Error(), Cause: err}
}

func (m *module) check(err error) {
	if err != nil {
		m.Throw(err)
	}
}

// object returns an object with these properties, including names like __proto__.
func (m *module) object(properties ...k6x.Property) *sobek.Object {
	object := m.Runtime().NewObject()
	for _, p := range properties {
		m.Set(object, p.Name, p.Value)
	}

	return object
}
