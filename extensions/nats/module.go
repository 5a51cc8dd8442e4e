package nats

import (
	"time"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// ImportPath is the name under which scripts import the module.
const ImportPath = "k6/x/nats"

// New returns the JavaScript module.
func New() modules.Module { return newModule(newShared(idleHint)) }

func newModule(shared *sharedByAll) modules.Module {
	return k6x.New(k6x.Definition{
		ErrorName: "NatsError", AsError: asError,
		Metrics: k6x.Metrics{
			Ops: metricOps, Duration: metricDuration, Counts: []string{metricMessagesSent, metricMessagesReceived},
			Bytes: []string{metricBytesSent, metricBytesReceived}, Tagged: []string{metricErrors},
		},
		Exports: func(in *k6x.Module) map[string]any {
			m := &module{Module: in, instruments: newInstruments(in), shared: shared}
			m.prototypes = m.newPrototypes()

			return map[string]any{
				"Client": m.newClient,
				"Nats":   m.newNats, // name in scripts for ydarias/xk6-nats

				"natsjsRows": m.Runtime().NewDynamicArray(&natsjsRows{m}),
			}
		},
	})
}

type sharedByAll struct {
	connections k6x.Shared[string, *sharedConnection]
	bench       workload.CacheShared
	idle        idle
}

func newShared(idleHint time.Duration) *sharedByAll {
	return &sharedByAll{idle: idle{after: idleHint}}
}

type module struct {
	*k6x.Module
	instruments

	shared     *sharedByAll
	prototypes prototypes
	passed     passed
}

type passed struct {
	sweep          *k6x.Session // the session that messages belongs to; nil at first
	messages       *measure.Counter
	sent, received uint64 // numbers of messages
}

// account adds to the step's report. A message that one client of the VU sends and another one
// receives counts once: the larger of the sums of sent and received messages counts.
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
