package resp

import (
	"sync"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/resp"

// The module's metrics. Tags: op (connect, get, set, delete, touch, getMulti, insert, read, update,
// scan, info) and outcome (ok, or the error's kind).
const (
	metricOps    = "resp_ops"    // Counter: operations; each command of a pipeline counts
	metricHits   = "resp_hits"   // Counter: requested keys that were found
	metricMisses = "resp_misses" // Counter: requested keys that were not found
)

// New returns the JavaScript module.
func New() modules.Module {
	var shared sharedByAll

	return k6x.New(k6x.Definition{
		ErrorName: "RespError", AsError: asError,
		Metrics: k6x.Metrics{Ops: metricOps, Counts: []string{metricHits, metricMisses}},
		Exports: func(m *k6x.Module) map[string]any {
			return map[string]any{"Client": (&module{m, &shared}).newClient}
		},
	})
}

type sharedByAll struct {
	workload.CacheShared

	topologies sync.Map // topologies of clusters, by target
}

func (s *sharedByAll) topology(config *Config) *topology {
	t, known := s.topologies.Load(config.target())
	if !known {
		t, _ = s.topologies.LoadOrStore(config.target(), newTopology(config.Servers))
	}

	return t.(*topology) //nolint:forcetypeassert // the map holds no other type
}

type module struct {
	*k6x.Module

	shared *sharedByAll
}

func init() { //nolint:gochecknoinits // k6 extensions register in init
	modules.Register(ImportPath, New())
}
