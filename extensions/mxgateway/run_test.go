package mxgateway

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/gatewaytest"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const (
	hang = 10 * time.Second
	tick = time.Millisecond
)

func everyFourth(_ context.Context, n int) gatewaytest.Answer {
	switch n % 4 {
	case 0:
		return gatewaytest.Answer{Err: status.Error(codes.Internal, "broken")}
	case 1:
		return gatewaytest.Answer{Failed: 1, Uncached: 1}
	default:
		return gatewaytest.Answer{}
	}
}

const begin = `client.open(); client.register(); client.subscribe(tags)`

type runResult struct {
	Succeeded, Failed, Results, Cached, FailedResults int
	BytesSent, BytesReceived, DataSent, DataReceived  int
	Seconds                                           float64
}

func (v *vu) result(expression string) (r runResult) {
	v.t.Helper()
	v.Decode(expression, &r)

	return r
}

func TestRunOutsideOfASweep(t *testing.T) {
	server := start(t, everyFourth)
	v := newVU(t, server.Address)
	v.Run(begin)
	r := v.result(`client.run({ iterations: 40, tally: 'outside' })`)
	require.Positive(t, r.Seconds)
	require.Greater(t, r.BytesSent, 40*len("A.xB.xC.x"), "the messages have the tags")
	require.Zero(t, r.BytesSent%40, "and are all of one size")
	require.Greater(t, r.BytesReceived, 90*len("A.x"))
	require.Greater(t, r.DataSent, r.BytesSent, "gRPC adds to them")
	require.Greater(t, r.DataReceived, r.BytesReceived)
	require.Equal(t, [5]int{30, 10, 90, 70, 10}, [5]int{r.Succeeded, r.Failed, r.Results, r.Cached, r.FailedResults})
	require.Equal(t, 40, server.Reads())
	require.Equal(t, 30.0, v.Counted(metricOps, "op", "readBulk", "outcome", "ok"))
	require.Equal(t, 10.0, v.Counted(metricOps, "op", "readBulk", "outcome", "server"))
	require.Equal(t, 90.0, v.Counted(metricResults))
	require.Equal(t, 70.0, v.Counted(metricCached))
	require.Equal(t, 10.0, v.Counted(metricFailed))

	r = v.result(`client.run({ duration: '50ms', addresses: ['A.x'], wait: '1s' })`)
	require.GreaterOrEqual(t, r.Seconds, 0.05)
	require.Equal(t, server.Reads(), 40+r.Succeeded+r.Failed)
}

func TestRunInASweep(t *testing.T) {
	server := start(t, everyFourth)
	reading, v := step(t, server.Address, 4, measure.Plan{Operations: 100, Warmup: 10 * time.Millisecond},
		`var client = new mxgateway.Client(address, options), tally = new mxgateway.Tally('sweep')`, begin, `client.run({ tally: 'sweep' })`)
	require.Len(t, reading.Ops, 1)
	totals := reading.Ops[0]
	require.EqualValues(t, 400, totals.Durations.Count+int64(totals.Failed), "to the operation")
	require.InDelta(t, 100, totals.Failed, 3, "which calls were of the warm-up is not known")
	require.Equal(t, totals.Failed, totals.Errors["INTERNAL: broken"])
	require.EqualValues(t, 3*totals.Durations.Count, totals.Rows)
	require.Equal(t, totals.Rows, reading.Counters[measure.Hits]+reading.Counters[measure.Misses])
	require.Positive(t, totals.BytesReceived)
	require.Positive(t, totals.BytesSent)
	require.Greater(t, server.Reads(), 400, "with the warm-up")
	require.Zero(t, server.Sessions(), "closed with the step")
	requireNoneLeft(t)

	var s summary
	v.Decode(`tally.summary()`, &s)
	require.EqualValues(t, 400, s.TotalCalls, "those of all clients, without the warm-up's")
	require.EqualValues(t, totals.Failed, s.FailedCalls)
	require.EqualValues(t, totals.Rows, s.TotalReadResults)
	require.EqualValues(t, reading.Counters[measure.Hits], s.CachedReadResults)
}

func TestUnavailable(t *testing.T) {
	server := start(t, func(_ context.Context, n int) gatewaytest.Answer {
		if n <= 2 {
			return gatewaytest.Answer{Err: status.Error(codes.Unavailable, "later")}
		}

		return gatewaytest.Answer{}
	})
	v := newVU(t, server.Address)
	v.Run(begin)
	r := v.result(`client.run({ iterations: 5 })`)
	require.Equal(t, 2, r.Failed)
	require.GreaterOrEqual(t, r.Seconds, 2*unavailablePause.Seconds())
	server.Stop()
	r = v.result(`client.run({ duration: '300ms' })`)
	require.Zero(t, r.Succeeded)
	require.LessOrEqual(t, r.Failed, 4)
	require.Positive(t, r.Failed)
}

