package k6glue

import (
	"context"
	"math"
	"slices"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"
)

const (
	flushEvery = time.Second           // is how often a client of a sweep, and a call that does many operations, emits what it has counted;
	lookEvery  = 10 * time.Millisecond // of operations: how often such a call looks at the clock for that
)

// Series is one of a Meter's: a k6 metric with tags of its own, beside those that the VU has at the
// moment.
type Series int

type series struct {
	metric     *metrics.Metric
	own        [][2]string     // the tags of its own
	base, tags *metrics.TagSet // with them, worked out for this base

	// trials is what the series counts for in a Rate; nil for nothing.
	trials *outcomes
}

// outcomes is what a series counts for in a Rate: operations that have failed, or have not.
type outcomes struct {
	rate   series
	failed bool
}

// Meter emits a module's samples. As a client of a sweep, a VU does far more operations than k6 can
// take samples of: there counters are summed up and go out once a second, and single durations do
// not go out at all (the sweep has them in its histograms). Elsewhere every sample goes out at
// once, as k6's users expect.
type Meter struct {
	vu modules.VU
	// sums are of each Series, and room is for those of most modules: side by side, as an operation
	// adds to many, and of many clients all is out of the processor's caches.
	sums    []float64
	room    [16]float64
	series  []series
	session *Session
	flushed time.Time

	unlooked time.Duration // that operations have taken since Elapsed looked at the clock

	ctx       context.Context //nolint:containedctx // it is compared with the next call's
	inContext *Session        // the session that it carries
}

// NewMeter returns a meter for the VU.
func NewMeter(vu modules.VU) Meter { return Meter{vu: vu} }

// Series returns a series of the metric, to be kept. Tags are pairs of name and value.
func (m *Meter) Series(metric *metrics.Metric, tags ...[2]string) Series {
	if m.sums == nil {
		m.sums = m.room[:0]
	}
	m.sums = append(m.sums, 0)
	m.series = append(m.series, series{metric: metric, own: tags})

	return Series(len(m.series) - 1)
}

// Share has what the Counter of the Series counts be counted in the Rate as well, as failed or
// not. Tags are those of the Rate's samples. In a sweep it has none.
func (m *Meter) Share(s Series, rate *metrics.Metric, failed bool, tags ...[2]string) {
	m.series[s].trials = &outcomes{series{metric: rate, own: tags}, failed}
}

// Add counts n.
func (m *Meter) Add(s Series, n float64) { m.sums[s] += n }

// Emit sends what was counted: at once or, in a sweep, when a second has passed. Durations in
// milliseconds belong to this moment; in a sweep they are dropped.
func (m *Meter) Emit(durations ...Duration) {
	session := m.Session()
	if session != m.session {
		m.session = session
		if session != nil {
			session.BeforeMeasure(m.Flush)
			session.AtEnd(m.Flush)
		}
	}
	if session == nil {
		m.push(time.Now(), durations)

		return
	}
	if now := time.Now(); now.Sub(m.flushed) >= flushEvery {
		m.push(now, nil)
	}
}

// Elapsed is for a call that does many operations, and tells how long each has taken: it sends what
// was counted when a second has passed.
func (m *Meter) Elapsed(took time.Duration) {
	if m.unlooked += took; m.unlooked < lookEvery {
		return
	}
	m.unlooked = 0
	if time.Since(m.flushed) >= flushEvery {
		m.Emit()
	}
}

// Session is SessionOf the VU, for calls that ask often.
func (m *Meter) Session() *Session {
	ctx := m.vu.Context()
	if m.ctx != nil && m.ctx == ctx {
		return m.inContext
	}
	if session, ok := ctx.Value(sessionKey{}).(*Session); ok {
		m.ctx, m.inContext = ctx, session

		return session
	}

	return SessionOf(m.vu)
}

// Duration is one sample of a Trend of durations.
type Duration struct {
	Series Series
	Took   time.Duration
}

// Flush sends what was counted, now.
func (m *Meter) Flush() { m.push(time.Now(), nil) }

func (m *Meter) push(now time.Time, durations []Duration) {
	m.flushed = now
	state := m.vu.State()
	if state == nil {
		return
	}

	base := state.Tags.GetCurrentValues().Tags
	samples := make(metrics.Samples, 0, m.moved()+len(durations))
	add := func(at Series, value float64) {
		s := &m.series[at]
		samples = append(samples, metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: s.metric, Tags: s.tagged(base)},
			Time:       now,
			Value:      value,
		})
	}
	var shares []tried
	for at, sum := range m.sums {
		if sum == 0 {
			continue
		}
		add(Series(at), sum)
		m.sums[at] = 0
		if of := m.series[at].trials; of != nil && m.session == nil {
			shares = counted(shares, of, base, uint64(sum))
		}
	}
	for i := range shares {
		samples = append(samples, trials(&shares[i], now)...)
	}
	for _, d := range durations {
		add(d.Series, metrics.D(d.Took))
	}
	if len(samples) == 0 {
		return
	}
	ctx, out := m.vu.Context(), state.Samples
	if m.session != nil {
		// The last counts go out after the iteration, the context of which is done by then. The
		// executor is still running, so somebody still listens.
		ctx, out = context.WithoutCancel(ctx), m.session.Tap.Past(state)
	}
	metrics.PushIfNotDone(ctx, out, samples)
}

// moved is how many series have counted something.
func (m *Meter) moved() (n int) {
	for _, sum := range m.sums {
		if sum != 0 {
			n++
		}
	}

	return n
}

// mostTrials bounds how many samples of a Rate stand for the operations of one Emit.
const mostTrials = 1000

// trials are samples of a Rate: as many as there were operations, or mostTrials of them, among
// which a failure is never missing. Each has a time of its own, because some outputs keep one
// value of each moment.
func trials(t *tried, at time.Time) metrics.Samples {
	n := min(t.operations, mostTrials)
	trues := uint64(math.Ceil(float64(t.failed) * float64(n) / float64(t.operations)))
	samples := make(metrics.Samples, n)
	for i := range samples {
		value := 0.0
		if uint64(i) < trues {
			value = 1
		}
		samples[i] = metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: t.rate, Tags: t.tags}, Time: at.Add(time.Duration(i)), Value: value,
		}
	}

	return samples
}

// tried is what a Rate has of the operations with the same tags.
type tried struct {
	rate               *metrics.Metric
	tags               *metrics.TagSet
	operations, failed uint64
}

// counted adds n operations to those with the same tags.
func counted(all []tried, s *outcomes, base *metrics.TagSet, n uint64) []tried {
	tags := s.rate.tagged(base)
	at := slices.IndexFunc(all, func(t tried) bool { return t.rate == s.rate.metric && t.tags == tags })
	if at < 0 {
		at = len(all)
		all = append(all, tried{rate: s.rate.metric, tags: tags})
	}
	all[at].operations += n
	if s.failed {
		all[at].failed += n
	}

	return all
}

// tagged returns the base tags with the series' own. The result is kept for as long as the base
// stays the same: a VU is reused by later steps and scenarios with other tags.
func (s *series) tagged(base *metrics.TagSet) *metrics.TagSet {
	if s.base != base {
		s.base, s.tags = base, base
		for _, tag := range s.own {
			s.tags = s.tags.With(tag[0], tag[1])
		}
	}

	return s.tags
}
