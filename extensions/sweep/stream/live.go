package stream

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Every is how often the metrics go out while a step is measured.
const Every = time.Second

// Live sends a step's metrics: once a second those of that second, at its end those of the whole
// step. With them go the figures that they are made of, for outputs that want them as they are.
type Live struct {
	metrics *Metrics
	out     chan<- metrics.SampleContainer
	tags    *metrics.TagSet // of the step
	step    Step

	mu     sync.Mutex
	before measure.Reading // the reading of the last tick
	rate   float64         // of that second, all kinds of operations together: operations a second
	p99    float64         // and their 99th percentile, ms

	began   time.Time // the start line; zero: not yet
	seconds int       // that have been sent
	sent    time.Time // the time of the last figures
	unnamed []moment  // seconds before any operation has ended: which kinds there are is not known then

	warmed    map[string]measure.Warmed // what the warm-up has come to by the last second of it
	warmedFor time.Duration             // how long it had lasted then
}

// moment is a tick at which nothing was known but the time.
type moment struct {
	at, end time.Time     // when it came, and the end of the second that it closed
	elapsed time.Duration // how long that was
	done    int           // clients that had ended
}

// NewLive sends the metrics of a step, whose samples have these tags.
func NewLive(
	m *Metrics, out chan<- metrics.SampleContainer, tags *metrics.TagSet, step Step,
) *Live {
	return &Live{metrics: m, out: out, tags: tags, step: step, warmed: map[string]measure.Warmed{}}
}

// Watch sends the metrics of every second until the step is over, those of the measured phase from
// the start line on. Before each of them, and at the start line, it calls eachSecond.
func (l *Live) Watch(step *measure.Step, over <-chan struct{}, eachSecond func()) {
	defer crash.Contain("the stream of a step's figures")
	ticker := time.NewTicker(Every)
	defer ticker.Stop()

	line := step.Line()
	for {
		select {
		case <-over:
			if line != nil {
				l.warmUp(time.Now(), step)
			}

			return
		case <-line:
			line = nil // that it is open needs to be told only once
			l.warmUp(time.Now(), step)
			eachSecond()
			ticker.Reset(Every)
		case at := <-ticker.C:
			eachSecond()
			if line != nil {
				l.warmUp(at, step)

				continue
			}
			if reading := step.Read(); reading.Ended < step.Clients() { // the rest is the last's
				l.tick(at, &reading)
			}
		}
	}
}

// warmUp sends how much was done to warm up since it was called last.
func (l *Live) warmUp(at time.Time, step *measure.Step) {
	l.mu.Lock()
	defer l.mu.Unlock()

	whole, warmed := step.Warmed()
	elapsed := whole - l.warmedFor
	l.warmedFor = whole
	figures := &Figures{Step: l.step, At: l.after(at)}
	for _, w := range warmed {
		before := l.warmed[w.Op]
		l.warmed[w.Op] = w
		if w != before {
			figures.Seconds = append(figures.Seconds, Second{
				Phase: Warmup, Elapsed: elapsed, Op: w.Op, Ops: w.Ops - before.Ops, Failed: w.Failed - before.Failed,
			})
		}
	}
	if len(figures.Seconds) > 0 {
		l.send(figures)
	}
}

// tick sends what happened since the last tick. Until an operation has ended, that is how many
// clients have.
func (l *Live) tick(at time.Time, reading *measure.Reading) {
	l.mu.Lock()
	defer l.mu.Unlock()

	elapsed := reading.Elapsed - l.before.Elapsed
	end := l.timeOfSecond(at, reading.Elapsed)
	if !slices.ContainsFunc(reading.Ops, func(t measure.Totals) bool { return !t.Empty() }) {
		l.push(l.clientsDone(at, reading))
		l.unnamed = append(l.unnamed, moment{at: at, end: end, elapsed: elapsed, done: reading.Ended})
		l.before.Elapsed = reading.Elapsed

		return
	}
	l.name(reading)
	figures := &Figures{Step: l.step, At: end, Done: reading.Ended, Samples: l.clientsDone(at, reading)}
	var all measure.Distribution
	for i := range reading.Ops {
		span := reading.Ops[i].Since(l.before.Of(reading.Ops[i].Variant, reading.Ops[i].Op))
		all.Merge(&span.Durations)
		tags := l.tagsOf(&span)
		figures.Samples = append(figures.Samples, l.metrics.Samples(tags, at, &span, rateOf(&span, elapsed))...)
		figures.Samples = append(figures.Samples, l.metrics.Counts(tags, at, &span)...)
		figures.Seconds = append(figures.Seconds, l.measured(&span, elapsed, reading))
	}
	l.before = *reading
	l.rate, l.p99 = report.Rate(all.Count, elapsed), report.Ms(all.Quantile(0.99))
	l.send(figures)
}

