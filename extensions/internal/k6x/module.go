package k6x

import (
	"sync"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"
)

// Definition describes a module.
type Definition struct {
	// ErrorName is the name of the module's exceptions, such as "RespError".
	ErrorName string
	// AsError converts errors of the module's protocol for scripts.
	AsError func(err error) Error
	Metrics Metrics
	// Exports returns a VU's exports: functions, and the constructor Client.
	Exports func(m *Module) map[string]any
}

// New returns a module to register with k6.
func New(d Definition) modules.Module { return &root{definition: d} }

type root struct {
	definition Definition

	// named ensures that k6 learns the export names once.
	named sync.Once
}

func (r *root) NewModuleInstance(vu modules.VU) modules.Instance {
	m := &Module{root: r, vu: vu, closing: NewClosing(vu)}
	var err error
	if m.Instruments, err = NewInstruments(vu, &r.definition.Metrics, m.kind); err != nil {
		common.Throw(vu.Runtime(), err)
	}
	HintAtMetrics(vu)
	m.exports = NewExported(vu, r.definition.Exports(m))

	return m
}

// Module is a module in one VU.
type Module struct {
	*Instruments

	root    *root
	vu      modules.VU
	closing *Closing
	exports *Exported
}

// Exports implements modules.Instance.
func (m *Module) Exports() modules.Exports { return m.exports.Exports(&m.root.named) }

// VU returns the module's VU.
func (m *Module) VU() modules.VU { return m.vu }

// Runtime returns the VU's JavaScript runtime.
func (m *Module) Runtime() *sobek.Runtime { return m.vu.Runtime() }

// Closing closes what the VU has opened when the VU ends.
func (m *Module) Closing() *Closing { return m.closing }

// MustRun throws in the init context, where k6 does not allow connections.
func (m *Module) MustRun() {
	if m.vu.State() == nil {
		m.Throw(ErrInit)
	}
}

// Counter returns a series of a Counter for Instruments.Add. Tags are pairs of name and value. It
// registers a Counter that is not in Metrics.Tagged, so call it in the init context.
func (m *Module) Counter(name string, tags ...[2]string) Series {
	metric, err := m.registry.NewMetric(name, metrics.Counter)
	if err != nil {
		common.Throw(m.vu.Runtime(), err)
	}

	return m.Series(metric, tags...)
}

// Set sets a property of any name, including __proto__.
func (m *Module) Set(object *sobek.Object, name string, value any) {
	m.define(object, name, value, sobek.FLAG_TRUE)
}

// SetConstant sets a read-only property.
func (m *Module) SetConstant(object *sobek.Object, name string, value any) {
	m.define(object, name, value, sobek.FLAG_FALSE)
}

func (m *Module) define(object *sobek.Object, name string, value any, change sobek.Flag) {
	if err := object.DefineDataProperty(name, m.vu.Runtime().ToValue(value), change, change, sobek.FLAG_TRUE); err != nil {
		m.Throw(err)
	}
}
