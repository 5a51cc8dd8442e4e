package k6x

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"
)

const (
	flushEvery = time.Second           // how often a client of a sweep, or a call with many operations, emits counts
	checkEvery = 10 * time.Millisecond // how much time of operations passes before such a call checks the clock
)

// Series identifies a k6 metric with its own tags in a Meter, in addition to the VU's current tags.
type Series int

type series struct {
	metric     *metrics.Metric
	own        [][2]string
	base, tags *metrics.TagSet // tags is base plus own, cached

	// trials describes the series' samples of a Rate; may be nil.
	trials *outcomes
}

type outcomes struct {
	rate   series
	failed bool
}

// Meter emits a module's samples. In a sweep, a VU does more operations than k6 can take samples,
// so a Meter emits the sums of counters once a second and no durations; the sweep records those in
// histograms. Elsewhere it emits every sample immediately.
type Meter struct {
	vu modules.VU
	// sums holds one sum per Series. room is its memory for most modules, inside the struct for
	// locality.
	sums    []float64
	room    [16]float64
	series  []series
	session *Session
	flushed time.Time

	unchecked time.Duration // duration of operations since Elapsed last checked the clock

	ctx       context.Context //nolint:containedctx // it is compared with the next call's
	inContext *Session
}

// NewMeter returns a VU's meter.
func NewMeter(vu modules.VU) Meter { return Meter{vu: vu} }

// Series returns a new series of the metric. Tags are pairs of name and value.
func (m *Meter) Series(metric *metrics.Metric, tags ...[2]string) Series {
	if m.sums == nil {
		m.sums = m.room[:0]
	}
	m.sums = append(m.sums, 0)
	m.series = append(m.series, series{metric: metric, own: tags})

	return Series(len(m.series) - 1)
}

// Share also counts the operations of a Counter's series in a Rate, as failed or not. tags are the
// tags of the Rate's samples. It has no effect in a sweep.
func (m *Meter) Share(s Series, rate *metrics.Metric, failed bool, tags ...[2]string) {
	m.series[s].trials = &outcomes{series{metric: rate, own: tags}, failed}
}

// Add adds n to a series.
func (m *Meter) Add(s Series, n float64) { m.sums[s] += n }

// Emit sends the counts: immediately, or in a sweep once a second.
func (m *Meter) Emit() { m.EmitTimings() }

// EmitTimings is Emit, and sends durations too, except in a sweep.
func (m *Meter) EmitTimings(durations ...Timing) {
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

// Elapsed reports the duration of each operation in a call with many. It sends the counts once a
// second.
func (m *Meter) Elapsed(took time.Duration) {
	if m.unchecked += took; m.unchecked < checkEvery {
		return
	}
	m.unchecked = 0
	if time.Since(m.flushed) >= flushEvery {
		m.Emit()
	}
}

// Session returns the VU's current sweep session, or nil outside a sweep. It is cached.
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

// Timing is a sample of a Trend of durations.
type Timing struct {
	Series Series
	Took   time.Duration
}

// Flush sends the counts now.
func (m *Meter) Flush() { m.push(time.Now(), nil) }

func (m *Meter) push(now time.Time, durations []Timing) {
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
		// The last counts are sent after the iteration, when its context has ended but the executor
		// still reads samples.
		ctx, out = context.WithoutCancel(ctx), m.session.Tap.Past(state)
	}
	metrics.PushIfNotDone(ctx, out, samples)
}

func (m *Meter) moved() (n int) {
	for _, sum := range m.sums {
		if sum != 0 {
			n++
		}
	}

	return n
}

// mostTrials limits the samples of a Rate in one Emit.
const mostTrials = 1000

// trials returns a Rate's samples: one per operation, up to mostTrials, with at least one for any
// failures. Each has its own time, because some outputs keep only one value per time.
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

type tried struct {
	rate               *metrics.Metric
	tags               *metrics.TagSet
	operations, failed uint64
}

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

// tagged returns the base tags plus the series' own, cached while base stays the same.
func (s *series) tagged(base *metrics.TagSet) *metrics.TagSet {
	if s.base != base {
		s.base, s.tags = base, base
		for _, tag := range s.own {
			s.tags = s.tags.With(tag[0], tag[1])
		}
	}

	return s.tags
}

// absentInSweep maps metrics that have no samples in a sweep to the sweep's metrics to use instead.
var absentInSweep sync.Map //nolint:gochecknoglobals // a module's name of it is always the same

// NewDurations registers a Trend of durations for Meter.Emit.
func NewDurations(registry *metrics.Registry, name string) (*metrics.Metric, error) {
	return NewTimes(registry, name, "sweep_p50 to sweep_max, with the tag op, have the durations of its operations")
}

// NewTimes registers a Trend of other durations that go through Meter.Emit, and what a sweep has
// instead.
func NewTimes(registry *metrics.Registry, name, instead string) (*metrics.Metric, error) {
	absentInSweep.Store(name, instead)

	return registry.NewMetric(name, metrics.Trend, metrics.Time)
}

// NewShare registers a Rate of failed operations: see Meter.Share.
func NewShare(registry *metrics.Registry, name string) (*metrics.Metric, error) {
	absentInSweep.Store(name, "sweep_failed, with the tag op, counts its operations that failed")

	return registry.NewMetric(name, metrics.Rate)
}

// AbsentInSweep reports whether a metric has no samples in a sweep, and which metric to use
// instead.
func AbsentInSweep(metric string) (instead string, absent bool) {
	value, absent := absentInSweep.Load(metric)
	instead, _ = value.(string)

	return instead, absent
}
