package k6mod

import (
	"slices"
	"strings"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/recent"
)

// Tags of the module's metrics.
const (
	tagOp      = "op"
	tagOutcome = "outcome"
)

// OutcomeOK is the outcome of an operation that did not fail.
const OutcomeOK = "ok"

// Metrics are the names of a module's metrics that have the tags op and outcome (ok, or the
// error's kind).
type Metrics struct {
	// Ops is a Counter of operations, such as cache_ops. Outside of sweeps there is also a Rate, the
	// share of them that failed, such as cache_failed, without the tag outcome.
	Ops string
	// Duration is a Trend of the durations of calls in milliseconds, but in a sweep, which has its
	// own. It is "" for none.
	Duration string
	// Counts are Counters of what else is counted of operations, such as hits and misses.
	Counts []string
	// Tagged are Counters whose series have tags of their own: see Module.Counter.
	Tagged []string
}

// Instruments are the metrics of a module in one VU, data_sent and data_received among them, and
// what a sweep reports of its step.
type Instruments struct {
	// What each operation reads and writes comes first, side by side.

	// tags are those of the call under way.
	tags           Tags
	sent, received k6glue.Series
	series         recent.Map[seriesKey, opSeries]
	meter          k6glue.Meter
	step           step

	registry      *metrics.Registry
	kind          func(error) string
	ops, duration *metrics.Metric
	failed        *metrics.Metric
	counts        []*metrics.Metric
}

type seriesKey struct{ operation, outcome, tags string }

type opSeries struct {
	ops, duration k6glue.Series
	// counts is the first of them; the others follow it, in their order.
	counts k6glue.Series
}

// NewInstruments registers the metrics. It is for the init context. The error is that of a name
// that has another type. kind is that of an operation's error.
func NewInstruments(vu modules.VU, names *Metrics, kind func(error) string) (*Instruments, error) {
	env := vu.InitEnv()
	i := &Instruments{meter: k6glue.NewMeter(vu), registry: env.Registry, kind: kind}
	var err error
	if i.ops, err = i.registry.NewMetric(names.Ops, metrics.Counter); err != nil {
		return nil, err
	}
	if i.failed, err = k6glue.NewShare(i.registry, failedOf(names.Ops)); err != nil {
		return nil, err
	}
	if names.Duration != "" {
		if i.duration, err = k6glue.NewDurations(i.registry, names.Duration); err != nil {
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
	for _, name := range names.Tagged {
		if _, err := i.registry.NewMetric(name, metrics.Counter); err != nil {
			return nil, err
		}
	}
	i.sent = i.meter.Series(env.BuiltinMetrics.DataSent)
	i.received = i.meter.Series(env.BuiltinMetrics.DataReceived)

	return i, nil
}

// failedOf is the name of the Rate of operations that failed, by that of the Counter of operations.
func failedOf(ops string) string { return strings.TrimSuffix(ops, "_ops") + "_failed" }

// isFailure tells whether operations with this outcome have failed. Those that the end of the test
// has cut off have not.
func isFailure(outcome string) bool { return outcome != OutcomeOK && outcome != KindCancelled }

func (i *Instruments) counter(name string, tags ...[2]string) (k6glue.Series, error) {
	metric, err := i.registry.NewMetric(name, metrics.Counter)
	if err != nil {
		return 0, err
	}

	return i.meter.Series(metric, tags...), nil
}

// Meter is that of the instruments, for metrics of the module's own that are no Counters.
func (i *Instruments) Meter() *k6glue.Meter { return &i.meter }

// Add counts n of a Counter's.
func (i *Instruments) Add(counter k6glue.Series, n float64) { i.meter.Add(counter, n) }

// Tag gives the tags of a call to what Count, EmitDuration and Elapsed count of it: until Tag is
// called again, with the zero value where there are none.
func (i *Instruments) Tag(tags Tags) { i.tags = tags }

// Count counts one operation, which has ended with the error or nil, and what else is counted of
// it, in the order of Metrics.Counts.
func (i *Instruments) Count(operation string, err error, counts ...int) {
	s := i.of(operation, err)
	i.meter.Add(s.ops, 1)
	for at, n := range counts {
		i.meter.Add(s.counts+k6glue.Series(at), float64(n))
	}
}

// CountAll counts so many operations that succeeded, and what else is counted of all of them.
func (i *Instruments) CountAll(operation string, operations int, counts ...int) {
	s := i.of(operation, nil)
	i.meter.Add(s.ops, float64(operations))
	for at, n := range counts {
		i.meter.Add(s.counts+k6glue.Series(at), float64(n))
	}
}

// Traffic counts bytes for k6. Step counts them for the sweep.
func (i *Instruments) Traffic(received, sent uint64) {
	i.meter.Add(i.received, float64(received))
	i.meter.Add(i.sent, float64(sent))
}

// Emit sends what was counted: see Meter.Emit.
func (i *Instruments) Emit() { i.meter.Emit() }

// Elapsed is told how long each of many operations has taken: see Meter.Elapsed.
func (i *Instruments) Elapsed(took time.Duration) { i.meter.Elapsed(took) }

// EmitDuration sends what was counted, and how long the call took in which it was. There must be a
// metric of durations.
func (i *Instruments) EmitDuration(operation string, err error, took time.Duration) {
	i.meter.Emit(k6glue.Duration{Series: i.of(operation, err).duration, Took: took})
}

// Operations returns a series of operations with the outcome, which counts in the Rate of those
// that failed as well. Tags are pairs of name and value, op among them.
func (i *Instruments) Operations(tags [][2]string, outcome string) k6glue.Series {
	tags = slices.Clone(tags)
	s := i.meter.Series(i.ops, append(tags, [2]string{tagOutcome, outcome})...)
	i.meter.Share(s, i.failed, isFailure(outcome), tags...)

	return s
}

func (i *Instruments) of(operation string, err error) opSeries {
	outcome := OutcomeOK
	if err != nil {
		outcome = i.kind(err)
	}
	key := seriesKey{operation, outcome, i.tags.key}
	s, known := i.series.Get(key)
	if !known {
		tags := append(slices.Clone(i.tags.pairs), [2]string{tagOp, operation})
		s = opSeries{ops: i.Operations(tags, outcome)}
		tags = append(tags, [2]string{tagOutcome, outcome})
		series := func(metric *metrics.Metric) k6glue.Series {
			return i.meter.Series(metric, tags...)
		}
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
