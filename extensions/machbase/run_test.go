package machbase

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

type workResult struct {
	Succeeded, Failed, Rows int
	Seconds                 float64
}

func (v *vu) work(options string) workResult {
	v.t.Helper()
	var r workResult
	v.Decode(`client.run(`+options+`)`, &r)

	return r
}

func newWorkVU(t *testing.T, driver Driver) *vu {
	t.Helper()
	v := newVU(t, driver)
	v.Run(`var client = new machbase.Client()`)

	return v
}

type asked struct {
	fakeDriver

	mu   sync.Mutex
	args [][]any
}

func newAsked(rows ...[]any) *asked {
	d := &asked{}
	keep := func(args []any) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.args = append(d.args, slices.Clone(args))
	}
	d.query = func(_ *fakeConn, _ string, args []any, read func(Rows) error) error {
		keep(args)

		return read(&fakeRows{columns: []Column{{"code", "varchar"}}, rows: rows})
	}
	d.exec = func(_ *fakeConn, _ string, args []any) (int64, error) { keep(args); return 1, nil }

	return d
}

func TestRunOfAQuery(t *testing.T) {
	d := newAsked([]any{"WISH"}, []any{"WISH"})
	v := newWorkVU(t, d)
	r := v.work(`{ iterations: 5, query: 'select 1', params: ['a', 7, null, new Date(5)], expect: { code: 'WISH' }, minRows: 2 }`)
	require.Equal(t, workResult{Succeeded: 5, Rows: 10, Seconds: r.Seconds}, r)
	require.Positive(t, r.Seconds)
	require.Len(t, d.connections(), 1)
	require.Len(t, d.args, 5)
	for _, args := range d.args {
		require.Equal(t, []any{"a", int64(7), nil, time.UnixMilli(5)}, []any{args[0], args[1], args[2], args[3].(time.Time).Local()})
	}
	require.Equal(t, 5.0, v.Counted(metricOps, "op", opQuery, "outcome", k6x.OutcomeOK))
	require.Equal(t, 10.0, v.Counted(metricRows))
	require.Equal(t, 500.0, v.Counted("data_received"))
	require.Equal(t, 50.0, v.Counted("data_sent"))
	require.Len(t, v.Found(metricDuration, "op", opConnect), 1)
	require.Empty(t, v.Found(metricDuration, "op", opQuery), "k6 would keep them all")
}

func TestRunOfAQueryWithoutRows(t *testing.T) {
	v := newWorkVU(t, newAsked())
	for options, want := range map[string]workResult{
		`expect: { code: 'WISH' }`: {Failed: 2}, `minRows: 1`: {Failed: 2},
		`expect: { code: 'WISH' }, minRows: 0`: {Succeeded: 2}, `expect: {}`: {Succeeded: 2}, `minRows: 0`: {Succeeded: 2},
	} {
		r := v.work(`{ iterations: 2, query: 'q', ` + options + ` }`)
		r.Seconds = 0
		require.Equal(t, want, r, options)
	}
}

func TestRunOfAStatement(t *testing.T) {
	d := newAsked()
	v := newWorkVU(t, d)
	r := v.work(`{ duration: '50ms', exec: 'insert', params: [{ from: 1 }], tags: { phase: 'load' } }`)
	require.GreaterOrEqual(t, r.Seconds, 0.05)
	require.Equal(t, len(d.args), r.Succeeded)
	require.Zero(t, r.Rows)
	require.Equal(t, float64(r.Succeeded), v.Counted(metricOps, "op", opExec, "phase", "load"))
}

func drawn(t *testing.T, pattern string, n int) []any {
	t.Helper()
	d := newAsked()
	v := newWorkVU(t, d)
	v.work(fmt.Sprintf(`{ iterations: %d, query: 'q', params: [%s] }`, n, pattern))
	all := make([]any, n)
	for i, args := range d.args {
		all[i] = args[0]
	}

	return all
}

