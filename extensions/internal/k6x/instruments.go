package k6x

import (
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const (
	tagOp      = "op"
	tagOutcome = "outcome"
)

// OutcomeOK is the outcome of a successful operation.
const OutcomeOK = "ok"

// Metrics names a module's metrics. They have the tags op and outcome (ok, or the error's kind).
type Metrics struct {
	// Ops is a Counter of operations, such as cache_ops. Outside sweeps there is also a Rate of
	// failed operations, such as cache_failed, without the tag outcome.
	Ops string
	// Duration is a Trend of call durations in milliseconds outside sweeps; may be "".
	Duration string
	// Counts are further Counters per operation, such as hits and misses.
	Counts []string
	// Bytes are further Counters of bytes per operation. They follow Counts.
	Bytes []string
	// Tagged are Counters whose series have their own tags: see Module.Counter.
	Tagged []string
}

// Instruments are a module's metrics in one VU, including data_sent and data_received, and its
// counts for a sweep's step.
type Instruments struct {
	// Fields that every operation uses come first.

	Meter

	tags           Tags
	sent, received Series
	known          map[seriesKey]opSeries
	step           step

	registry      *metrics.Registry
	kind          func(error) string
	ops, duration *metrics.Metric
	failed        *metrics.Metric
	counts        []*metrics.Metric
}

type seriesKey struct{ operation, outcome, tags string }

type opSeries struct {
	ops, duration Series
	// counts is the first series of Metrics.Counts; the others follow it.
	counts Series
}

// NewInstruments registers the metrics in the init context. It fails if a name is registered with
// another type. kind returns an error's kind.
func NewInstruments(vu modules.VU, names *Metrics, kind func(error) string) (*Instruments, error) {
	env := vu.InitEnv()
	i := &Instruments{known: map[seriesKey]opSeries{}, Meter: NewMeter(vu), registry: env.Registry, kind: kind}
	var err error
	if i.ops, err = i.registry.NewMetric(names.Ops, metrics.Counter); err != nil {
		return nil, err
	}
	if i.failed, err = NewShare(i.registry, failedOf(names.Ops)); err != nil {
		return nil, err
	}
	if names.Duration != "" {
		if i.duration, err = NewDurations(i.registry, names.Duration); err != nil {
			return nil, err
		}
	}
	for at, name := range slices.Concat(names.Counts, names.Bytes) {
		contains := metrics.Default
		if at >= len(names.Counts) {
			contains = metrics.Data
		}
		metric, err := i.registry.NewMetric(name, metrics.Counter, contains)
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
	i.sent = i.Series(env.BuiltinMetrics.DataSent)
	i.received = i.Series(env.BuiltinMetrics.DataReceived)

	return i, nil
}

func failedOf(ops string) string { return strings.TrimSuffix(ops, "_ops") + "_failed" }

// isFailure reports whether an outcome counts as failed. Operations interrupted by the end of the
// test do not.
func isFailure(outcome string) bool { return outcome != OutcomeOK && outcome != KindCancelled }

// Tag sets the tags of the next samples, until it is called again. The zero value removes them.
func (i *Instruments) Tag(tags Tags) { i.tags = tags }

// Count counts one finished operation with its error or nil, and its counts in the order of
// Metrics.Counts and Metrics.Bytes.
func (i *Instruments) Count(operation string, err error, counts ...int) {
	i.count(i.of(operation, err), 1, counts)
}

// CountAll counts successful operations, and the sums of their counts.
func (i *Instruments) CountAll(operation string, operations int, counts ...int) {
	i.count(i.of(operation, nil), operations, counts)
}

func (i *Instruments) count(s opSeries, operations int, counts []int) {
	i.Add(s.ops, float64(operations))
	for at, n := range counts {
		i.Add(s.counts+Series(at), float64(n))
	}
}

// Traffic counts bytes in k6's metrics. Step counts them in the sweep.
func (i *Instruments) Traffic(received, sent uint64) {
	i.Add(i.received, float64(received))
	i.Add(i.sent, float64(sent))
}

// EmitDuration sends the counts and the duration of a call. Metrics.Duration must be set.
func (i *Instruments) EmitDuration(operation string, err error, took time.Duration) {
	i.EmitTimings(Timing{Series: i.of(operation, err).duration, Took: took})
}

// Operations returns a series of operations with an outcome, which also counts in the Rate of
// failed ones. Tags are pairs of name and value, including op.
func (i *Instruments) Operations(tags [][2]string, outcome string) Series {
	tags = slices.Clone(tags)
	s := i.Series(i.ops, append(tags, [2]string{tagOutcome, outcome})...)
	i.Share(s, i.failed, isFailure(outcome), tags...)

	return s
}

func (i *Instruments) of(operation string, err error) opSeries {
	outcome := OutcomeOK
	if err != nil {
		outcome = i.kind(err)
	}
	key := seriesKey{operation, outcome, i.tags.key}
	s, known := i.known[key]
	if !known {
		tags := append(slices.Clone(i.tags.pairs), [2]string{tagOp, operation})
		s = opSeries{ops: i.Operations(tags, outcome)}
		tags = append(tags, [2]string{tagOutcome, outcome})
		series := func(metric *metrics.Metric) Series {
			return i.Series(metric, tags...)
		}
		s.counts = s.ops + 1
		for _, metric := range i.counts {
			series(metric)
		}
		if i.duration != nil {
			s.duration = series(i.duration)
		}
		i.known[key] = s
	}

	return s
}

// step caches the recorder of a VU's current operation in a sweep.
type step struct {
	session  *Session
	op       string
	recorder *measure.Recorder
}

// Step adds rows and bytes to the script's current operation in the sweep. Outside a sweep it does
// nothing.
func (i *Instruments) Step(rows, received, sent uint64) {
	session := i.Session()
	if session == nil {
		return
	}
	if s := &i.step; session != s.session || session.Op != s.op {
		*s = step{session, session.Op, session.Client.Recorder(session.Op)}
	}
	i.step.recorder.Rows(rows)
	i.step.recorder.Bytes(sent, received)
}

// ConnectInTurn waits for the client's turn to connect before a step starts. done ends the turn.
// See measure.Client.
func (m *Module) ConnectInTurn() (done func()) {
	session := m.Session()
	if session == nil {
		return func() {}
	}

	return session.Client.ConnectInTurn(m.vu.Context())
}

// InTurn wraps a method that connects, so that it waits for the client's turn.
func InTurn[T interface{ ConnectInTurn() (done func()) }](method Method[T]) Method[T] {
	return func(of T, call sobek.FunctionCall) sobek.Value {
		defer of.ConnectInTurn()()

		return method(of, call)
	}
}

// NotInOp throws inside sweep.op, which would count a whole client.run as one operation.
func (m *Module) NotInOp(method string) {
	if session := m.Session(); session != nil && session.Named {
		m.Misuse("%s: it counts each of its operations, and cannot be called within sweep.op('%s', ...), which counts the call as one more: "+
			"call it in the function of sweep.run", method, session.Op)
	}
}
