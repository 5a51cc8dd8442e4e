package sweep

import (
	"sync"
	"time"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// liveMetrics sends a step's metrics: once a second those of that second, at its end those of the whole step.
type liveMetrics struct {
	metrics *sweepMetrics
	out     chan<- metrics.SampleContainer
	tags    *metrics.TagSet // of the step

	mu     sync.Mutex
	before measure.Reading // the reading of the last tick
	rate   float64         // of that second, all kinds of operations together: operations a second
	p99    float64         // and their 99th percentile, ms
}

func newLiveMetrics(m *sweepMetrics, out chan<- metrics.SampleContainer, tags *metrics.TagSet) *liveMetrics {
	return &liveMetrics{metrics: m, out: out, tags: tags}
}

// tick sends what happened since the last tick.
func (l *liveMetrics) tick(at time.Time, reading *measure.Reading) {
	l.mu.Lock()
	defer l.mu.Unlock()

	elapsed := reading.Elapsed - l.before.Elapsed
	samples := l.clientsDone(at, reading)
	var all measure.Distribution
	for i := range reading.Ops {
		span := reading.Ops[i].Since(l.before.Op(reading.Ops[i].Op))
		all.Merge(&span.Durations)
		tags := l.tags.With("op", span.Op)
		samples = append(samples, l.metrics.samples(tags, at, &span, elapsed)...)
		samples = append(samples, l.metrics.counts(tags, at, &span)...)
	}
	l.before = *reading
	l.rate, l.p99 = report.Rate(all.Count, elapsed), report.Ms(all.Quantile(0.99))
	l.push(samples)
}

// latest returns the operations a second and the 99th percentile in ms of the last tick.
func (l *liveMetrics) latest() (rate, p99 float64) {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.rate, l.p99
}

// last sends what the whole step came to, and the counts that no tick has sent yet.
func (l *liveMetrics) last(reading *measure.Reading) {
	l.mu.Lock()
	defer l.mu.Unlock()

	at := time.Now()
	samples := l.clientsDone(at, reading)
	for i := range reading.Ops {
		whole := &reading.Ops[i]
		rest := whole.Since(l.before.Op(whole.Op))
		tags := l.tags.With("op", whole.Op)
		samples = append(samples, l.metrics.samples(tags, at, whole, reading.Elapsed)...)
		samples = append(samples, l.metrics.counts(tags, at, &rest)...)
	}
	l.before = *reading
	if !reading.Complete {
		samples = append(samples, l.sample(l.metrics.incomplete, at, 1))
	}
	l.push(samples)
}

func (l *liveMetrics) clientsDone(at time.Time, reading *measure.Reading) metrics.Samples {
	return metrics.Samples{l.sample(l.metrics.clientsDone, at, float64(reading.Ended))}
}

func (l *liveMetrics) sample(metric *metrics.Metric, at time.Time, value float64) metrics.Sample {
	return metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: metric, Tags: l.tags}, Time: at, Value: value}
}

func (l *liveMetrics) push(samples metrics.Samples) { l.metrics.push(l.out, samples) }
