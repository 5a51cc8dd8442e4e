package nats

import (
	"time"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"

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

// The module's metrics. Tags: op and outcome (ok, or the error's kind), subject with the option
// tagSubjects, and the tags of the call.
const (
	metricOps              = "nats_ops"               // Counter: operations
	metricDuration         = "nats_op_duration"       // Trend, ms: durations of operations; not in a sweep
	metricErrors           = "nats_errors"            // Counter: failed operations, and errors outside of operations; tag kind
	metricMessagesSent     = "nats_messages_sent"     // Counter
	metricMessagesReceived = "nats_messages_received" // Counter: messages passed to the script
	metricBytesSent        = "nats_bytes_sent"        // Counter, bytes: data of sent messages
	metricBytesReceived    = "nats_bytes_received"    // Counter, bytes: data of received messages
	metricLatency          = "nats_delivery_latency"  // Trend, ms: from sending, or storing in a stream, to the script
	metricConnects         = "nats_connects"          // Counter
	metricReconnects       = "nats_reconnects"        // Counter: restored connections
	metricDisconnects      = "nats_disconnects"       // Counter: broken connections
)

// instruments are the metrics that k6x does not have.
type instruments struct {
	errors, latency                   *metrics.Metric
	known                             map[seriesKey]k6x.Series
	connects, reconnects, disconnects k6x.Series
}

type seriesKey struct {
	metric     *metrics.Metric
	kind, tags string
}

func newInstruments(m *k6x.Module) instruments {
	registry := m.VU().InitEnv().Registry
	latency, err := registry.NewMetric(metricLatency, metrics.Trend, metrics.Time)
	if err != nil {
		common.Throw(m.Runtime(), err)
	}

	return instruments{
		errors: registry.Get(metricErrors), latency: latency, known: map[seriesKey]k6x.Series{},
		connects: m.Counter(metricConnects), reconnects: m.Counter(metricReconnects), disconnects: m.Counter(metricDisconnects),
	}
}

type volume struct {
	messages, bytes int
}

func (v *volume) add(data []byte) {
	v.messages++
	v.bytes += len(data)
}

type record struct {
	operation, subject string
	tags               *k6x.Tags
	err                error
	took               time.Duration
	// many means that the call did an operation for each sent message; lost counts the failed ones
	// by kind of error.
	many              bool
	lost              map[string]int
	bytesIn, bytesOut uint64
	sent, received    volume
	// apart means that the call is not part of an operation of the sweep.
	apart bool
}

func (m *module) record(r *record) {
	m.count(r)
	m.EmitDuration(r.operation, r.err, r.took)
}

// count sets the tags of the record, and counts its operations.
func (m *module) count(r *record) {
	var tags k6x.Tags
	if r.tags != nil {
		tags = *r.tags
	}
	if r.subject != "" {
		tags = tags.With("subject", r.subject)
	}
	m.Tag(tags)
	if r.err != nil && !r.many {
		m.failed(scriptError(r.err).Kind, r.tags)
	}
	counts := [...]int{r.sent.messages, r.received.messages, r.sent.bytes, r.received.bytes}
	if r.many {
		m.CountAll(r.operation, r.sent.messages, counts[:]...)
	} else {
		m.Count(r.operation, r.err, counts[:]...)
	}
	for kind, n := range r.lost {
		for range n {
			m.Count(r.operation, k6x.Errorf(kind, "lost"))
			m.failed(kind, r.tags)
		}
	}
}

func (m *module) failed(kind string, tags *k6x.Tags) {
	m.Add(m.series(m.errors, tags, [2]string{"kind", kind}), 1)
}

// series returns a metric's series with the tags of a call, and further ones.
func (m *module) series(metric *metrics.Metric, tags *k6x.Tags, further ...[2]string) k6x.Series {
	key := seriesKey{metric: metric}
	var pairs [][2]string
	if tags != nil {
		key.tags, pairs = tags.Key(), tags.Pairs()
	}
	for _, pair := range further {
		key.kind = pair[1]
	}
	s, known := m.known[key]
	if !known {
		s = m.Series(metric, append(pairs[:len(pairs):len(pairs)], further...)...)
		m.known[key] = s
	}

	return s
}

func init() { //nolint:gochecknoinits // k6 extensions register in init
	modules.Register(ImportPath, New())
}