func TestPatterns(t *testing.T) {
	day := time.UnixMilli(86_400_000)
	for pattern, want := range map[string][]any{
		`{ oneOf: ['a', 2, 2.5, null] }`:          {"a", int64(2), 2.5, nil},
		`{ between: [-1, 2] }`:                    {int64(-1), int64(0), int64(1), int64(2)},
		`{ between: [5, 5] }`:                     {int64(5)},
		`{ between: [10, 19], step: 5 }`:          {int64(10), int64(15)},
		`{ between: [new Date(0), new Date(2)] }`: {time.UnixMilli(0), time.UnixMilli(1), time.UnixMilli(2)},
		`{ between: [machbase.bind('datetime', 0), new Date(86400000)], step: '1d' }`: {time.UnixMilli(0), day},
	} {
		seen := map[any]int{}
		for _, value := range drawn(t, pattern, 200) {
			if at, is := value.(time.Time); is {
				value = at.Local()
			}
			seen[value]++
		}
		require.Len(t, seen, len(want), "%s: %v", pattern, seen)
		for _, value := range want {
			require.Greater(t, seen[value], 200/len(want)/3, "%s: %v of %v", pattern, value, seen)
		}
	}
	for _, value := range drawn(t, `{ between: [-1e308, 1e308] }`, 100) {
		require.InDelta(t, 0, value, 1e308)
	}
	wide := map[any]bool{}
	for _, value := range drawn(t, `{ between: [-9223372036854775808n, 9223372036854775807n] }`, 100) {
		wide[value] = true
	}
	require.Greater(t, len(wide), 90)
}

func TestSequences(t *testing.T) {
	require.Equal(t, []any{int64(3), int64(4), int64(5)}, drawn(t, `{ from: 3 }`, 3))
	require.Equal(t, []any{int64(3), int64(13), int64(23)}, drawn(t, `{ from: 3, step: 10 }`, 3))
	require.Equal(t, []any{int64(0), int64(9007199254740993)}, drawn(t, `{ from: 0, step: 9007199254740993n }`, 2))
	times := drawn(t, `{ from: new Date(1000), step: '1s' }`, 2)
	require.True(t, times[0].(time.Time).Equal(time.Unix(1, 0)))
	require.True(t, times[1].(time.Time).Equal(time.Unix(2, 0)))
}

func TestDrawsOfARun(t *testing.T) {
	draw := func(seed string) (all []any) {
		d := newAsked()
		v := newWorkVU(t, d)
		for range 3 {
			v.work(`{ iterations: 4, query: 'q', params: [{ between: [0, 1000000] }], seed: ` + seed + ` }`)
		}
		for _, args := range d.args {
			all = append(all, args[0])
		}

		return all
	}
	first := draw("7")
	require.Equal(t, first, draw("7"))
	require.NotEqual(t, first, draw("8"))
	slices.SortFunc(first, func(a, b any) int { return int(a.(int64) - b.(int64)) })
	require.Len(t, slices.Compact(first), 12)
}

func TestRunWithFailures(t *testing.T) {
	d := newAsked([]any{"WISH"})
	answers := d.query
	n := 0
	d.query = func(conn *fakeConn, sql string, args []any, read func(Rows) error) error {
		if n++; n%2 == 0 {
			return cmi.NewError(k6x.KindServer, "out of order")
		}

		return answers(conn, sql, args, read)
	}
	v := newWorkVU(t, d)
	r := v.work(`{ iterations: 6, query: 'q' }`)
	require.Equal(t, workResult{Succeeded: 3, Failed: 3, Rows: 3, Seconds: r.Seconds}, r)
	require.Equal(t, 3.0, v.Counted(metricOps, "op", opQuery, "outcome", k6x.KindServer))
	require.Len(t, d.connections(), 1)

	r = v.work(`{ iterations: 4, query: 'q', minRows: 2 }`)
	require.Equal(t, workResult{Failed: 4, Seconds: r.Seconds}, r)
	require.Equal(t, 2.0, v.Counted(metricOps, "op", opQuery, "outcome", kindExpect))
	r = v.work(`{ iterations: 2, query: 'q', expect: { code: 'B' } }`)
	require.Equal(t, workResult{Failed: 2, Seconds: r.Seconds}, r)
	require.Equal(t, 3.0, v.Counted(metricOps, "op", opQuery, "outcome", kindExpect))
}

func TestRunWithBrokenConnection(t *testing.T) {
	d := newAsked()
	answers := d.query
	d.query = func(conn *fakeConn, sql string, args []any, read func(Rows) error) error {
		if len(d.args) == 2 && conn.number == 1 {
			return errBroken
		}

		return answers(conn, sql, args, read)
	}
	v := newWorkVU(t, d)
	r := v.work(`{ iterations: 5, query: 'q' }`)
	require.Equal(t, workResult{Succeeded: 4, Failed: 1, Seconds: r.Seconds}, r)
	require.Len(t, d.connections(), 2)
	require.True(t, d.connections()[0].closed.Load())
	require.Equal(t, 2.0, v.Counted(metricOps, "op", opConnect))
}

func TestRunWithoutAServer(t *testing.T) {
	d := newAsked()
	d.open = func(*Config) error { return cmi.NewError(k6x.KindConnect, "nobody is there") }
	v := newWorkVU(t, d)
	r := v.work(`{ iterations: 3, query: 'q' }`)
	require.Equal(t, workResult{Failed: 3, Seconds: r.Seconds}, r)
	require.Equal(t, 3.0, v.Counted(metricOps, "op", opConnect, "outcome", k6x.KindConnect))
	require.Zero(t, v.Counted(metricOps, "op", opQuery))
}

