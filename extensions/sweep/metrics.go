package sweep

import (
	"context"
	"fmt"
	"time"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// The metrics of a sweep. All but that of gates are tagged with scenario, clients and, in an open-loop step, rate; all but
// those of clients, steps and gates with op too.
const (
	metricOpsPerSecond = "sweep_ops_per_second" // Gauge: successful operations a second
	metricP50          = "sweep_p50"            // Gauges: percentiles of the successful operations, ms
	metricP90          = "sweep_p90"
	metricP95          = "sweep_p95"
	metricP99          = "sweep_p99"
	metricP999         = "sweep_p999"
	metricMax          = "sweep_max"          // Gauge: longest operation, ms
	metricMean         = "sweep_mean"         // Gauge: average operation, ms
	metricClientsDone  = "sweep_clients_done" // Gauge: clients that have ended
	metricOps          = "sweep_ops"          // Counter: successful operations
	metricFailed       = "sweep_failed"       // Counter: failed operations
	metricIncomplete   = "sweep_incomplete"   // Counter: steps in which not every client did its whole share
	metricGate         = "sweep_gate"         // Gauge, tagged scenario and gate: 1 when the gate held, 0 when it was crossed
	metricDuration     = "sweep_duration"     // Trend, ms: each successful operation, where raw samples are asked for
)

type sweepMetrics struct {
	opsPerSecond, p50, p90, p95, p99, p999, max, mean, clientsDone *metrics.Metric

	ops, failed, incomplete, gate, duration *metrics.Metric
}

// registerMetrics makes the metrics known to the test, or finds them there: thresholds are checked before executors
// exist, so that a script which has thresholds on these metrics gets them from its import of k6/x/sweep.
func registerMetrics(registry *metrics.Registry) (*sweepMetrics, error) {
	m := &sweepMetrics{}
	for _, metric := range []struct {
		into  **metrics.Metric
		name  string
		kind  metrics.MetricType
		value metrics.ValueType
	}{
		{&m.opsPerSecond, metricOpsPerSecond, metrics.Gauge, metrics.Default},
		{&m.p50, metricP50, metrics.Gauge, metrics.Time},
		{&m.p90, metricP90, metrics.Gauge, metrics.Time},
		{&m.p95, metricP95, metrics.Gauge, metrics.Time},
		{&m.p99, metricP99, metrics.Gauge, metrics.Time},
		{&m.p999, metricP999, metrics.Gauge, metrics.Time},
		{&m.max, metricMax, metrics.Gauge, metrics.Time},
		{&m.mean, metricMean, metrics.Gauge, metrics.Time},
		{&m.clientsDone, metricClientsDone, metrics.Gauge, metrics.Default},
		{&m.ops, metricOps, metrics.Counter, metrics.Default},
		{&m.failed, metricFailed, metrics.Counter, metrics.Default},
		{&m.incomplete, metricIncomplete, metrics.Counter, metrics.Default},
		{&m.gate, metricGate, metrics.Gauge, metrics.Default},
		{&m.duration, metricDuration, metrics.Trend, metrics.Time},
	} {
		registered, err := registry.NewMetric(metric.name, metric.kind, metric.value)
		if err != nil {
			return nil, fmt.Errorf("metric %s: %w", metric.name, err)
		}
		*metric.into = registered
	}

	return m, nil
}

// samples turns what was recorded of one kind of operation in a span of time into k6 samples. Without operations in
// that span there are no percentiles.
func (m *sweepMetrics) samples(
	tags *metrics.TagSet, at time.Time, span *measure.Totals, elapsed time.Duration,
) metrics.Samples {
	var out metrics.Samples
	add := func(metric *metrics.Metric, value float64) {
		out = append(out, metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: metric, Tags: tags}, Time: at, Value: value,
		})
	}

	d := &span.Durations
	add(m.opsPerSecond, report.Rate(d.Count, elapsed))
	if d.Count > 0 {
		latency := report.Latency(d)
		add(m.p50, latency.P50)
		add(m.p90, latency.P90)
		add(m.p95, latency.P95)
		add(m.p99, latency.P99)
		add(m.p999, latency.P999)
		add(m.max, latency.Max)
		add(m.mean, latency.Mean)
	}

	return out
}

// counts are the samples of the counters.
func (m *sweepMetrics) counts(tags *metrics.TagSet, at time.Time, span *measure.Totals) metrics.Samples {
	return metrics.Samples{
		{TimeSeries: metrics.TimeSeries{Metric: m.ops, Tags: tags}, Time: at, Value: float64(span.Durations.Count)},
		{TimeSeries: metrics.TimeSeries{Metric: m.failed, Tags: tags}, Time: at, Value: float64(span.Failed)},
	}
}

// gates are the samples of the judged gates of a scenario: 1 for one that held. A gate that nobody judged has no sample, and
// k6 takes that for 0: it is crossed.
func (m *sweepMetrics) gates(verdicts []report.Verdict, base *metrics.TagSet) metrics.Samples {
	samples := make(metrics.Samples, 0, len(verdicts))
	for _, v := range verdicts {
		value := 0.0
		if v.Held {
			value = 1
		}
		tags := base.With("gate", v.Gate)
		samples = append(samples, metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: m.gate, Tags: tags}, Time: time.Now(), Value: value,
		})
	}

	return samples
}

// push hands samples to k6 even when the test was interrupted: k6 takes them until the executors have ended.
func (m *sweepMetrics) push(out chan<- metrics.SampleContainer, samples metrics.Samples) {
	metrics.PushIfNotDone(context.Background(), out, samples)
}
