package k6glue

import (
	"sync"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/recent"
)

// OutcomeOK is the outcome of an operation that did not fail.
const OutcomeOK = "ok"

// MetricNames are those of a module's metrics that have the tags operation and outcome.
type MetricNames struct {
	Ops      string   // Counter: operations
	Duration string   // Trend, ms: durations of calls, but in a sweep, which has its own; "" for none
	Counts   []string // Counters: what else is counted of operations, such as hits and misses
}

// Instruments are the metrics of a module in one VU, data_sent and data_received among them.
type Instruments struct {
	meter          Meter
	registry       *metrics.Registry
	ops, duration  *metrics.Metric
	counts         []*metrics.Metric
	series         recent.Map[seriesKey, opSeries]
	sent, received Series
}

type seriesKey struct{ operation, outcome string }

type opSeries struct {
	ops, duration Series
	counts        Series // the first of them, in their order
}

// singleDurations has the names of the metrics of single durations.
var singleDurations sync.Map //nolint:gochecknoglobals // a module's name of it is always the same

// NewDurations registers a Trend of single durations that go through Meter.Emit.
func NewDurations(registry *metrics.Registry, name string) (*metrics.Metric, error) {
	singleDurations.Store(name, nil)

	return registry.NewMetric(name, metrics.Trend, metrics.Time)
}

// SentInSweep tells whether a metric has samples in a sweep. Those of NewDurations have none.
func SentInSweep(metric string) bool {
	_, single := singleDurations.Load(metric)

	return !single
}

// NewInstruments registers the metrics. It is for the init context. The error is that of a name that has another type.
func NewInstruments(vu modules.VU, names MetricNames) (*Instruments, error) {
	env := vu.InitEnv()
	i := &Instruments{meter: NewMeter(vu), registry: env.Registry}
	var err error
	if i.ops, err = i.registry.NewMetric(names.Ops, metrics.Counter); err != nil {
		return nil, err
	}
	if names.Duration != "" {
		if i.duration, err = NewDurations(i.registry, names.Duration); err != nil {
			return nil, err
		}
	}
	for _, name := range names.Counts {
		metric, err := i.registry.NewMetric(name, metrics.Counter)
		if err != nil {
			return nil, err
		}
		i.counts = append(i.counts, metric)
	}
	i.sent = i.meter.Series(env.BuiltinMetrics.DataSent)
	i.received = i.meter.Series(env.BuiltinMetrics.DataReceived)

	return i, nil
}

// Counter registers a Counter of the module without tags of its own, for Add.
func (i *Instruments) Counter(name string) (Series, error) {
	metric, err := i.registry.NewMetric(name, metrics.Counter)
	if err != nil {
		return 0, err
	}

	return i.meter.Series(metric), nil
}

// Add counts n of a Counter's.
func (i *Instruments) Add(counter Series, n float64) { i.meter.Add(counter, n) }

// Count counts one operation, and what else is counted of it in the order of MetricNames.Counts.
func (i *Instruments) Count(operation, outcome string, counts ...int) {
	s := i.of(operation, outcome)
	i.meter.Add(s.ops, 1)
	for at, n := range counts {
		i.meter.Add(s.counts+Series(at), float64(n))
	}
}

// Traffic counts bytes.
func (i *Instruments) Traffic(received, sent uint64) {
	i.meter.Add(i.received, float64(received))
	i.meter.Add(i.sent, float64(sent))
}

// Emit sends what was counted: see Meter.Emit.
func (i *Instruments) Emit() { i.meter.Emit() }

// Elapsed is told how long each of many operations has taken: see Meter.Elapsed.
func (i *Instruments) Elapsed(took time.Duration) { i.meter.Elapsed(took) }

// EmitDuration sends what was counted, and how long the call took in which it was. There must be a metric of durations.
func (i *Instruments) EmitDuration(operation, outcome string, took time.Duration) {
	i.meter.Emit(Duration{Series: i.of(operation, outcome).duration, Took: took})
}

func (i *Instruments) of(operation, outcome string) opSeries {
	key := seriesKey{operation, outcome}
	s, known := i.series.Get(key)
	if !known {
		series := func(metric *metrics.Metric) Series {
			return i.meter.Series(metric, [2]string{"operation", operation}, [2]string{"outcome", outcome})
		}
		s = opSeries{ops: series(i.ops)}
		s.counts = s.ops + 1
		for _, metric := range i.counts {
			series(metric)
		}
		if i.duration != nil {
			s.duration = series(i.duration)
		}
		i.series.Put(key, s)
	}

	return s
}