func TestRunThatIsWrong(t *testing.T) {
	d := newAsked()
	v := newWorkVU(t, d)
	e := v.fail(`client.run({ iterations: 1000000, query: 'q', expect: { nope: 1 } })`)
	require.Equal(t, thrown{"MachbaseError", `expect: the answer has no column "nope"`, k6x.KindUsage, 0}, e)
	require.Len(t, d.args, 1)
}

func TestRunMisused(t *testing.T) {
	v := newWorkVU(t, newAsked())
	for options, want := range map[string]string{
		``:                                      `run: either option query or option exec (the SQL of a statement) must be given`,
		`{ query: 'q' }`:                        `run: either option iterations (a number of operations) or option duration (a time such as '30s') must be given`,
		`{ iterations: 1 }`:                     `run: either option query or option exec (the SQL of a statement) must be given`,
		`5`:                                     `run: options must be an object, such as { timeout: '1s' }, not 5`,
		`{ sql: 'q' }`:                          `run: unknown option "sql"; known are iterations, duration, query, exec, params, expect, minRows, seed, timeout, tags`,
		`{ iterations: 0 }`:                     `run: option iterations must be an integer from 1, not 0`,
		`{ iterations: 1.5 }`:                   `run: option iterations must be an integer from 0 or a BigInt, not 1.5`,
		`{ duration: 0 }`:                       `run: option duration must be more than 0`,
		`{ query: '' }`:                         `run: option query must be a string that is not empty, not ''`,
		`{ params: 5 }`:                         `run: option params must be an array, not 5`,
		`{ params: ['a', {}] }`:                 `run: parameter 2: it must be a value, { oneOf: [...] }, { between: [low, high], step } or { from, step }`,
		`{ params: [true] }`:                    `run: parameter 1: true (bool) cannot be bound; use a string, number, BigInt, Date, ArrayBuffer, null or machbase.bind(type, value)`,
		`{ params: [{ of: 1 }] }`:               `run: parameter 1: a pattern: unknown option "of"; known are oneOf, between, from, step`,
		`{ params: [{ oneOf: [] }] }`:           `run: parameter 1: oneOf must have at least one value`,
		`{ params: [{ oneOf: [1], from: 1 }] }`: `run: parameter 1: it must be a value, { oneOf: [...] }, { between: [low, high], step } or { from, step }`,
		`{ params: [{ between: [2, 1] }] }`:     `run: parameter 1: between must be two numbers or two Dates, the lower one first, not [2, 1]`,
		`{ params: [{ between: [1767225600000000100n, 1767225600000000000n] }] }`: `run: parameter 1: between must be two numbers or two Dates, the lower one first, not [1767225600000000100, 1767225600000000000]`,
		`{ params: [{ between: 5 }] }`:                                            `run: parameter 1: a pattern: between must be an array, not 5`,
		`{ params: [{ oneOf: [1, true] }] }`:                                      `run: parameter 1: value 2 of oneOf: true (bool) cannot be bound; use a string, number, BigInt, Date, ArrayBuffer, null or machbase.bind(type, value)`,
		`{ params: [{ between: [1, 2, 3] }] }`:                                    `run: parameter 1: between must be two numbers or two Dates, the lower one first, not [1, 2, 3]`,
		`{ params: [{ between: [1, 2], step: 0 }] }`:                              `run: parameter 1: step must be an integer above 0, not 0`,
		`{ params: [{ between: [0, 1], step: 0.5 }] }`:                            `run: parameter 1: step must be an integer above 0, not 0.5`,
		`{ params: [{ between: [0.5, 1.5], step: 1 }] }`:                          `run: parameter 1: step is only for integers and Dates`,
		`{ params: [{ from: 0.5 }] }`:                                             `run: parameter 1: from must be an integer or a Date, not 0.5`,
		`{ params: [{ between: [new Date(0), new Date(1)], step: 0 }] }`:          `run: parameter 1: step must be more than 0`,
		`{ params: [{ from: 'a' }] }`:                                             `run: parameter 1: from must be an integer or a Date, not a`,
		`{ params: [{ from: new Date(0) }] }`:                                     `run: parameter 1: a sequence of times needs a step, such as { from: date, step: '1s' }`,
		`{ iterations: 1, exec: 'e', minRows: 1 }`:                                `run: options expect and minRows are for query: exec returns no rows`,
		`{ iterations: 1, duration: '1s', exec: 'e' }`:                            `run: either option iterations (a number of operations) or option duration (a time such as '30s') must be given`,
	} {
		assert.Equal(t, thrown{"MachbaseError", want, k6x.KindUsage, 0}, v.fail(`client.run(`+options+`)`), options)
	}
	init := newInitVU(t, newAsked())
	require.Equal(t, k6x.KindUsage, init.fail(`new machbase.Client().run({ iterations: 1, query: 'q' })`).Kind)
}

