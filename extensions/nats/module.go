package nats

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/cachebench"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/nats"

// New returns the JavaScript module.
func New() modules.Module { return &rootModule{} }

// rootModule is what all VUs have in common.
type rootModule struct {
	shared connections
	bench  cachebench.Shared
}

// NewModuleInstance registers the metrics and returns the VU's module.
func (r *rootModule) NewModuleInstance(vu modules.VU) modules.Instance {
	instruments, err := newInstruments(vu)
	if err != nil {
		common.Throw(vu.Runtime(), err)
	}
	m := &module{vu: vu, shared: &r.shared, bench: &r.bench, instruments: instruments, clients: map[*client]struct{}{}}
	m.prototypes = m.newPrototypes()
	m.exports = k6glue.Exports(vu, map[string]any{
		"Client": m.newClient,
		"Nats":   m.newClient, // the name in scripts that were written for ydarias/xk6-nats

		"natsjsRows": vu.Runtime().NewDynamicArray(&natsjsRows{module: m}),
	})

	return m
}

type module struct {
	vu          modules.VU
	shared      *connections
	bench       *cachebench.Shared
	instruments instruments
	prototypes  prototypes
	exports     modules.Exports

	mu       sync.Mutex // the VU's end may come from another goroutine
	clients  map[*client]struct{}
	awaiting bool            // the end of the VU or, in a sweep, of
	sweep    *k6glue.Session // this step
}

// Exports returns what scripts import.
func (m *module) Exports() modules.Exports { return m.exports }

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

// throw throws an error as a NatsError with its kind and code.
func (m *module) throw(err error) { panic(m.toJS(err)) }

// toJS makes a NatsError of an error, for a promise to be rejected with.
func (m *module) toJS(err error) *sobek.Object {
	e := asError(err)

	return k6glue.NewError(m.vu.Runtime(), "NatsError", e.Error(), map[string]any{"kind": e.Kind, "code": e.Code})
}

// maxMessage bounds, in bytes, how much a message shows of what the script has passed.
const maxMessage = 300

// misuse is an error of kind usage, in one line.
func misuse(format string, args ...any) *Error {
	message := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "..."
	}

	return &Error{Kind: KindUsage, Message: message}
}
