package stream

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Metrics of a sweep in addition to report.Figures. Tags are scenario, clients, rate in an open
// loop, and op except for clients and steps.
const (
	MetricClientsDone = "sweep_clients_done" // Gauge: clients that have ended
	MetricOps         = "sweep_ops"          // Counter, tagged outcome: finished operations
	MetricFailed      = "sweep_failed"       // Counter: failed operations
	MetricIncomplete  = "sweep_incomplete"   // Counter per step: 1 if incomplete, see report.Step
)

// Metrics of sweep.op under k6's own executors, tagged op. Sweeps do not use them.
const (
	MetricOpDuration = "sweep_op_duration" // Trend, ms, tagged outcome: each operation
	MetricOpFailed   = "sweep_op_failed"   // Rate: failed operations
)

// MetadataError is the metadata key of a failed operation's error.
const MetadataError = "error"

// metricPrefix and a figure's key form a Gauge's name, such as sweep_p99.
const metricPrefix = "sweep_"

func metricOf(f *report.Figure) string { return metricPrefix + f.Key }

// FigureOf returns the figure of a Gauge, or nil.
func FigureOf(metric string) *report.Figure {
	key, ours := strings.CutPrefix(metric, metricPrefix)
	if !ours {
		return nil
	}

	return report.FigureOf(key)
}

// OwnMetric reports whether a metric belongs to sweeps.
func OwnMetric(name string) bool {
	switch name {
	case MetricClientsDone, MetricOps, MetricFailed, MetricIncomplete:
		return true
	default:
		return FigureOf(name) != nil
	}
}

// Metrics are the registered metrics of a sweep.
type Metrics struct {
	// figures has the order of report.Figures.
	figures [len(report.Figures)]*metrics.Metric

	ClientsDone, Ops, Failed, Incomplete *metrics.Metric

	// OpDuration and OpFailed are metrics of sweep.op under k6's own executors.
	OpDuration, OpFailed *metrics.Metric
}

// Register registers the metrics, or returns the registered ones. k6 checks thresholds before
// executors exist, so importing k6/x/sweep registers them too.
func Register(registry *metrics.Registry) (*Metrics, error) {
	m := &Metrics{}
	var failed error
	register := func(into **metrics.Metric, name string, kind metrics.MetricType, contains metrics.ValueType) {
		registered, err := registry.NewMetric(name, kind, contains)
		if err != nil && failed == nil {
			failed = fmt.Errorf("metric %s: %w", name, err)
		}
		*into = registered
	}
	register(&m.ClientsDone, MetricClientsDone, metrics.Gauge, metrics.Default)
	register(&m.Ops, MetricOps, metrics.Counter, metrics.Default)
	register(&m.Failed, MetricFailed, metrics.Counter, metrics.Default)
	register(&m.Incomplete, MetricIncomplete, metrics.Counter, metrics.Default)
	for i := range report.Figures {
		f := &report.Figures[i]
		contains := metrics.Time
		if f.Rate {
			contains = metrics.Default
		}
		register(&m.figures[i], metricOf(f), metrics.Gauge, contains)
	}
	if failed != nil {
		return nil, failed
	}
	var err error
	if m.OpDuration, err = k6x.NewDurations(registry, MetricOpDuration); err != nil {
		return nil, fmt.Errorf("metric %s: %w", MetricOpDuration, err)
	}
	if m.OpFailed, err = k6x.NewShare(registry, MetricOpFailed); err != nil {
		return nil, fmt.Errorf("metric %s: %w", MetricOpFailed, err)
	}

	return m, nil
}

// Samples returns the samples of one operation in a time span. Without operations there are no
// percentiles.
func (m *Metrics) Samples(
	tags *metrics.TagSet, at time.Time, span *measure.Totals, opsPerSecond float64,
) metrics.Samples {
	var out metrics.Samples
	add := func(metric *metrics.Metric, value float64) {
		out = append(out, metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: metric, Tags: tags}, Time: at, Value: value,
		})
	}

	d := &span.Durations
	step := report.Step{OpsPerSecond: opsPerSecond, Latency: report.Latency(d)}
	for i := range report.Figures {
		if f := &report.Figures[i]; f.Rate || d.Count > 0 {
			add(m.figures[i], f.Of(&step))
		}
	}

	return out
}

// Tag outcome and its values.
const (
	TagOutcome    = "outcome"
	OutcomeOK     = "ok"
	OutcomeFailed = "failed"
)

// Counts returns the samples of finished and failed operations.
func (m *Metrics) Counts(tags *metrics.TagSet, at time.Time, span *measure.Totals) metrics.Samples {
	count := func(metric *metrics.Metric, tags *metrics.TagSet, n uint64) metrics.Sample {
		return metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: metric, Tags: tags}, Time: at, Value: float64(n)}
	}

	return metrics.Samples{
		count(m.Ops, tags.With(TagOutcome, OutcomeOK), uint64(span.Durations.Count)),
		count(m.Ops, tags.With(TagOutcome, OutcomeFailed), span.Failed),
		count(m.Failed, tags, span.Failed),
	}
}

// Op returns the samples of an operation of sweep.op outside sweeps, with its tags and metadata.
// err is nil on success.
func (m *Metrics) Op(of metrics.TagsAndMeta, at time.Time, op string, took time.Duration, err error) metrics.Samples {
	tags, outcome, failed := of.Tags.With("op", op), OutcomeOK, 0.0
	if err != nil {
		outcome, failed = OutcomeFailed, 1
		of.SetMetadata(MetadataError, err.Error())
	}
	duration := metrics.TimeSeries{Metric: m.OpDuration, Tags: tags.With(TagOutcome, outcome)}

	return metrics.Samples{
		{TimeSeries: duration, Time: at, Value: metrics.D(took), Metadata: of.Metadata},
		{TimeSeries: metrics.TimeSeries{Metric: m.OpFailed, Tags: tags}, Time: at, Value: failed, Metadata: of.Metadata},
	}
}

// Medians returns the samples of a step with repeats: the median of each figure over repeats with a
// successful operation.
func (m *Metrics) Medians(tags *metrics.TagSet, at time.Time, step *report.Group) (samples metrics.Samples) {
	for i := range report.Figures {
		f, of := &report.Figures[i], *step
		if !f.Rate {
			of = step.Succeeded()
		}
		if len(of.Steps) > 0 {
			samples = append(samples, metrics.Sample{
				TimeSeries: metrics.TimeSeries{Metric: m.figures[i], Tags: tags}, Time: at, Value: report.Median(of.Values(f.Of)),
			})
		}
	}

	return samples
}

// Push sends samples even after an interruption: k6 accepts them until the executors have ended.
func (m *Metrics) Push(out chan<- metrics.SampleContainer, samples metrics.Samples) {
	metrics.PushIfNotDone(context.Background(), out, samples)
}
