package machbase

import (
	"maps"
	"slices"
	"sync"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/machbase"

// New returns the JavaScript module.
func New() modules.Module { return rootModule{} }

type rootModule struct{}

// NewModuleInstance registers the metrics and returns the VU's module.
func (rootModule) NewModuleInstance(vu modules.VU) modules.Instance {
	instruments, err := newInstruments(vu)
	if err != nil {
		common.Throw(vu.Runtime(), err)
	}
	m := &module{vu: vu, instruments: instruments, driverNamed: driverNamed, clients: map[*client]struct{}{}}
	m.exports = k6glue.Exports(vu.Runtime(), map[string]any{
		"Client": m.newClient,
		"bind":   m.bind,
	})

	return m
}

type module struct {
	vu          modules.VU
	instruments *instruments
	driverNamed func(name string) (Driver, error)
	exports     modules.Exports

	mu       sync.Mutex // the VU's end may come from another goroutine
	clients  map[*client]struct{}
	awaiting bool            // the end of the VU or, in a sweep, of
	sweep    *k6glue.Session // this step
}

// opened remembers that a client has a connection, which must not outlive the VU's use for it. It waits for the VU's
// end once, however many clients come and however often they connect.
func (m *module) opened(c *client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clients[c] = struct{}{}
	if sweep := k6glue.SessionOf(m.vu); !m.awaiting || sweep != m.sweep {
		m.awaiting, m.sweep = true, sweep
		k6glue.OnVUEnd(m.vu, m.disconnectAll)
	}
}

func (m *module) closed(c *client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.clients, c)
}

func (m *module) disconnectAll() {
	m.mu.Lock()
	clients := slices.Collect(maps.Keys(m.clients))
	m.mu.Unlock()
	for _, c := range clients {
		c.disconnect()
	}
}

// Exports returns what scripts import.
func (m *module) Exports() modules.Exports { return m.exports }

// bind is machbase.bind(type, value): a parameter of a Machbase type that the script chooses.
func (m *module) bind(call sobek.FunctionCall) sobek.Value {
	value, err := bindAs(call.Argument(0).String(), call.Argument(1))
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