func TestRunAtTheEndOfTheTest(t *testing.T) {
	d := newAsked()
	begun := make(chan struct{})
	d.query = func(conn *fakeConn, _ string, _ []any, _ func(Rows) error) error {
		close(begun)
		<-conn.interrupted

		return context.Canceled
	}
	v := newWorkVU(t, d)
	go func() {
		<-begun
		v.CancelContext()
	}()
	e := v.fail(`client.run({ duration: '1h', query: 'q' })`)
	require.Equal(t, thrown{"MachbaseError", "the test ended before the run was over", k6x.KindCancelled, 0}, e)
}

func TestRunIsThePartOfAStep(t *testing.T) {
	d := newAsked([]any{"WISH"}, []any{"WISH"})
	root := newModule(func(string) (Driver, error) { return d, nil })
	r := testutil.Step(t, 3, measure.Plan{Operations: 105, Warmup: time.Millisecond}, "rollup", func() *testutil.Runner {
		v := testutil.NewRunner(t, ImportPath, root)
		v.Start(1)
		v.Run(`var client = new machbase.Client()`)

		return v
	}, `client.connect()`, `client.run({ iterations: 20, query: 'q', params: [{ from: 0 }] })`)
	require.True(t, r.Complete)
	require.Len(t, r.Ops, 1)
	op := r.Op("rollup")
	require.Equal(t, int64(3*105), op.Durations.Count, "to the operation")
	require.Zero(t, op.Failed)
	require.Equal(t, uint64(2*3*105), op.Rows)
	require.Equal(t, uint64(100*3*105), op.BytesReceived)
	require.Equal(t, uint64(10*3*105), op.BytesSent)
	seen := map[any]bool{}
	for _, args := range d.args {
		seen[args[0]] = true
	}
	require.Len(t, seen, len(d.args), "no two operations of the step have the same value")
	require.Contains(t, seen, int64(0))
	require.Contains(t, seen, int64(1))
	require.Contains(t, seen, int64(2))
}

func TestRunInAnOpenLoop(t *testing.T) {
	d := newAsked([]any{"WISH"})
	root := newModule(func(string) (Driver, error) { return d, nil })
	r := testutil.Step(t, 3, measure.Plan{Rate: 200, Duration: time.Second / 2}, "rollup", func() *testutil.Runner {
		v := testutil.NewRunner(t, ImportPath, root)
		v.Start(1)
		v.Run(`var client = new machbase.Client()`)

		return v
	}, `client.connect()`, `client.run({ duration: '1h', query: 'q' })`)
	require.EqualValues(t, 100, r.OpenLoop.Due)
	require.EqualValues(t, 100, uint64(r.Op("rollup").Durations.Count)+r.Unstarted)
	require.Zero(t, r.Op("rollup").Failed)
}

func TestRunWithinAnOperation(t *testing.T) {
	v := newWorkVU(t, newAsked())
	step := measure.NewStep(1, measure.Plan{Operations: 1}, nil)
	v.VU.CtxField = k6x.WithSession(v.VU.CtxField, &k6x.Session{Client: step.Client(0), Op: "tick", Named: true})
	e := v.fail(`client.run({ iterations: 1, query: 'q' })`)
	require.Equal(t, thrown{"MachbaseError", "run: it counts each of its operations, and cannot be called within sweep.op('tick', ...), " +
		"which counts the call as one more: call it in the function of sweep.run", k6x.KindUsage, 0}, e)
}

func TestRunThatReconnects(t *testing.T) {
	d := newAsked()
	const connecting = 100 * time.Millisecond
	d.open = func(*Config) error { time.Sleep(connecting); return nil }
	root := newModule(func(string) (Driver, error) { return d, nil })
	r := testutil.Step(t, 1, measure.Plan{Operations: 3}, "q", func() *testutil.Runner {
		v := testutil.NewRunner(t, ImportPath, root)
		v.Start(1)
		v.Run(`var client = new machbase.Client()`)

		return v
	}, ``, `client.run({ iterations: 3, query: 'q' })`)
	require.True(t, r.Complete)
	require.GreaterOrEqual(t, r.Op("q").Durations.Max, connecting)
}
