package memcached

import (
	"errors"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/cachebench"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/memcached"

// New returns the JavaScript module.
func New() modules.Module { return &rootModule{} }

// rootModule is what all VUs have in common.
type rootModule struct {
	pools  pools
	shared cachebench.Shared
}

// NewModuleInstance registers the metrics and returns the VU's module.
func (r *rootModule) NewModuleInstance(vu modules.VU) modules.Instance {
	instruments, err := newInstruments(vu)
	if err != nil {
		common.Throw(vu.Runtime(), err)
	}
	m := &module{
		vu: vu, pools: &r.pools, shared: &r.shared, instruments: instruments,
		closing: k6glue.NewClosing(vu), step: k6glue.NewStepRecorder(vu),
	}
	m.exports = k6glue.Exports(vu, map[string]any{"Client": m.newClient})

	return m
}

type module struct {
	vu          modules.VU
	pools       *pools
	shared      *cachebench.Shared
	instruments *instruments
	closing     *k6glue.Closing
	step        *k6glue.StepRecorder
	exports     modules.Exports
}

// Exports returns what scripts import.
func (m *module) Exports() modules.Exports { return m.exports }

// throw throws an error as a MemcachedError with its kind, and further properties.
func (m *module) throw(err error, properties ...property) {
	e := asError(err)
	all := map[string]any{"kind": e.Kind}
	for _, p := range properties {
		all[p.name] = p.value
	}
	k6glue.Throw(m.vu.Runtime(), "MemcachedError", e.Message, all)
}

type property struct {
	name  string
	value any
}

// misuse throws an error of kind usage, in one line.
func (m *module) misuse(format string, args ...any) {
	m.throw(wire.Errorf(wire.KindUsage, "%s", k6glue.OneLine(format, args...)))
}

// asError makes an Error of the protocol's of any error.
func asError(err error) *wire.Error {
	var e *wire.Error
	if errors.As(err, &e) {
		return e
	}

	return wire.Errorf(wire.KindConnection, "the connection broke: %s", err)
}
