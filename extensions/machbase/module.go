package machbase

import (
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/machbase"

// New returns the JavaScript module.
func New() modules.Module { return &rootModule{} }

type rootModule struct{}

// NewModuleInstance registers the metrics and returns the VU's module.
func (*rootModule) NewModuleInstance(vu modules.VU) modules.Instance {
	instruments, err := newInstruments(vu)
	if err != nil {
		common.Throw(vu.Runtime(), err)
	}
	m := &module{vu: vu, instruments: instruments, driverNamed: driverNamed, closing: k6glue.NewClosing(vu)}
	m.exports = k6glue.Exports(vu, map[string]any{
		"Client": m.newClient,
		"bind":   m.bind,
	})

	return m
}

type module struct {
	vu          modules.VU
	instruments instruments
	driverNamed func(name string) (Driver, error)
	closing     *k6glue.Closing
	exports     modules.Exports
}

// Exports returns what scripts import.
func (m *module) Exports() modules.Exports { return m.exports }

// bind is machbase.bind(type, value): a parameter of a Machbase type that the script chooses.
func (m *module) bind(call sobek.FunctionCall) sobek.Value {
	value, err := bindAs(k6glue.Show(call.Argument(0)), call.Argument(1))
	if err != nil {
		m.throw(newError(KindUsage, "bind: %s", err))
	}

	return m.vu.Runtime().ToValue(typedBind{value})
}

// throw throws an error as a MachbaseError with its code and kind.
func (m *module) throw(err error) { panic(m.toJS(err)) }

// toJS makes a MachbaseError of an error, for a promise to be rejected with.
func (m *module) toJS(err error) *sobek.Object {
	e := asError(err)

	return k6glue.NewError(m.vu.Runtime(), "MachbaseError", e.Error(), map[string]any{"code": e.Code, "kind": e.Kind})
}
