package machbase

import (
	"sync/atomic"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/machbase"

// New returns the JavaScript module.
func New() modules.Module { return newModule(DriverNamed) }

func newModule(driverNamed func(name string) (Driver, error)) modules.Module {
	lostRows, shared, runOptions := new(atomic.Bool), new(workload.Shared), new(sharedOptions)

	return k6x.New(k6x.Definition{
		ErrorName: "MachbaseError", AsError: asError,
		Metrics: k6x.Metrics{Ops: metricOps, Duration: metricDuration, Counts: []string{metricRows}, Tagged: []string{metricRejected}},
		Exports: func(m *k6x.Module) map[string]any {
			own := &module{
				Module: m, driverNamed: driverNamed, accepted: m.Counter(metricAcknowledged), rejected: map[string]k6x.Series{},
				lostRows: lostRows, shared: shared, runOptions: runOptions,
			}

			return map[string]any{"Client": own.newClient, "bind": own.bind}
		},
	})
}

type module struct {
	*k6x.Module

	driverNamed func(name string) (Driver, error)
	accepted    k6x.Series
	rejected    map[string]k6x.Series // by reason
	lostRows    *atomic.Bool
	shared      *workload.Shared
	runOptions  *sharedOptions
}

func (m *module) bind(call sobek.FunctionCall) sobek.Value {
	value, err := bindAs(k6x.Show(call.Argument(0)), call.Argument(1))
	if err != nil {
		m.Misuse("bind: %s", err)
	}

	return m.Runtime().ToValue(typedBind{value})
}

func init() { //nolint:gochecknoinits // k6 extensions register in init
	modules.Register(ImportPath, New())
}
