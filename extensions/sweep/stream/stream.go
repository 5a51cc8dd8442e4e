// Package stream carries the exact figures of a running sweep to outputs in the same process,
// inside k6's sample containers. Outputs that know the containers read the figures; others see
// samples.
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

// Phases of a step.
const (
	Warmup  = "warmup"  // not measured
	Measure = "measure" // measured: from the start line on
)

// Figures are a step's samples and exact figures since the last ones. Seconds before the first
// finished operation arrive after it, with their own times. Figures are not modified after sending.
type Figures struct {
	metrics.Samples

	Step    Step
	At      time.Time     // unique in the step
	Done    int           // clients that have ended
	Seconds []Second      // one per operation, and in the phase Measure a total of several (report.TotalOp)
	Ended   []report.Step // figures of the step, one per operation, and their total; only at its end
}

// Step identifies the step of figures.
type Step struct {
	Scenario string
	Target   string // kind of the target, if the script names it
	Clients  int
	Rate     float64 // ops/s requested in an open loop; 0 otherwise
	Repeat   int     // from 1
}

// Second counts one operation in a second, or in the rest of one at the end of the step. In the
// phase Measure, Seconds add up to the report's figures.
type Second struct {
	Phase   string
	Elapsed time.Duration // length of the second
	Op      string
	// Variant is empty outside duets.
	Variant string

	Ops, Failed              uint64                // successful and failed operations
	BytesSent, BytesReceived uint64                // 0 in a warm-up
	Durations                *measure.Distribution // successful operations; nil in a warm-up

	// Counters cover all operations.
	Counters measure.Counters
}

// Every is the interval between metrics during a step.
const Every = time.Second

// Live sends a step's metrics: every second for that second, and at its end for the whole step. Its
// containers also carry the exact figures, for outputs that use them.
type Live struct {
	metrics *Metrics
	out     chan<- metrics.SampleContainer
	tags    *metrics.TagSet
	step    Step

	mu     sync.Mutex
	before measure.Reading
	rate   float64 // ops/s of the last second, all operations
	p99    float64 // p99 of the last second in ms

	began   time.Time
	seconds int
	sent    time.Time
	unnamed []moment // seconds before the first finished operation, when names are unknown

	warmed    map[string]measure.Warmed // warm-up counts at the last second
	warmedFor time.Duration             // length of the warm-up at that time
}

// moment is a tick without operations.
type moment struct {
	at, end time.Time     // time of the tick, and end of its second
	elapsed time.Duration // since the start line
	done    int           // clients that have ended
}

// NewLive returns a Live for a step. tags are the tags of its samples.
func NewLive(
	m *Metrics, out chan<- metrics.SampleContainer, tags *metrics.TagSet, step Step,
) *Live {
	return &Live{metrics: m, out: out, tags: tags, step: step, warmed: map[string]measure.Warmed{}}
}

// Watch sends the metrics of every second until the step is over. It calls eachSecond before each,
// and at the start line.
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
			line = nil // a closed channel would be selected again and again
			l.warmUp(time.Now(), step)
			eachSecond()
			ticker.Reset(Every)
		case at := <-ticker.C:
			eachSecond()
			if line != nil {
				l.warmUp(at, step)

				continue
			}
			if reading := step.Read(); reading.Ended < step.Clients() { // Last sends the rest
				l.tick(at, &reading)
			}
		}
	}
}

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

// tick sends the counts since the last tick. Before the first finished operation, it sends only how
// many clients have ended.
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
	reading = reading.WithTotals(report.TotalOp)
	l.name(reading)
	figures := &Figures{Step: l.step, At: end, Done: reading.Ended, Samples: l.clientsDone(at, reading)}
	var all measure.Distribution
	for i := range reading.Ops {
		span := reading.Ops[i].Since(l.before.Of(reading.Ops[i].Variant, reading.Ops[i].Op))
		figures.Seconds = append(figures.Seconds, l.measured(&span, elapsed, reading))
		if span.Op == report.TotalOp {
			continue
		}
		all.Merge(&span.Durations)
		tags := l.tagsOf(&span)
		figures.Samples = append(figures.Samples, l.metrics.Samples(tags, at, &span, rateOf(&span, elapsed))...)
		figures.Samples = append(figures.Samples, l.metrics.Counts(tags, at, &span)...)
	}
	l.before = *reading
	l.rate, l.p99 = report.Rate(all.Count, elapsed), report.Ms(all.Quantile(0.99))
	l.send(figures)
}

