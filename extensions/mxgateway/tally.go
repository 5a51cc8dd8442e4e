package mxgateway

import (
	"encoding/json"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

type tallies struct {
	mu    sync.Mutex
	known map[string]*tally
}

func (t *tallies) named(name string) *tally {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		t.known = map[string]*tally{}
	}
	if t.known[name] == nil {
		t.known[name] = &tally{}
	}

	return t.known[name]
}

// tally counts ReadBulk calls like the published clients: failed ones have a latency too.
type tally struct {
	mu         sync.Mutex
	latencies  measure.Distribution // latencies of all calls
	failed     int
	total      wire.Counts
	begin, end time.Time
}

func (t *tally) add(begin time.Time, took time.Duration, counts wire.Counts, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.latencies.Record(took)
	if err != nil {
		t.failed++
	}
	t.total.Results += counts.Results
	t.total.Cached += counts.Cached
	if t.begin.IsZero() || begin.Before(t.begin) {
		t.begin = begin
	}
	if end := begin.Add(took); end.After(t.end) {
		t.end = end
	}
}

type summary struct {
	Language          string  `json:"language"`
	DurationMs        float64 `json:"durationMs"`
	TotalCalls        int64   `json:"totalCalls"`
	SuccessfulCalls   int64   `json:"successfulCalls"`
	FailedCalls       int64   `json:"failedCalls"`
	TotalReadResults  int     `json:"totalReadResults"`
	CachedReadResults int     `json:"cachedReadResults"`
	CallsPerSecond    float64 `json:"callsPerSecond"`
	LatencyMs         latency `json:"latencyMs"`
}

type latency struct {
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

func (t *tally) summary() summary {
	t.mu.Lock()
	defer t.mu.Unlock()
	window := t.end.Sub(t.begin)
	s := summary{
		Language: "k6", DurationMs: milliseconds(window), TotalCalls: t.latencies.Count,
		SuccessfulCalls: t.latencies.Count - int64(t.failed), FailedCalls: int64(t.failed),
		TotalReadResults: t.total.Results, CachedReadResults: t.total.Cached,
		LatencyMs: latency{
			P50: milliseconds(t.latencies.Quantile(.5)), P95: milliseconds(t.latencies.Quantile(.95)),
			P99: milliseconds(t.latencies.Quantile(.99)), Max: milliseconds(t.latencies.Max), Mean: milliseconds(t.latencies.Mean()),
		},
	}
	if window > 0 {
		s.CallsPerSecond = rounded(float64(s.TotalCalls) / window.Seconds())
	}

	return s
}

func milliseconds(d time.Duration) float64 { return rounded(float64(d) / float64(time.Millisecond)) }

func rounded(x float64) float64 { return math.Round(x*1e3) / 1e3 }

func (m *module) newTally(call sobek.ConstructorCall) *sobek.Object {
	name, ok := k6x.TextOf(call.Argument(0))
	if !ok || name == "" {
		m.Misuse("new Tally takes a name")
	}
	j := &tallyObject{module: m, tally: m.tallies.named(name)}
	tallyMethods.Put(m.Runtime(), call.This, j)

	return nil
}

var tallyMethods = k6x.Methods[*tallyObject]{ //nolint:gochecknoglobals // a table
	"attempt": (*tallyObject).attempt, "summary": (*tallyObject).summary,
}

type tallyObject struct {
	*module

	tally *tally
}

// attempt calls a function, and counts a failed call if it throws. In a sweep, it does not count
// calls outside of the measured phase, nor a call that the end of the step cuts off.
func (j *tallyObject) attempt(call sobek.FunctionCall) sobek.Value {
	fn, ok := sobek.AssertFunction(call.Argument(0))
	if !ok {
		j.Misuse("attempt takes a function")
	}
	sweep := k6x.SessionOf(j.VU())
	measuring := sweep == nil || sweep.Client.Measuring()
	at, begin := time.Now(), clock.Now()
	value, err := fn(sobek.Undefined())
	var interrupted *sobek.InterruptedError
	if err != nil && measuring && j.VU().Context().Err() == nil && !errors.As(err, &interrupted) {
		j.tally.add(at, clock.Since(begin), wire.Counts{}, err)
	}

	return j.returned(value, err)
}

func (j *tallyObject) summary(sobek.FunctionCall) sobek.Value {
	text, err := json.Marshal(j.tally.summary())
	if err != nil {
		j.Throw(err)
	}
	rt := j.Runtime()
	parse, _ := sobek.AssertFunction(rt.Get("JSON").ToObject(rt).Get("parse"))
	value, err := parse(sobek.Undefined(), rt.ToValue(string(text)))

	return j.returned(value, err)
}

func (j *tallyObject) returned(value sobek.Value, err error) sobek.Value {
	var thrown *sobek.Exception
	if errors.As(err, &thrown) {
		panic(thrown)
	}
	if err != nil {
		common.Throw(j.Runtime(), err)
	}

	return value
}