func TestTheTestEndsDuringARun(t *testing.T) {
	begun := make(chan struct{}, 1)
	server := start(t, func(ctx context.Context, _ int) gatewaytest.Answer {
		begun <- struct{}{}
		<-ctx.Done()

		return gatewaytest.Answer{Err: status.FromContextError(ctx.Err()).Err()}
	})
	v := newVU(t, server.Address)
	v.Run(begin)
	go func() {
		<-begun
		v.CancelContext()
	}()
	require.Equal(t, thrown{"the test ended before the run was over", "cancelled", 0}, v.fail(`client.run({ duration: '1h' })`))
	requireNoneLeft(t)
}

// The call that the end of a step cuts off is not recorded by the run or the tally.
func TestCutOffCallsAreNotRecorded(t *testing.T) {
	begun := make(chan struct{})
	server := start(t, func(ctx context.Context, n int) gatewaytest.Answer {
		if n == 4 {
			close(begun)
			<-ctx.Done()
		}

		return gatewaytest.Answer{}
	})
	v := newInitVU(t, New(), server.Address)
	v.Run(`var client = new mxgateway.Client(address, options), tally = new mxgateway.Tally('cut')`)
	v.Start(0)
	s := measure.NewStep(1, measure.Plan{Operations: 100}, nil)
	session := &k6x.Session{Client: s.Client(0), Op: "read"}
	v.VU.CtxField = k6x.WithSession(v.VU.CtxField, session)
	v.Run(begin)
	go func() {
		<-begun
		s.Stop()
		v.CancelContext()
	}()
	over := errors.New("the step's time is over")
	require.NoError(t, s.Client(0).Run(t.Context(), "read", nil, func() error {
		require.Equal(t, "cancelled", v.fail(`client.run({ tally: 'cut' })`).Kind)

		return over
	}))
	session.End()

	totals := s.Read().Ops[0]
	require.EqualValues(t, 3, totals.Durations.Count)
	require.EqualValues(t, 1, totals.Failed)
	require.EqualValues(t, 1, totals.Errors[over.Error()])
	require.Equal(t, "3", v.JSON(`tally.summary().totalCalls`))
	require.Equal(t, "0", v.JSON(`tally.summary().failedCalls`))
	require.Equal(t, 3.0, v.Counted(metricOps, "op", "readBulk"))
}

func TestTally(t *testing.T) {
	v := newInitVU(t, New(), "127.0.0.1:1")
	v.Run(`var tally = new mxgateway.Tally('t'), same = new mxgateway.Tally('t'), other = new mxgateway.Tally('other')`)
	require.Equal(t, `{"language":"k6","durationMs":0,"totalCalls":0,"successfulCalls":0,"failedCalls":0,"totalReadResults":0,`+
		`"cachedReadResults":0,"callsPerSecond":0,"latencyMs":{"p50":0,"p95":0,"p99":0,"max":0,"mean":0}}`, v.JSON(`tally.summary()`))
	require.Equal(t, `"v"`, v.JSON(`tally.attempt(() => 'v')`))
	value, err := v.JS.RunString(`try { same.attempt(() => { throw new RangeError('mine') }) } catch (e) { e.name + ' ' + e.message }`)
	require.NoError(t, err)
	require.Equal(t, "RangeError mine", value.String())
	v.Run(`try { tally.attempt(() => { throw 'x' }) } catch (e) {}`)

	var s summary
	v.Decode(`same.summary()`, &s)
	require.EqualValues(t, 2, s.TotalCalls)
	require.EqualValues(t, 2, s.FailedCalls)
	require.Equal(t, `0`, v.JSON(`other.summary().totalCalls`))
}

func TestFiguresOfATally(t *testing.T) {
	var tally tally
	at := time.Now()
	for i := range 100 {
		tally.add(at.Add(time.Duration(i)*20*time.Millisecond), time.Duration(i+1)*time.Millisecond, struct{ Results, Cached, Failed int }{6, 6, 0}, nil)
	}
	s := tally.summary()
	require.InDelta(t, 1980+100, s.DurationMs, 1e-9, "from the first call's beginning to the last one's end")
	require.InDelta(t, 100/2.08, s.CallsPerSecond, 1e-3)
	require.InEpsilon(t, 50, s.LatencyMs.P50, 1e-3)
	require.InEpsilon(t, 95, s.LatencyMs.P95, 1e-3)
	require.InEpsilon(t, 99, s.LatencyMs.P99, 1e-3)
	require.InDelta(t, 100, s.LatencyMs.Max, 0)
	require.InDelta(t, 50.5, s.LatencyMs.Mean, 1e-9)
}
