package mxgateway

import (
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/mxgateway"

// New returns the JavaScript module.
func New() modules.Module { return &rootModule{} }

// rootModule is what all VUs have in common.
type rootModule struct {
	schemas schemas
	conns   k6glue.Shared[target, *wire.Conn]
	tallies tallies
}

// NewModuleInstance registers the metrics and returns the VU's module.
func (r *rootModule) NewModuleInstance(vu modules.VU) modules.Instance {
	instruments, err := newInstruments(vu)
	if err != nil {
		common.Throw(vu.Runtime(), err)
	}
	m := &module{rootModule: r, vu: vu, instruments: instruments, closing: k6glue.NewClosing(vu)}
	m.exports = k6glue.Exports(vu, map[string]any{"Client": m.newClient, "Tally": m.newTally})

	return m
}

type module struct {
	*rootModule

	vu          modules.VU
	instruments *instruments
	closing     *k6glue.Closing
	exports     modules.Exports
}

// Exports returns what scripts import.
func (m *module) Exports() modules.Exports { return m.exports }

// throw throws an error as a GatewayError with its kind and code.
func (m *module) throw(err error) { panic(m.toJS(err)) }

// misuse throws the error of a call that is wrong, in one line.
func (m *module) misuse(format string, args ...any) {
	m.throw(misuse(format, args...))
}

// toJS makes a GatewayError of an error, for a promise to be rejected with.
func (m *module) toJS(err error) *sobek.Object {
	e := asError(err)

	return k6glue.NewError(m.vu.Runtime(), "GatewayError", e.Message, map[string]any{"kind": e.Kind, "code": int(e.Code)})
}
