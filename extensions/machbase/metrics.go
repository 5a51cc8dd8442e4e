package machbase

import (
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/recent"
)

// The module's metrics. Tags: operation (connect, query, exec, prepare, append) and outcome (ok, or the error's kind).
const (
	metricOps      = "machbase_ops"         // Counter: operations
	metricDuration = "machbase_op_duration" // Trend, ms: their durations; not emitted in a sweep, which has its own
	metricRows     = "machbase_rows"        // Counter: rows read or appended

	// Of appenders, when the server has said so: at sync and close.
	metricAcknowledged = "machbase_rows_acknowledged" // Counter: rows that are in the table
	metricRejected     = "machbase_rows_rejected"     // Counter: rows that are not; tag reason is the server's code
)

// Operations, the values of the tag operation.
const (
	opConnect = "connect"
	opQuery   = "query"
	opExec    = "exec"
	opPrepare = "prepare"
	opAppend  = "append"
)

const outcomeOK = "ok"

// instruments emit the metrics of one VU.
type instruments struct {
	meter k6glue.Meter

	opsMetric, durationMetric, rowsMetric, rejectedMetric *metrics.Metric

	series                   recent.Map[seriesKey, opSeries]
	rejected                 map[string]k6glue.Series
	accepted, sent, received k6glue.Series
}

type seriesKey struct{ operation, outcome string }

type opSeries struct {
	ops, rows, duration k6glue.Series
}

func newInstruments(vu modules.VU) (instruments, error) {
	registry := vu.InitEnv().Registry
	builtin := vu.InitEnv().BuiltinMetrics

	i := instruments{meter: k6glue.NewMeter(vu), rejected: map[string]k6glue.Series{}}
	var err error
	if i.opsMetric, err = registry.NewMetric(metricOps, metrics.Counter); err != nil {
		return instruments{}, err
	}
	if i.durationMetric, err = k6glue.NewDurations(registry, metricDuration); err != nil {
		return instruments{}, err
	}
	if i.rowsMetric, err = registry.NewMetric(metricRows, metrics.Counter); err != nil {
		return instruments{}, err
	}
	if i.rejectedMetric, err = registry.NewMetric(metricRejected, metrics.Counter); err != nil {
		return instruments{}, err
	}
	acknowledged, err := registry.NewMetric(metricAcknowledged, metrics.Counter)
	if err != nil {
		return instruments{}, err
	}
	i.accepted = i.meter.Series(acknowledged)
	i.sent = i.meter.Series(builtin.DataSent)
	i.received = i.meter.Series(builtin.DataReceived)

	return i, nil
}

// record is what one call came to.
type record struct {
	operation, outcome string
	took               time.Duration
	rows               int64
	received, sent     uint64
}

// record counts one call.
func (i *instruments) record(r *record) {
	s := i.of(r.operation, r.outcome)
	i.meter.Add(s.ops, 1)
	i.meter.Add(s.rows, float64(r.rows))
	i.meter.Add(i.sent, float64(r.sent))
	i.meter.Add(i.received, float64(r.received))
	i.meter.Emit(k6glue.Duration{Series: s.duration, Took: r.took})
}

// acknowledged counts rows that the server took, and those that it rejected by the server's codes.
func (i *instruments) acknowledged(accepted int64, rejected map[string]int64) {
	i.meter.Add(i.accepted, float64(accepted))
	for reason, rows := range rejected {
		s, known := i.rejected[reason]
		if !known {
			s = i.meter.Series(i.rejectedMetric, [2]string{"reason", reason})
			i.rejected[reason] = s
		}
		i.meter.Add(s, float64(rows))
	}
	i.meter.Emit()
}

func (i *instruments) of(operation, outcome string) opSeries {
	key := seriesKey{operation, outcome}
	s, known := i.series.Get(key)
	if !known {
		tags := [][2]string{{"operation", operation}, {"outcome", outcome}}
		s = opSeries{
			ops:      i.meter.Series(i.opsMetric, tags...),
			rows:     i.meter.Series(i.rowsMetric, tags...),
			duration: i.meter.Series(i.durationMetric, tags...),
		}
		i.series.Put(key, s)
	}

	return s
}
