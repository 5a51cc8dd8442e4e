package machbase

import (
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// The module's metrics. Tags: operation (connect, query, exec, prepare, append) and outcome (ok, or the error's kind).
const (
	metricOps      = "machbase_ops"         // Counter: operations
	metricDuration = "machbase_op_duration" // Trend, ms: their durations; not emitted in a sweep, which has its own
	metricRows     = "machbase_rows"        // Counter: rows read or appended
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
	meter *k6glue.Meter

	opsMetric, durationMetric, rowsMetric *metrics.Metric

	series         map[seriesKey]*opSeries
	sent, received *k6glue.Series
}

type seriesKey struct{ operation, outcome string }

type opSeries struct {
	ops, rows, duration *k6glue.Series
}

func newInstruments(vu modules.VU) (*instruments, error) {
	registry := vu.InitEnv().Registry
	builtin := vu.InitEnv().BuiltinMetrics

	i := &instruments{meter: k6glue.NewMeter(vu), series: map[seriesKey]*opSeries{}}
	var err error
	if i.opsMetric, err = registry.NewMetric(metricOps, metrics.Counter); err != nil {
		return nil, err
	}
	if i.durationMetric, err = registry.NewMetric(metricDuration, metrics.Trend, metrics.Time); err != nil {
		return nil, err
	}
	if i.rowsMetric, err = registry.NewMetric(metricRows, metrics.Counter); err != nil {
		return nil, err
	}
	i.sent = i.meter.Series(builtin.DataSent)
	i.received = i.meter.Series(builtin.DataReceived)

	return i, nil
}

// record counts one operation.
func (i *instruments) record(operation, outcome string, took time.Duration, rows int64, received, sent uint64) {
	s := i.of(operation, outcome)
	i.meter.Add(s.ops, 1)
	i.meter.Add(s.rows, float64(rows))
	i.meter.Add(i.sent, float64(sent))
	i.meter.Add(i.received, float64(received))
	i.meter.Emit(k6glue.Duration{Series: s.duration, Took: took})
}

func (i *instruments) of(operation, outcome string) *opSeries {
	key := seriesKey{operation, outcome}
	s := i.series[key]
	if s == nil {
		tags := [][2]string{{"operation", operation}, {"outcome", outcome}}
		s = &opSeries{
			ops:      i.meter.Series(i.opsMetric, tags...),
			rows:     i.meter.Series(i.rowsMetric, tags...),
			duration: i.meter.Series(i.durationMetric, tags...),
		}
		i.series[key] = s
	}

	return s
}