// name sends the seconds before any operation had ended, now that it is known which there are.
func (l *Live) name(reading *measure.Reading) {
	for _, m := range l.unnamed {
		figures := &Figures{Step: l.step, At: m.end, Done: m.done}
		for i := range reading.Ops {
			none := &measure.Totals{Op: reading.Ops[i].Op, Variant: reading.Ops[i].Variant}
			tags := l.tagsOf(none)
			figures.Samples = append(figures.Samples, l.metrics.Samples(tags, m.at, none, 0)...)
			figures.Samples = append(figures.Samples, l.metrics.Counts(tags, m.at, none)...)
			figures.Seconds = append(figures.Seconds, Second{
				Phase: Measure, Elapsed: m.elapsed, Op: none.Op, Variant: string(none.Variant), Durations: &none.Durations,
			})
		}
		l.send(figures)
	}
	l.unnamed = nil
}

// Latest returns the operations a second and the 99th percentile in ms of the last tick.
func (l *Live) Latest() (rate, p99 float64) {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.rate, l.p99
}

// Last sends what the whole step came to, and the counts that no tick has sent yet.
func (l *Live) Last(reading *measure.Reading) {
	l.mu.Lock()
	defer l.mu.Unlock()

	l.name(reading)
	at := time.Now()
	elapsed := max(reading.Elapsed-l.before.Elapsed, 0)
	figures := &Figures{
		Step: l.step, At: l.timeOfEnd(at, reading.Elapsed), Done: reading.Ended, Samples: l.clientsDone(at, reading),
	}
	for i := range reading.Ops {
		whole := &reading.Ops[i]
		before := l.before.Of(whole.Variant, whole.Op)
		rest := whole.Since(before)
		tags := l.tagsOf(whole)
		figures.Samples = append(figures.Samples, l.metrics.Samples(tags, at, whole, report.OpsPerSecond(reading, whole))...)
		figures.Samples = append(figures.Samples, l.metrics.Counts(tags, at, &rest)...)
		if before == nil || !rest.Empty() || !reading.Counters.Equal(l.before.Counters) {
			figures.Seconds = append(figures.Seconds, l.measured(&rest, elapsed, reading))
		}
	}
	l.before = *reading
	incomplete := 0.0
	if !reading.Complete {
		incomplete = 1
	}
	figures.Samples = append(figures.Samples, l.sample(l.metrics.Incomplete, at, incomplete))
	l.send(figures)
}

// Ended sends what the report has of the step.
func (l *Live) Ended(steps []report.Step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.send(&Figures{Step: l.step, At: l.after(l.sent), Done: l.before.Ended, Ended: steps})
}

// measured is a second of the measured phase. The first one of a kind of operation has all that was
// counted so far, so that those of each kind add up to the step's.
func (l *Live) measured(span *measure.Totals, elapsed time.Duration, reading *measure.Reading) Second {
	var before measure.Counters
	if l.before.Of(span.Variant, span.Op) != nil {
		before = l.before.Counters
	}
	if span.Variant != measure.NoVariant {
		elapsed = span.Time
	}

	return Second{
		Phase: Measure, Elapsed: elapsed, Op: span.Op, Variant: string(span.Variant),
		Ops: uint64(span.Durations.Count), Failed: span.Failed, Durations: &span.Durations,
		BytesSent: span.BytesSent, BytesReceived: span.BytesReceived,
		Counters: reading.Counters.Since(before),
	}
}

// tagsOf are those of the samples of one kind of operation.
func (l *Live) tagsOf(t *measure.Totals) *metrics.TagSet {
	tags := l.tags.With("op", t.Op)
	if t.Variant != measure.NoVariant {
		tags = tags.With("variant", string(t.Variant))
	}

	return tags
}

// rateOf is the rate in a span of time or, of a variant in a duet, in that part of it that the
// variant had.
func rateOf(t *measure.Totals, elapsed time.Duration) float64 {
	if t.Variant != measure.NoVariant {
		elapsed = t.Time
	}

	return report.Rate(t.Durations.Count, elapsed)
}

// timeOfSecond is when the second ended that a tick closes: whole seconds after the start line, so
// that each second on the clock has one, although ticks come late. A tick that was left out takes
// its second with it.
func (l *Live) timeOfSecond(at time.Time, elapsed time.Duration) time.Time {
	if l.began.IsZero() {
		l.began = at.Add(-elapsed)
	}
	l.seconds = max(l.seconds+1, int(elapsed/Every))

	return l.began.Add(time.Duration(l.seconds) * Every)
}

// timeOfEnd is when the last client ended.
func (l *Live) timeOfEnd(at time.Time, elapsed time.Duration) time.Time {
	if l.began.IsZero() {
		l.began = at.Add(-elapsed)
	}

	return l.after(l.began.Add(elapsed))
}

// after is at, or the first moment after what was sent last.
func (l *Live) after(at time.Time) time.Time {
	if !at.After(l.sent) {
		return l.sent.Add(time.Nanosecond)
	}

	return at
}

func (l *Live) clientsDone(at time.Time, reading *measure.Reading) metrics.Samples {
	return metrics.Samples{l.sample(l.metrics.ClientsDone, at, float64(reading.Ended))}
}

func (l *Live) sample(metric *metrics.Metric, at time.Time, value float64) metrics.Sample {
	return metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: metric, Tags: l.tags}, Time: at, Value: value}
}

func (l *Live) push(samples metrics.Samples) { l.metrics.Push(l.out, samples) }

// send hands figures to k6, as push does samples.
func (l *Live) send(figures *Figures) {
	l.sent = figures.At
	metrics.PushIfNotDone(context.Background(), l.out, figures)
}
