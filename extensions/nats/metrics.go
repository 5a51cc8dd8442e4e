package nats

import (
	"time"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/recent"
)

// The module's metrics. Tags: operation and outcome (ok, or the error's kind) and, with the option
// tagSubjects, subject.
const (
	metricOps              = "nats_ops"               // Counter: operations
	metricDuration         = "nats_op_duration"       // Trend, ms: their durations; not emitted in a sweep, which has its own
	metricErrors           = "nats_errors"            // Counter: operations that failed, and what went wrong by itself; tag kind
	metricMessagesSent     = "nats_messages_sent"     // Counter
	metricMessagesReceived = "nats_messages_received" // Counter: messages that have reached the script
	metricBytesSent        = "nats_bytes_sent"        // Counter, bytes: of the sent messages' data
	metricBytesReceived    = "nats_bytes_received"    // Counter, bytes: of the received messages' data
	metricLatency          = "nats_delivery_latency"  // Trend, ms: from being sent, or stored in a stream, to the script
	metricConnects         = "nats_connects"          // Counter
	metricReconnects       = "nats_reconnects"        // Counter: connections that nats.go has made again
	metricDisconnects      = "nats_disconnects"       // Counter: connections that broke
)

// instruments are the metrics of one VU with tags of their own, and those without tags.
type instruments struct {
	meter                 *k6glue.Meter
	ops, duration, errors *metrics.Metric
	series                recent.Map[seriesKey, opSeries]
	// kinds are the Counters of errors.
	kinds map[string]k6glue.Series

	latency, connects, reconnects, disconnects               k6glue.Series
	messagesSent, messagesReceived, bytesSent, bytesReceived k6glue.Series
}

type seriesKey struct{ operation, outcome, subject string }

type opSeries struct {
	ops, duration k6glue.Series
}

func newInstruments(m *k6mod.Module) instruments {
	must := func(metric *metrics.Metric, err error) *metrics.Metric {
		if err != nil {
			common.Throw(m.Runtime(), err)
		}

		return metric
	}
	meter, registry := m.Meter(), m.VU().InitEnv().Registry

	return instruments{
		meter: meter, kinds: map[string]k6glue.Series{},
		ops: registry.Get(metricOps), duration: registry.Get(metricDuration), errors: registry.Get(metricErrors),
		latency:  meter.Series(must(registry.NewMetric(metricLatency, metrics.Trend, metrics.Time))),
		connects: m.Counter(metricConnects), reconnects: m.Counter(metricReconnects), disconnects: m.Counter(metricDisconnects),
		messagesSent: m.Counter(metricMessagesSent), messagesReceived: m.Counter(metricMessagesReceived),
		bytesSent:     meter.Series(must(registry.NewMetric(metricBytesSent, metrics.Counter, metrics.Data))),
		bytesReceived: meter.Series(must(registry.NewMetric(metricBytesReceived, metrics.Counter, metrics.Data))),
	}
}

// volume is how many messages a call has sent or received, and the bytes of their data.
type volume struct {
	messages, bytes int
}

func (v *volume) add(data []byte) {
	v.messages++
	v.bytes += len(data)
}

// record is what is to be recorded of one call.
type record struct {
	operation, subject string
	err                error
	took               time.Duration
	// many tells that it stands for many operations: times of them were successful, and lost are
	// those that have failed, by the kind of error.
	many  bool
	times int
	lost  map[string]int
	// bytesIn and bytesOut are those that making the connection took.
	bytesIn, bytesOut uint64
	sent, received    volume
	// apart tells that it belongs to no operation of a sweep.
	apart bool
}

// record counts one call, and emits its duration.
func (i *instruments) record(r *record) {
	s := i.add(r)
	i.meter.Emit(k6glue.Duration{Series: s.duration, Took: r.took})
}

// add counts one call. One that stands for many operations counts each.
func (i *instruments) add(r *record) opSeries {
	outcome := k6mod.OutcomeOK
	if r.err != nil {
		outcome = told(r.err).Kind
	}
	s := i.of(r.operation, outcome, r.subject)
	if !r.many {
		i.count(s, outcome, 1)
	} else {
		i.count(i.of(r.operation, k6mod.OutcomeOK, r.subject), k6mod.OutcomeOK, r.times)
		for kind, n := range r.lost {
			i.count(i.of(r.operation, kind, r.subject), kind, n)
		}
	}
	i.messages(r.sent, r.received)

	return s
}

func (i *instruments) count(s opSeries, outcome string, n int) {
	i.meter.Add(s.ops, float64(n))
	if outcome != k6mod.OutcomeOK {
		i.failed(outcome, float64(n))
	}
}

func (i *instruments) of(operation, outcome, subject string) opSeries {
	key := seriesKey{operation, outcome, subject}
	s, known := i.series.Get(key)
	if !known {
		tags := [][2]string{{"op", operation}, {"outcome", outcome}}
		if subject != "" {
			tags = append(tags, [2]string{"subject", subject})
		}
		s = opSeries{ops: i.meter.Series(i.ops, tags...), duration: i.meter.Series(i.duration, tags...)}
		i.series.Put(key, s)
	}

	return s
}

// failed counts errors by their kind.
func (i *instruments) failed(kind string, times float64) {
	s, known := i.kinds[kind]
	if !known {
		s = i.meter.Series(i.errors, [2]string{"kind", kind})
		i.kinds[kind] = s
	}
	i.meter.Add(s, times)
}

func (i *instruments) messages(sent, received volume) {
	i.meter.Add(i.messagesSent, float64(sent.messages))
	i.meter.Add(i.bytesSent, float64(sent.bytes))
	i.meter.Add(i.messagesReceived, float64(received.messages))
	i.meter.Add(i.bytesReceived, float64(received.bytes))
}
