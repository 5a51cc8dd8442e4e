package nats

import (
	"time"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/cachebench"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/nats"

// New returns the JavaScript module.
func New() modules.Module { return newModule(newShared(idleHint)) }

func newModule(shared *sharedByAll) modules.Module {
	return k6mod.New(k6mod.Definition{
		ErrorName: "NatsError", AsError: asError,
		Metrics: k6mod.Metrics{Ops: metricOps, Duration: metricDuration, Tagged: []string{metricErrors}},
		Exports: func(in *k6mod.Module) map[string]any {
			m := &module{Module: in, instruments: newInstruments(in), shared: shared}
			m.prototypes = m.newPrototypes()

			return map[string]any{
				"Client": m.newClient,
				"Nats":   m.newNats, // the name in scripts that were written for ydarias/xk6-nats

				"natsjsRows": m.Runtime().NewDynamicArray(&natsjsRows{module: m}),
			}
		},
	})
}

// sharedByAll is what all VUs have in common.
type sharedByAll struct {
	// connections are those that clients with equal options share.
	connections k6glue.Shared[string, *sharedConnection]
	bench       cachebench.Shared
	idle        idle
}

func newShared(idleHint time.Duration) *sharedByAll {
	return &sharedByAll{idle: idle{after: idleHint}}
}

// module is the module in one VU.
type module struct {
	*k6mod.Module

	instruments instruments
	shared      *sharedByAll
	prototypes  prototypes
	passed      passed
}

// passed is what the VU's clients have sent and received in a sweep.
type passed struct {
	sweep          *k6glue.Session // whose counter messages is; nil before the first
	messages       *measure.Counter
	sent, received uint64 // messages
}

// account adds to what the sweep reports of its step. A message that one client sends and another
// one of the same VU receives counts once: of all that were sent and all that were received, the
// greater number counts.
func (m *module) account(sent, received, bytesIn, bytesOut uint64) {
	sweep := m.Session()
	if sweep == nil {
		return
	}
	p := &m.passed
	if sweep != p.sweep {
		*p = passed{sweep: sweep, messages: sweep.Client.Counter(measure.Messages)}
	}
	before := max(p.sent, p.received)
	p.sent += sent
	p.received += received
	messages := max(p.sent, p.received) - before
	p.messages.Add(messages)
	m.Step(messages, bytesIn, bytesOut)
}
