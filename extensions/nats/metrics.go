package nats

import (
	"slices"
	"time"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/recent"
)

// The module's metrics. Tags: op and outcome (ok, or the error's kind) and, with the option
// tagSubjects, subject; besides, those that the script gives to a call.
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
	metricReconnects       = "nats_reconnects"        // Counter: connections that were made again after they broke
	metricDisconnects      = "nats_disconnects"       // Counter: connections that broke
)

// instruments are the metrics of one VU with tags of their own, and those without tags.
type instruments struct {
	meter                                                    *k6glue.Meter
	duration, errors, latency                                *metrics.Metric
	messagesSent, messagesReceived, bytesSent, bytesReceived *metrics.Metric
	// operations returns a series of operations with the tags and the outcome.
	operations func(tags [][2]string, outcome string) k6glue.Series
	series     recent.Map[seriesKey, opSeries]
	// untagged are the series of calls without tags, tagged those of others, by their tags.
	untagged *callSeries
	tagged   recent.Map[string, *callSeries]

	connects, reconnects, disconnects k6glue.Series
}

type seriesKey struct{ operation, outcome, subject, tags string }

type opSeries struct {
	ops, duration k6glue.Series
}

// callSeries are the series that all calls with the same tags have in common.
type callSeries struct {
	tags [][2]string
	// kinds are the Counters of errors.
	kinds                                                             map[string]k6glue.Series
	latency, messagesSent, messagesReceived, bytesSent, bytesReceived k6glue.Series
}

func newInstruments(m *k6mod.Module) instruments {
	must := func(metric *metrics.Metric, err error) *metrics.Metric {
		if err != nil {
			common.Throw(m.Runtime(), err)
		}

		return metric
	}
	meter, registry := m.Meter(), m.VU().InitEnv().Registry

	i := instruments{
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
		tags: tags, kinds: map[string]k6glue.Series{}, latency: i.meter.Series(i.latency, tags...),
		messagesSent: i.meter.Series(i.messagesSent, tags...), messagesReceived: i.meter.Series(i.messagesReceived, tags...),
		bytesSent: i.meter.Series(i.bytesSent, tags...), bytesReceived: i.meter.Series(i.bytesReceived, tags...),
	}
}

// call are the series of calls with the tags, which are nil for none.
func (i *instruments) call(tags *k6mod.Tags) *callSeries {
	if tags == nil {
		return i.untagged
	}
	s, known := i.tagged.Get(tags.Key())
	if !known {
		s = i.newCallSeries(tags.Pairs())
		i.tagged.Put(tags.Key(), s)
	}

	return s
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
	// tags are those that the script has given to the call; nil for none.
	tags *k6mod.Tags
	err  error
	took time.Duration
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
	call := i.call(r.tags)
	s := i.of(r, outcome, call)
	if !r.many {
		i.count(s, outcome, call, 1)
	} else {
		i.count(i.of(r, k6mod.OutcomeOK, call), k6mod.OutcomeOK, call, r.times)
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
	if outcome != k6mod.OutcomeOK {
		i.failed(outcome, call, float64(n))
	}
}

func (i *instruments) of(r *record, outcome string, call *callSeries) opSeries {
	key := seriesKey{operation: r.operation, outcome: outcome, subject: r.subject}
	if r.tags != nil {
		key.tags = r.tags.Key()
	}
	s, known := i.series.Get(key)
	if !known {
		tags := append(slices.Clone(call.tags), [2]string{"op", r.operation})
		if r.subject != "" {
			tags = append(tags, [2]string{"subject", r.subject})
		}
		s = opSeries{
			ops:      i.operations(tags, outcome),
			duration: i.meter.Series(i.duration, append(tags, [2]string{"outcome", outcome})...),
		}
		i.series.Put(key, s)
	}

	return s
}

// failed counts errors by their kind.
func (i *instruments) failed(kind string, call *callSeries, times float64) {
	s, known := call.kinds[kind]
	if !known {
		s = i.meter.Series(i.errors, append(slices.Clone(call.tags), [2]string{"kind", kind})...)
		call.kinds[kind] = s
	}
	i.meter.Add(s, times)
}
