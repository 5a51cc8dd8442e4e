package nats

import (
	"slices"
	"time"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

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

type instruments struct {
	meter                                                    *k6x.Meter
	duration, errors, latency                                *metrics.Metric
	messagesSent, messagesReceived, bytesSent, bytesReceived *metrics.Metric
	operations                                               func(tags [][2]string, outcome string) k6x.Series
	series                                                   map[seriesKey]opSeries
	untagged                                                 *callSeries
	tagged                                                   map[string]*callSeries

	connects, reconnects, disconnects k6x.Series
}

type seriesKey struct{ operation, outcome, subject, tags string }

type opSeries struct {
	ops, duration k6x.Series
}

type callSeries struct {
	tags                                                              [][2]string
	kinds                                                             map[string]k6x.Series
	latency, messagesSent, messagesReceived, bytesSent, bytesReceived k6x.Series
}

func newInstruments(m *k6x.Module) instruments {
	must := func(metric *metrics.Metric, err error) *metrics.Metric {
		if err != nil {
			common.Throw(m.Runtime(), err)
		}

		return metric
	}
	meter, registry := m.Meter(), m.VU().InitEnv().Registry

	i := instruments{
		series: map[seriesKey]opSeries{}, tagged: map[string]*callSeries{},
		meter: meter, operations: m.Operations, duration: registry.Get(metricDuration), errors: registry.Get(metricErrors),
		latency:          must(registry.NewMetric(metricLatency, metrics.Trend, metrics.Time)),
		messagesSent:     must(registry.NewMetric(metricMessagesSent, metrics.Counter)),
		messagesReceived: must(registry.NewMetric(metricMessagesReceived, metrics.Counter)),
		bytesSent:        must(registry.NewMetric(metricBytesSent, metrics.Counter, metrics.Data)),
		bytesReceived:    must(registry.NewMetric(metricBytesReceived, metrics.Counter, metrics.Data)),
		connects:         m.Counter(metricConnects), reconnects: m.Counter(metricReconnects), disconnects: m.Counter(metricDisconnects),
	}
	i.untagged = i.newCallSeries(nil)

	return i
}

func (i *instruments) newCallSeries(tags [][2]string) *callSeries {
	return &callSeries{
		tags: tags, kinds: map[string]k6x.Series{}, latency: i.meter.Series(i.latency, tags...),
		messagesSent: i.meter.Series(i.messagesSent, tags...), messagesReceived: i.meter.Series(i.messagesReceived, tags...),
		bytesSent: i.meter.Series(i.bytesSent, tags...), bytesReceived: i.meter.Series(i.bytesReceived, tags...),
	}
}

func (i *instruments) call(tags *k6x.Tags) *callSeries {
	if tags == nil {
		return i.untagged
	}
	s, known := i.tagged[tags.Key()]
	if !known {
		s = i.newCallSeries(tags.Pairs())
		i.tagged[tags.Key()] = s
	}

	return s
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
	// many means that the call did many operations: times succeeded, lost counts the failed ones by
	// kind of error.
	many              bool
	times             int
	lost              map[string]int
	bytesIn, bytesOut uint64
	sent, received    volume
	// apart means that the call is not part of an operation of the sweep.
	apart bool
}

func (i *instruments) record(r *record) {
	s := i.add(r)
	i.meter.Emit(k6x.Timing{Series: s.duration, Took: r.took})
}

func (i *instruments) add(r *record) opSeries {
	outcome := k6x.OutcomeOK
	if r.err != nil {
		outcome = scriptError(r.err).Kind
	}
	call := i.call(r.tags)
	s := i.of(r, outcome, call)
	if !r.many {
		i.count(s, outcome, call, 1)
	} else {
		i.count(i.of(r, k6x.OutcomeOK, call), k6x.OutcomeOK, call, r.times)
		for kind, n := range r.lost {
			i.count(i.of(r, kind, call), kind, call, n)
		}
	}
	i.meter.Add(call.messagesSent, float64(r.sent.messages))
	i.meter.Add(call.bytesSent, float64(r.sent.bytes))
	i.meter.Add(call.messagesReceived, float64(r.received.messages))
	i.meter.Add(call.bytesReceived, float64(r.received.bytes))

	return s
}

func (i *instruments) count(s opSeries, outcome string, call *callSeries, n int) {
	i.meter.Add(s.ops, float64(n))
	if outcome != k6x.OutcomeOK {
		i.failed(outcome, call, float64(n))
	}
}

func (i *instruments) of(r *record, outcome string, call *callSeries) opSeries {
	key := seriesKey{operation: r.operation, outcome: outcome, subject: r.subject}
	if r.tags != nil {
		key.tags = r.tags.Key()
	}
	s, known := i.series[key]
	if !known {
		tags := append(slices.Clone(call.tags), [2]string{"op", r.operation})
		if r.subject != "" {
			tags = append(tags, [2]string{"subject", r.subject})
		}
		s = opSeries{
			ops:      i.operations(tags, outcome),
			duration: i.meter.Series(i.duration, append(tags, [2]string{"outcome", outcome})...),
		}
		i.series[key] = s
	}

	return s
}

func (i *instruments) failed(kind string, call *callSeries, times float64) {
	s, known := call.kinds[kind]
	if !known {
		s = i.meter.Series(i.errors, append(slices.Clone(call.tags), [2]string{"kind", kind})...)
		call.kinds[kind] = s
	}
	i.meter.Add(s, times)
}