// name sends the seconds before the first finished operation, now that the names are known.
func (l *Live) name(reading *measure.Reading) {
	for _, m := range l.unnamed {
		figures := &Figures{Step: l.step, At: m.end, Done: m.done}
		for i := range reading.Ops {
			none := &measure.Totals{Op: reading.Ops[i].Op, Variant: reading.Ops[i].Variant}
			if none.Op != report.TotalOp {
				tags := l.tagsOf(none)
				figures.Samples = append(figures.Samples, l.metrics.Samples(tags, m.at, none, 0)...)
				figures.Samples = append(figures.Samples, l.metrics.Counts(tags, m.at, none)...)
			}
			figures.Seconds = append(figures.Seconds, Second{
				Phase: Measure, Elapsed: m.elapsed, Op: none.Op, Variant: string(none.Variant), Durations: &none.Durations,
			})
		}
		l.send(figures)
	}
	l.unnamed = nil
}

// Latest returns ops/s and the 99th percentile in ms of the last tick.
func (l *Live) Latest() (rate, p99 float64) {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.rate, l.p99
}

// Last sends the whole step's figures, and counts not sent yet.
func (l *Live) Last(reading *measure.Reading) {
	l.mu.Lock()
	defer l.mu.Unlock()

	reading = reading.WithTotals(report.TotalOp)
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
		if whole.Op != report.TotalOp {
			tags := l.tagsOf(whole)
			figures.Samples = append(figures.Samples, l.metrics.Samples(tags, at, whole, report.OpsPerSecond(reading, whole))...)
			figures.Samples = append(figures.Samples, l.metrics.Counts(tags, at, &rest)...)
		}
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

// Ended sends the report's figures of the step, with totals.
func (l *Live) Ended(steps []report.Step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	figures := &Figures{Step: l.step, At: l.after(l.sent), Done: l.before.Ended}
	for _, s := range (&report.Report{Steps: steps}).WithTotals() {
		figures.Ended = append(figures.Ended, *s)
	}
	l.send(figures)
}

// measured returns a second of the measured phase. An operation's first second has all its counts
// so far, so that seconds add up to the step.
func (l *Live) measured(span *measure.Totals, elapsed time.Duration, reading *measure.Reading) Second {
	var before measure.Counters
	if l.before.Of(span.Variant, span.Op) != nil {
		before = l.before.Counters
	}
	switch {
	case span.Variant != measure.NoVariant:
		elapsed = span.Time
	case span.Op == report.TotalOp && len(l.before.Ops) > 0 && l.before.Of(span.Variant, span.Op) == nil:
		elapsed = reading.Elapsed // the second kind is late, and the total has all counts so far
	}

	return Second{
		Phase: Measure, Elapsed: elapsed, Op: span.Op, Variant: string(span.Variant),
		Ops: uint64(span.Durations.Count), Failed: span.Failed, Durations: &span.Durations,
		BytesSent: span.BytesSent, BytesReceived: span.BytesReceived,
		Counters: reading.Counters.Since(before),
	}
}

func (l *Live) tagsOf(t *measure.Totals) *metrics.TagSet {
	tags := l.tags.With("op", t.Op)
	if t.Variant != measure.NoVariant {
		tags = tags.With("variant", string(t.Variant))
	}

	return tags
}

// rateOf returns the rate in a time span, based on the variant's time in a duet.
func rateOf(t *measure.Totals, elapsed time.Duration) float64 {
	if t.Variant != measure.NoVariant {
		elapsed = t.Time
	}

	return report.Rate(t.Durations.Count, elapsed)
}

// timeOfSecond returns the end of the second that a tick closes: a whole number of seconds after
// the start line, even if the tick is late. A skipped tick skips its second.
func (l *Live) timeOfSecond(at time.Time, elapsed time.Duration) time.Time {
	if l.began.IsZero() {
		l.began = at.Add(-elapsed)
	}
	l.seconds = max(l.seconds+1, int(elapsed/Every))

	return l.began.Add(time.Duration(l.seconds) * Every)
}

func (l *Live) timeOfEnd(at time.Time, elapsed time.Duration) time.Time {
	if l.began.IsZero() {
		l.began = at.Add(-elapsed)
	}

	return l.after(l.began.Add(elapsed))
}

// after returns at, or the first time after the last figures sent.
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

func (l *Live) send(figures *Figures) {
	l.sent = figures.At
	metrics.PushIfNotDone(context.Background(), l.out, figures)
}
