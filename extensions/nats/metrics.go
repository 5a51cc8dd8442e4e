package nats

import (
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/recent"
)

// The module's metrics. Tags: operation and outcome (ok, or the error's kind) and, with the option tagSubjects, subject.
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

const outcomeOK = "ok"

// instruments emit the metrics of one VU.
type instruments struct {
	meter   k6glue.Meter
	known   map[string]*metrics.Metric
	series  recent.Map[seriesKey, opSeries]
	errors  map[string]k6glue.Series
	plain   map[string]k6glue.Series // those without tags
	latency k6glue.Series

	messagesSent, messagesReceived, bytesSent, bytesReceived, dataSent, dataReceived k6glue.Series
}

type seriesKey struct{ operation, outcome, subject string }

type opSeries struct {
	ops, duration k6glue.Series
}

func newInstruments(vu modules.VU) (instruments, error) {
	i := instruments{
		meter: k6glue.NewMeter(vu), known: map[string]*metrics.Metric{},
		errors: map[string]k6glue.Series{}, plain: map[string]k6glue.Series{},
	}
	counters := []string{
		metricOps, metricErrors, metricMessagesSent, metricMessagesReceived, metricConnects, metricReconnects, metricDisconnects,
	}
	registry := vu.InitEnv().Registry
	register := func(kind metrics.MetricType, value metrics.ValueType, names ...string) error {
		for _, name := range names {
			metric, err := registry.NewMetric(name, kind, value)
			if err != nil {
				return err
			}
			i.known[name] = metric
		}

		return nil
	}
	durations, err := k6glue.NewDurations(registry, metricDuration)
	if err != nil {
		return instruments{}, err
	}
	i.known[metricDuration] = durations
	if err := register(metrics.Trend, metrics.Time, metricLatency); err != nil {
		return instruments{}, err
	}
	if err := register(metrics.Counter, metrics.Default, counters...); err != nil {
		return instruments{}, err
	}
	if err := register(metrics.Counter, metrics.Data, metricBytesSent, metricBytesReceived); err != nil {
		return instruments{}, err
	}
	for _, name := range []string{metricConnects, metricReconnects, metricDisconnects} {
		i.plain[name] = i.meter.Series(i.known[name])
	}
	i.latency = i.meter.Series(i.known[metricLatency])
	i.messagesSent, i.messagesReceived = i.meter.Series(i.known[metricMessagesSent]), i.meter.Series(i.known[metricMessagesReceived])
	i.bytesSent, i.bytesReceived = i.meter.Series(i.known[metricBytesSent]), i.meter.Series(i.known[metricBytesReceived])
	builtin := vu.InitEnv().BuiltinMetrics
	i.dataSent, i.dataReceived = i.meter.Series(builtin.DataSent), i.meter.Series(builtin.DataReceived)

	return i, nil
}

// tally is how many messages a call has sent or received, and the bytes of their data.
type tally struct {
	messages, bytes int
}

func (t *tally) add(data []byte) {
	t.messages++
	t.bytes += len(data)
}

// record is what one call came to.
type record struct {
	operation, subject string
	err                error
	took               time.Duration
	many               bool           // it stands for many operations, of which
	times              int            // so many were successful,
	lost               map[string]int // and so many have failed, by the kind of error
	sentBytes          uint64         // of the connection, while it was made
	receivedBytes      uint64
	sent, received     tally
	apart              bool // it belongs to no operation of a sweep
}

// record counts one call, and emits its duration.
func (i *instruments) record(r *record) {
	s := i.add(r)
	i.meter.Emit(k6glue.Duration{Series: s.duration, Took: r.took})
}

// add counts one call. One that stands for many operations counts each.
func (i *instruments) add(r *record) opSeries {
	outcome := outcomeOK
	if r.err != nil {
		outcome = asError(r.err).Kind
	}
	s := i.of(r.operation, outcome, r.subject)
	if !r.many {
		i.count(s, outcome, 1)
	} else {
		i.count(i.of(r.operation, outcomeOK, r.subject), outcomeOK, r.times)
		for kind, n := range r.lost {
			i.count(i.of(r.operation, kind, r.subject), kind, n)
		}
	}
	i.messages(r.sent, r.received)

	return s
}

func (i *instruments) count(s opSeries, outcome string, n int) {
	i.meter.Add(s.ops, float64(n))
	if outcome != outcomeOK {
		i.failed(outcome, float64(n))
	}
}

func (i *instruments) of(operation, outcome, subject string) opSeries {
	key := seriesKey{operation, outcome, subject}
	s, known := i.series.Get(key)
	if !known {
		tags := [][2]string{{"operation", operation}, {"outcome", outcome}}
		if subject != "" {
			tags = append(tags, [2]string{"subject", subject})
		}
		s = opSeries{ops: i.meter.Series(i.known[metricOps], tags...), duration: i.meter.Series(i.known[metricDuration], tags...)}
		i.series.Put(key, s)
	}

	return s
}

// failed counts errors by their kind.
func (i *instruments) failed(kind string, times float64) {
	s, known := i.errors[kind]
	if !known {
		s = i.meter.Series(i.known[metricErrors], [2]string{"kind", kind})
		i.errors[kind] = s
	}
	i.meter.Add(s, times)
}

func (i *instruments) messages(sent, received tally) {
	i.meter.Add(i.messagesSent, float64(sent.messages))
	i.meter.Add(i.bytesSent, float64(sent.bytes))
	i.meter.Add(i.messagesReceived, float64(received.messages))
	i.meter.Add(i.bytesReceived, float64(received.bytes))
}

// traffic counts bytes of the connection.
func (i *instruments) traffic(sent, received uint64) {
	i.meter.Add(i.dataSent, float64(sent))
	i.meter.Add(i.dataReceived, float64(received))
}
