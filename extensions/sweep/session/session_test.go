package session_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/session"
)

var errFull = errors.New("the box is full")

// newBox returns a VU with the module k6/x/box, whose Client has put (in both forms) and run. A put
// that the end of the test should cut off calls cut.
func newBox(t *testing.T, cut func()) *testutil.Runner {
	t.Helper()

	return testutil.NewRunner(t, "k6/x/box", session.New(session.Definition{
		ErrorName: "BoxError", Ops: "box_ops", Duration: "box_op_duration",
		Kind: func(error) string { return "full" },
		Exports: func(m *session.Module) map[string]any {
			put := func(ctx context.Context, what string) (session.Work, error) {
				switch what {
				case "too much":
					return session.Work{}, errFull
				case "a fault":
					panic("no box")
				case "the end":
					cut()
					<-ctx.Done()

					return session.Work{}, ctx.Err()
				}

				return session.Work{Rows: 1, Sent: uint64(len(what)), Received: 2}, nil
			}

			return map[string]any{"Client": func(call sobek.ConstructorCall) *sobek.Object {
				m.Bind(call.This, map[string]session.Reader{
					"put": func(args []sobek.Value) (session.Operation, error) {
						if len(args) != 1 {
							return session.Operation{}, errors.New("it takes one thing")
						}
						what := args[0].String()

						return session.Operation{
							Name:  "put",
							Do:    func(ctx context.Context) (session.Work, error) { return put(ctx, what) },
							Value: func() any { return what },
						}, nil
					},
				}, map[string]session.Function{
					"run": func(args []sobek.Value) (any, error) {
						o := struct {
							Iterations int    `json:"iterations"`
							What       string `json:"what"`
						}{}
						if err := session.Options(args[0], &o); err != nil {
							return nil, session.Misuse("run: %s", err)
						}

						return m.Run(o.Iterations, func(ctx context.Context) (string, session.Work, error) {
							work, err := put(ctx, o.What)

							return "fill", work, err
						}), nil
					},
				})

				return nil
			}}
		},
	}))
}

func startedBox(t *testing.T) *testutil.Runner {
	t.Helper()
	v := newBox(t, nil)
	v.Start(1)

	return v
}

func TestBothForms(t *testing.T) {
	v := newBox(t, nil)
	v.Run(`var client = new box.Client()`)
	init := "a Client cannot be used in the init context; use it in setup() or in a scenario's function"
	require.Equal(t, testutil.Thrown{Name: "BoxError", Message: init, Kind: "usage"}, v.Fail(`client.put('x')`))
	require.Equal(t, testutil.Thrown{Name: "BoxError", Message: init, Kind: "usage"}, v.Fail(`client.run({ iterations: 1 })`))

	v.Start(1)
	require.Equal(t, `"four"`, v.JSON(`client.put('four')`))
	v.Loop(`(async () => { globalThis.got = await client.asyncPut('three') })()`)
	require.Equal(t, `"three"`, v.JSON(`got`))
	require.Equal(t, testutil.Thrown{Name: "BoxError", Message: "the box is full", Kind: "full"}, v.Fail(`client.put('too much')`))
	require.Equal(t, testutil.Thrown{Name: "BoxError", Message: "put: it takes one thing", Kind: "usage"}, v.Fail(`client.put()`))
	require.Equal(t, "internal", v.Fail(`client.put('a fault')`).Kind)

	require.InDelta(t, 2, v.Counted("box_ops", "op", "put", "outcome", "ok"), 0)
	require.InDelta(t, 1, v.Counted("box_ops", "op", "put", "outcome", "full"), 0)
	require.InDelta(t, 9, v.Counted("data_sent"), 0)
	require.Len(t, v.Found("box_op_duration", "outcome", "ok"), 2)
}

func TestRunOutsideOfASweep(t *testing.T) {
	v := newBox(t, nil)
	v.Run(`var client = new box.Client()`)
	v.Start(1)
	var r session.Result
	v.Decode(`client.run({ iterations: 5, what: 'x' })`, &r)
	require.Equal(t, session.Result{Succeeded: 5, Seconds: r.Seconds}, r)
	v.Decode(`client.run({ iterations: 3, what: 'too much' })`, &r)
	require.Equal(t, 3, r.Failed)
	v.Decode(`client.run({ iterations: 1, what: 'a fault' })`, &r)
	require.Equal(t, 1, r.Failed)
	require.InDelta(t, 5, v.Counted("box_ops", "op", "fill", "outcome", "ok"), 0)
	require.InDelta(t, 3, v.Counted("box_ops", "op", "fill", "outcome", "full"), 0)
	require.InDelta(t, 1, v.Counted("box_ops", "op", "run", "outcome", "internal"), 0)
	require.Equal(t, testutil.Thrown{
		Name: "BoxError", Message: `run: unknown option "op"; known are iterations, what`, Kind: "usage",
	}, v.Fail(`client.run({ op: 1 })`))
}

func TestRunIsThePartOfAStep(t *testing.T) {
	r := testutil.Step(t, 3, measure.Plan{Operations: 105, Warmup: time.Millisecond}, "box",
		func() *testutil.Runner { return startedBox(t) }, `var client = new box.Client()`, `client.run({ iterations: 40, what: 'four' })`)
	require.True(t, r.Complete)
	require.Len(t, r.Ops, 1)
	fill := r.Op("fill")
	require.EqualValues(t, 3*105, fill.Durations.Count, "to the operation")
	require.EqualValues(t, 3*105, fill.Rows)
	require.EqualValues(t, 3*105*4, fill.BytesSent)
	require.EqualValues(t, 3*105*2, fill.BytesReceived)
}

func TestSingleCallsInAStep(t *testing.T) {
	r := testutil.Step(t, 2, measure.Plan{Operations: 10}, "box",
		func() *testutil.Runner { return startedBox(t) }, `var client = new box.Client()`, `client.put('four')`)
	box := r.Op("box")
	require.EqualValues(t, 2*10, box.Durations.Count, "the operation is the script's")
	require.EqualValues(t, 2*10, box.Rows)
	require.EqualValues(t, 2*10*4, box.BytesSent)
}

func TestTheEndOfTheTestCutsOff(t *testing.T) {
	for _, call := range []string{`client.put('the end')`, `client.run({ iterations: 9, what: 'the end' })`} {
		var v *testutil.Runner
		v = newBox(t, func() { v.CancelContext() })
		v.Run(`var client = new box.Client()`)
		v.Start(1)
		require.Equal(t, testutil.Thrown{
			Name: "BoxError", Message: "the test ended before the answer came", Kind: "cancelled",
		}, v.Fail(call), call)
	}
}

func TestDialInTheInitContext(t *testing.T) {
	var err error
	testutil.NewRunner(t, "k6/x/box", session.New(session.Definition{
		ErrorName: "BoxError", Ops: "box_ops",
		Exports: func(m *session.Module) map[string]any {
			var conn net.Conn
			conn, err = m.Dial(t.Context(), "tcp", "127.0.0.1:1")
			require.Nil(t, conn)

			return nil
		},
	}))
	require.ErrorContains(t, err, "a Client cannot be used in the init context")
}
