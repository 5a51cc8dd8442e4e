package resp

import (
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/cachebench"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/resp"

// New returns the JavaScript module.
func New() modules.Module { return &rootModule{} }

// rootModule is what all VUs have in common.
type rootModule struct {
	shared cachebench.Shared
}

// NewModuleInstance registers the metrics and returns the VU's module.
func (r *rootModule) NewModuleInstance(vu modules.VU) modules.Instance {
	instruments, err := newInstruments(vu)
	if err != nil {
		common.Throw(vu.Runtime(), err)
	}
	m := &module{vu: vu, shared: &r.shared, instruments: instruments, closing: k6glue.NewClosing(vu)}
	m.exports = k6glue.Exports(vu, map[string]any{"Client": m.newClient})

	return m
}

type module struct {
	vu          modules.VU
	shared      *cachebench.Shared
	instruments *instruments
	closing     *k6glue.Closing
	exports     modules.Exports
}

// Exports returns what scripts import.
func (m *module) Exports() modules.Exports { return m.exports }

// throw throws an error as a RespError with its kind.
func (m *module) throw(err error) {
	e := asError(err)
	k6glue.Throw(m.vu.Runtime(), "RespError", e.Message, map[string]any{"kind": e.Kind})
}
