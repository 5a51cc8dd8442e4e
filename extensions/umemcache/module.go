package umemcache

import (
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/cachebench"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/umemcache"

// New returns the JavaScript module.
func New() modules.Module { return &rootModule{} }

// rootModule is what all VUs have in common.
type rootModule struct {
	targets targets // a server has slots for 512 connections, whatever the number of VUs
	benches cachebench.Shared
}

// NewModuleInstance registers the metrics and returns the VU's module.
func (r *rootModule) NewModuleInstance(vu modules.VU) modules.Instance {
	instruments, err := newInstruments(vu)
	if err != nil {
		common.Throw(vu.Runtime(), err)
	}
	m := &module{
		vu: vu, targets: &r.targets, benches: &r.benches, instruments: instruments,
		closing: k6glue.NewClosing(vu), step: k6glue.NewStepRecorder(vu),
	}
	m.exports = k6glue.Exports(vu, map[string]any{"Client": m.newClient})

	return m
}

// targets are the connections that clients of all VUs share.
type targets = k6glue.Shared[targetConfig, wire.Target]

type module struct {
	vu          modules.VU
	targets     *targets
	benches     *cachebench.Shared
	instruments *instruments
	closing     *k6glue.Closing
	step        *k6glue.StepRecorder
	exports     modules.Exports
}

// Exports returns what scripts import.
func (m *module) Exports() modules.Exports { return m.exports }

// throw throws an error as an UmemcacheError with its kind.
func (m *module) throw(e *wire.Error) {
	k6glue.Throw(m.vu.Runtime(), "UmemcacheError", e.Message, map[string]any{"kind": string(e.Kind)})
}
