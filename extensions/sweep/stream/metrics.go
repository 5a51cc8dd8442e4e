package stream

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// The metrics of a sweep beside those of report.Figures. All are tagged with scenario, clients and,
// in an open-loop step, rate; all but those of clients and steps with op too.
const (
	MetricClientsDone = "sweep_clients_done" // Gauge: clients that have ended
	MetricOps         = "sweep_ops"          // Counter, tagged outcome: operations that have ended
	MetricFailed      = "sweep_failed"       // Counter: operations that failed
	MetricIncomplete  = "sweep_incomplete"   // Counter, of each step: 1 when it is incomplete, see report.Step
	MetricDuration    = "sweep_duration"     // Trend, ms: each successful operation, where raw samples are asked for
)

// The metrics of sweep.op under k6's own executors, tagged with op. Sweeps have none of them.
const (
	MetricOpDuration = "sweep_op_duration" // Trend, ms, tagged outcome: each operation
	MetricOpFailed   = "sweep_op_failed"   // Rate: the share of operations that failed
)

// MetadataError is the key of a failed operation's error in the metadata of its MetricOpDuration.
const MetadataError = "error"

// metricPrefix begins the name of each metric. The Gauge of a figure is it and the figure's key,
// such as sweep_p99.
const metricPrefix = "sweep_"

// metricOf is the name of the Gauge that a figure of a step, or of one of its seconds, goes out as.
func metricOf(f *report.Figure) string { return metricPrefix + f.Key }

// FigureOf returns the figure that goes out as the metric, or nil.
func FigureOf(metric string) *report.Figure {
	key, ours := strings.CutPrefix(metric, metricPrefix)
	if !ours {
		return nil
	}

	return report.FigureOf(key)
}

// OwnMetric tells whether a metric is a sweep's.
func OwnMetric(name string) bool {
	switch name {
	case MetricClientsDone, MetricOps, MetricFailed, MetricIncomplete, MetricDuration:
		return true
	default:
		return FigureOf(name) != nil
	}
}

// Metrics are the metrics of a sweep, as they are registered with k6.
type Metrics struct {
	// figures are those of report.Figures, in the same order.
	figures [len(report.Figures)]*metrics.Metric

	ClientsDone, Ops, Failed, Incomplete, Duration *metrics.Metric

	// OpDuration and OpFailed are those of sweep.op under k6's own executors.
	OpDuration, OpFailed *metrics.Metric
}

// Register makes the metrics known to the test, or finds them there: thresholds are checked before
// executors exist, so that a script which has thresholds on these metrics gets them from its import
// of k6/x/sweep.
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
	register(&m.Duration, MetricDuration, metrics.Trend, metrics.Time)
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
	if m.OpDuration, err = k6glue.NewDurations(registry, MetricOpDuration); err != nil {
		return nil, fmt.Errorf("metric %s: %w", MetricOpDuration, err)
	}
	if m.OpFailed, err = k6glue.NewShare(registry, MetricOpFailed); err != nil {
		return nil, fmt.Errorf("metric %s: %w", MetricOpFailed, err)
	}

	return m, nil
}

// Samples turns what was recorded of one kind of operation in a span of time into k6 samples.
// Without operations in that span there are no percentiles.
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

// The tag outcome of operations, and its values.
const (
	TagOutcome    = "outcome"
	OutcomeOK     = "ok"
	OutcomeFailed = "failed"
)

// Counts are the samples of how many operations have ended, and of how many of them failed.
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

// Op returns the samples of an operation of sweep.op outside of sweeps: how long it took, and
// whether it failed. The error is nil if it did not. The samples keep the tags and metadata.
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

// Medians are the samples of a step with its repeats: the median of each figure over those in which
// an operation succeeded.
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

// Push hands samples to k6 even when the test was interrupted: k6 takes them until the executors
// have ended.
func (m *Metrics) Push(out chan<- metrics.SampleContainer, samples metrics.Samples) {
	metrics.PushIfNotDone(context.Background(), out, samples)
}
