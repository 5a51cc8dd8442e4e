package machbase

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

type stall struct {
	on      atomic.Bool
	waiting chan struct{}
}

func newStall() *stall { return &stall{waiting: make(chan struct{}, 100)} }

func (s *stall) here(c *fakeConn) error {
	if !s.on.Load() {
		return nil
	}
	s.waiting <- struct{}{}
	<-c.interrupted

	return errBroken
}

func TestCallThatStalls(t *testing.T) {
	for _, test := range []struct{ name, within, before, call, operation string }{
		{"query", "20ms", ``, `client.query('x', [], { timeout: '20ms' })`, opQuery},
		{"exec", "20ms", ``, `client.exec('x', [], { timeout: '20ms' })`, opExec},
		{"prepare", "500ms", `client = new machbase.Client({ timeout: 500 })`, `client.prepare('x')`, opPrepare},
		{"prepared query", "20ms", `var s = client.prepare('x')`, `s.query([], { timeout: '20ms' })`, opQuery},
		{"append", "500ms", `client = new machbase.Client({ timeout: 500 }); var a = client.appender('t')`, `a.append([1])`, opAppend},
	} {
		t.Run(test.name, func(t *testing.T) {
			stall := newStall()
			driver := &fakeDriver{
				query: func(c *fakeConn, _ string, _ []any, read func(Rows) error) error {
					if err := stall.here(c); err != nil {
						return err
					}

					return read(&fakeRows{})
				},
				exec:    func(c *fakeConn, _ string, _ []any) (int64, error) { return 0, stall.here(c) },
				prepare: func(c *fakeConn, _ string) error { return stall.here(c) },
				append:  func(c *fakeConn, _ []any) error { return stall.here(c) },
			}
			v := newVU(t, driver)
			v.Run(`var client = new machbase.Client(); ` + test.before)
			stall.on.Store(true)
			require.Equal(t, thrown{"MachbaseError", "no answer within timeout (" + test.within + ")", k6x.KindTimeout, 0}, v.fail(test.call))
			require.Equal(t, 1.0, v.Counted(metricOps, "op", test.operation, "outcome", k6x.KindTimeout))
			<-stall.waiting

			require.True(t, driver.connections()[0].closed.Load())
			stall.on.Store(false)
			v.Run(`client.query('y')`)
			require.Len(t, driver.connections(), 2)
			require.False(t, driver.connections()[1].closed.Load())
		})
	}
}

func TestContextEndsACall(t *testing.T) {
	stall := newStall()
	driver := &fakeDriver{exec: func(c *fakeConn, _ string, _ []any) (int64, error) { return 0, stall.here(c) }}
	v := newVU(t, driver)
	v.Run(`var client = new machbase.Client(); client.connect()`)
	stall.on.Store(true)
	go func() {
		<-stall.waiting
		v.CancelContext()
	}()
	require.Equal(t, thrown{"MachbaseError", "the test ended before the answer came", k6x.KindCancelled, 0}, v.fail(`client.exec('x')`))

	require.Equal(t, k6x.KindCancelled, v.fail(`client.exec('x')`).Kind, "a VU that has ended must not connect anew")
	for _, conn := range driver.connections() {
		require.Eventually(t, conn.closed.Load, 10*time.Second, time.Millisecond)
	}
	v.Exit()
	requireNoneLeft(t)
}

// On Ctrl-C during setup, k6 cancels setup's context, and its clients close from another goroutine.
func TestEndOfTheVUDuringACall(t *testing.T) {
	for range 50 {
		driver := &fakeDriver{exec: func(*fakeConn, string, []any) (int64, error) { time.Sleep(50 * time.Microsecond); return 0, nil }}
		v := newInitVU(t, driver)
		v.Start(0)
		v.Run(`var client = new machbase.Client(); client.connect()`)
		go func() {
			time.Sleep(100 * time.Microsecond)
			v.CancelContext()
		}()
		require.Equal(t, k6x.KindCancelled, v.fail(`for (;;) client.exec('x')`).Kind)
		for _, conn := range driver.connections() {
			require.Eventually(t, conn.closed.Load, 10*time.Second, time.Millisecond)
		}
	}
	requireNoneLeft(t)
}

func TestConnectThatStalls(t *testing.T) {
	release := make(chan struct{})
	driver := &fakeDriver{open: func(*Config) error { <-release; return nil }}
	v := newVU(t, driver)
	v.Run(`var client = new machbase.Client('machbase://db:77', { connectTimeout: 500 })`)
	want := thrown{"MachbaseError", "cannot connect to db:77: no answer within connectTimeout (500ms)", k6x.KindConnect, 0}
	require.Equal(t, want, v.fail(`client.connect()`))
	require.Equal(t, want, v.fail(`client.query('x')`))
	require.Equal(t, 2.0, v.Counted(metricOps, "op", opConnect, "outcome", k6x.KindConnect))
	require.Zero(t, v.Counted(metricOps, "op", opQuery), "a query that was never sent is none")

	close(release)
	require.Eventually(t, func() bool { return len(driver.connections()) == 2 }, 10*time.Second, time.Millisecond)
	for _, conn := range driver.connections() {
		require.Eventually(t, conn.closed.Load, 10*time.Second, time.Millisecond, "a connection that came too late stays open")
	}
	v.Run(`client.connect()`)
	require.False(t, driver.connections()[2].closed.Load())
}

func TestConnectThatFails(t *testing.T) {
	for _, failure := range []error{errBroken, cmi.ServerError(2081, "Invalid username/password."), cmi.NewError(cmi.KindConnect, "refused")} {
		var fail atomic.Bool
		fail.Store(true)
		driver := &fakeDriver{open: func(*Config) error {
			if fail.Load() {
				return failure
			}

			return nil
		}}
		v := newVU(t, driver)
		v.Run(`var client = new machbase.Client()`)
		e := v.fail(`client.connect()`)
		require.Equal(t, asError(failure).Kind, e.Kind)
		require.Equal(t, int64(asError(failure).Code), e.Code)
		require.Equal(t, 1.0, v.Counted(metricOps, "op", opConnect, "outcome", e.Kind))
		requireNoneLeft(t)

		fail.Store(false)
		v.Run(`client.connect(); client.query('x')`)
		require.Equal(t, 1.0, v.Counted(metricOps, "op", opConnect, "outcome", k6x.OutcomeOK))
		v.Exit()
	}
}

func TestBrokenConnectionIsReopened(t *testing.T) {
	outOfStep := cmi.ServerError(2061, "x")
	for _, failure := range []error{errBroken, cmi.NewError(cmi.KindConnection, "x"), outOfStep} {
		driver := &fakeDriver{exec: func(c *fakeConn, _ string, _ []any) (int64, error) {
			if c.number < 3 {
				c.broken.Store(failure == error(outOfStep)) //nolint:errorlint // compared by identity

				return 0, failure
			}

			return 7, nil
		}}
		v := newVU(t, driver)
		v.Run(`var client = new machbase.Client()`)
		for range 2 {
			require.Equal(t, asError(failure).Kind, v.fail(`client.exec('x')`).Kind)
		}
		require.Equal(t, int64(7), v.Run(`client.exec('x')`))
		require.Equal(t, int64(7), v.Run(`client.exec('x')`))
		conns := driver.connections()
		require.Len(t, conns, 3)
		require.True(t, conns[0].closed.Load())
		require.True(t, conns[1].closed.Load())
		require.False(t, conns[2].closed.Load())
	}
}

func TestErrorsThatLeaveTheConnection(t *testing.T) {
	for _, code := range []int{2010, 2025, 2031, 3027, 9999} {
		driver := &fakeDriver{exec: func(*fakeConn, string, []any) (int64, error) { return 0, cmi.ServerError(code, "x") }}
		v := newVU(t, driver)
		v.Run(`var client = new machbase.Client()`)
		for range 3 {
			require.Equal(t, int64(code), v.fail(`client.exec('x')`).Code)
		}
		require.Len(t, driver.connections(), 1)
	}
}

func TestDriverThatPanics(t *testing.T) {
	driver := &fakeDriver{exec: func(c *fakeConn, _ string, _ []any) (int64, error) {
		if c.number == 1 {
			panic("index out of range")
		}

		return 1, nil
	}}
	v := newVU(t, driver)
	v.Run(`var client = new machbase.Client()`)
	require.Equal(t, thrown{"MachbaseError", "a fault in k6's extensions or in a library, not in the script or the server (its stack is in the log): index out of range", k6x.KindInternal, 0},
		v.fail(`client.exec('x')`))
	require.Equal(t, int64(1), v.Run(`client.exec('x')`))

	v = newVU(t, &fakeDriver{open: func(*Config) error { panic("no") }})
	require.Equal(t, k6x.KindInternal, v.fail(`new machbase.Client().connect()`).Kind)
}

func TestStatementIsPreparedOncePerConnection(t *testing.T) {
	driver := &fakeDriver{exec: func(c *fakeConn, sql string, _ []any) (int64, error) {
		if c.number == 1 && sql == "break" {
			return 0, errBroken
		}

		return int64(c.number), nil
	}}
	v := newVU(t, driver)
	v.Run(`var client = new machbase.Client(), statement = client.prepare('x')`)
	require.JSONEq(t, `[1,1,1]`, v.JSON(`[statement.exec(), statement.exec([1]), statement.exec([2])]`))
	require.Equal(t, int64(1), driver.connections()[0].prepared.Load())

	v.fail(`client.exec('break')`)
	require.JSONEq(t, `[2,2]`, v.JSON(`[statement.exec(), statement.exec()]`))
	require.Equal(t, int64(1), driver.connections()[1].prepared.Load())

	v.Run(`client.close(); client.connect(); statement.close()`)
	require.Zero(t, driver.connections()[2].freed.Load())

	v.Run(`statement.exec(); statement.close(); statement.close()`)
	require.Equal(t, int64(1), driver.connections()[2].freed.Load())
	v.Run(`statement.query()`)
	require.Equal(t, int64(2), driver.connections()[2].prepared.Load(), "a closed statement is prepared again when it is used")
}

func TestStatementThatCannotBePrepared(t *testing.T) {
	driver := &fakeDriver{prepare: func(c *fakeConn, _ string) error {
		if c.number == 1 {
			return nil
		}

		return cmi.ServerError(2025, "Table T does not exist.")
	}}
	v := newVU(t, driver)
	v.Run(`var client = new machbase.Client(), statement = client.prepare('x'); client.close()`)
	require.Equal(t, int64(2025), v.fail(`statement.exec()`).Code)
	require.Equal(t, cmi.KindNotFound, v.fail(`client.prepare('x')`).Kind)
	require.Len(t, driver.connections(), 2)
}

func TestAppenderEndsWithItsConnection(t *testing.T) {
	const gone = "the appender on t is closed, or its connection broke; open a new one"
	for _, test := range []struct{ name, end string }{
		{"a row that fails", `attempt(() => appender.append(['bad']))`},
		{"another operation that breaks it", `attempt(() => client.exec('break'))`},
		{"client.close", `client.close()`},
		{"client.close and a new connection", `client.close(); client.connect()`},
		{"appender.close", `appender.close()`},
	} {
		t.Run(test.name, func(t *testing.T) {
			driver := &fakeDriver{
				exec: func(*fakeConn, string, []any) (int64, error) { return 0, errBroken },
				append: func(conn *fakeConn, row []any) error {
					if row[0] == "bad" {
						conn.broken.Store(true)

						return cmi.NewError(cmi.KindAppend, "bad row")
					}

					return nil
				},
			}
			v := newVU(t, driver)
			v.Run(`var client = new machbase.Client(), appender = client.appender('t'); appender.append([1]); ` + test.end)
			for _, use := range []string{
				`append([1])`, `flush()`, `close()`, `generate('stock_tick', { from: new Date(0), to: new Date(100) })`,
			} {
				require.Equal(t, thrown{"MachbaseError", gone, k6x.KindConnection, 0}, v.fail(`appender.`+use))
			}
			v.Run(`appender = client.appender('t'); appender.append([1])`)
			require.JSONEq(t, `{"accepted":1,"rejected":0,"reasons":[],"other":0}`, v.JSON(`appender.close()`))
		})
	}
}

func TestAppenderCountsItsRows(t *testing.T) {
	v := newVU(t, &fakeDriver{})
	v.Run(`var client = new machbase.Client(), a = client.appender('t')`)
	v.Run(`a.append([1]); a.append([2], [3], [4]); a.append(); a.flush()`)
	require.Equal(t, 4.0, v.Counted(metricRows, "op", opAppend, "outcome", k6x.OutcomeOK))
	n := v.Run(`a.generate('stock_tick', { from: new Date(0), to: new Date(1000), tps: 50 })`).(int64)
	require.Equal(t, int64(50), n)
	require.Equal(t, 54.0, v.Counted(metricRows, "op", opAppend, "outcome", k6x.OutcomeOK))
	require.JSONEq(t, `{"accepted":54,"rejected":0,"reasons":[],"other":0}`, v.JSON(`a.close()`))
}

func TestGenerateErrorsLeaveTheAppender(t *testing.T) {
	for _, test := range []struct{ arguments, want string }{
		{`'stock', { from: new Date(0), to: new Date(1) }`, `generate: unknown generator "stock"`},
		{`'stock_tick', { from: new Date(1000), to: new Date(0) }`, `before its start`},
		{`'stock_tick', { to: new Date(0) }`, `generate: stock: range starts at 0001-01-01`},
		{`'stock_tick', { tps: 0, from: new Date(0), to: new Date(1) }`, `TPS is 0`},
		{`'stock_tick', { since: new Date(0) }`, `unknown option "since"; known are from, to, seed, tps`},
		{`'stock_tick', { seed: -1 }`, `option seed must be an integer from 0`},
		{`'stock_tick', { from: 'yesterday' }`, `generate: `},
	} {
		t.Run(test.arguments, func(t *testing.T) {
			v := newVU(t, &fakeDriver{})
			v.Run(`var a = new machbase.Client().appender('t'); a.append([1])`)
			e := v.fail(`a.generate(` + test.arguments + `)`)
			require.Equal(t, k6x.KindUsage, e.Kind)
			require.Contains(t, e.Message, test.want)
			require.JSONEq(t, `{"accepted":1,"rejected":0,"reasons":[],"other":0}`, v.JSON(`a.close()`))
		})
	}
}

func TestCloseTwice(t *testing.T) {
	driver := &fakeDriver{}
	v := newVU(t, driver)
	v.Run(`var client = new machbase.Client(); client.close(); client.close()`)
	require.Empty(t, driver.connections())
	v.Run(`client.connect(); client.connect(); client.close(); client.close()`)
	require.Len(t, driver.connections(), 1)
	require.Eventually(t, driver.connections()[0].closed.Load, 10*time.Second, time.Millisecond)
	v.Run(`client.query('x'); client.close()`)
	require.Len(t, driver.connections(), 2)
	v.Exit()
	requireNoneLeft(t)
}

func TestCloseThatFailsOrStalls(t *testing.T) {
	v := newVU(t, &fakeDriver{close: func(*fakeConn) error { return errors.New("no") }})
	v.Run(`var client = new machbase.Client(); client.connect(); client.close()`)

	stall := newStall()
	stall.on.Store(true)
	driver := &fakeDriver{close: stall.here}
	v = newVU(t, driver)
	v.Run(`client = new machbase.Client(); client.connect(); client.close(); client.connect()`)
	require.Len(t, driver.connections(), 2)
}

func TestCallThatIsDoneWhenItsTimeIsOver(t *testing.T) {
	driver := &fakeDriver{exec: func(c *fakeConn, _ string, _ []any) (int64, error) {
		if c.number == 1 {
			<-c.interrupted
		}

		return int64(c.number), nil
	}}
	v := newVU(t, driver)
	require.Equal(t, int64(1), v.Run(`var client = new machbase.Client({ timeout: 300 }); client.exec('x')`))
	require.Equal(t, int64(2), v.Run(`client.exec('x')`))
	require.True(t, driver.connections()[0].closed.Load())
}

func TestInitContext(t *testing.T) {
	driver := &fakeDriver{}
	v := newInitVU(t, driver)
	v.Run(`var client = new machbase.Client()`)
	want := thrown{"MachbaseError", "a Client cannot be used in the init context; use it in setup() or in a scenario's function", k6x.KindUsage, 0}
	for _, use := range []string{`connect()`, `query('x')`, `exec('x')`, `prepare('x')`, `appender('t')`} {
		require.Equal(t, want, v.fail(`client.`+use))
	}
	v.Run(`client.close(); machbase.bind('double', 1)`)
	require.Empty(t, driver.connections())
	v.Start(1)
	v.Run(`client.query('x')`)
	require.Len(t, driver.connections(), 1)
}

func TestNothingAccumulates(t *testing.T) {
	driver := &fakeDriver{exec: func(*fakeConn, string, []any) (int64, error) { return 0, errBroken }}
	v := newVU(t, driver)
	v.Run(`
		for (let i = 0; i < 100; i++) {
			const client = new machbase.Client();
			client.query('x');
			client.close();
		}
		var broken = new machbase.Client();
		for (let i = 0; i < 100; i++) attempt(() => broken.exec('x'));
	`)
	require.Len(t, driver.connections(), 200)
	require.LessOrEqual(t, testutil.Goroutines("k6x.onEvent"), 1)

	v.Run(`var open = [1, 2, 3].map(() => { const c = new machbase.Client(); c.connect(); return c; })`)
	v.Exit()
	for _, conn := range driver.connections() {
		require.True(t, conn.closed.Load(), "connection %d is open after k6's end", conn.number)
	}
	requireNoneLeft(t)
}

func TestSetupsConnectionsEndWithIt(t *testing.T) {
	driver := &fakeDriver{}
	v := newInitVU(t, driver)
	v.Start(0)
	v.Run(`new machbase.Client().connect(); new machbase.Client().connect()`)
	v.CancelContext()
	for _, conn := range driver.connections() {
		require.Eventually(t, conn.closed.Load, 10*time.Second, time.Millisecond)
	}
	requireNoneLeft(t)
}

func TestMetrics(t *testing.T) {
	driver := answer([]Column{{"a", "long"}}, []any{int64(1)}, []any{int64(2)})
	driver.exec = func(*fakeConn, string, []any) (int64, error) { return 0, cmi.ServerError(2010, "Syntax error") }
	v := newVU(t, driver)
	v.Run(`var client = new machbase.Client(); client.query('x'); client.query('x'); attempt(() => client.exec('x')); client.prepare('x')`)
	for _, want := range []struct {
		operation, outcome string
		ops, rows          float64
	}{
		{opConnect, k6x.OutcomeOK, 1, 0}, {opQuery, k6x.OutcomeOK, 2, 4}, {opExec, cmi.KindSyntax, 1, 0}, {opPrepare, k6x.OutcomeOK, 1, 0},
	} {
		tags := []string{"op", want.operation, "outcome", want.outcome}
		require.Equal(t, want.ops, v.Counted(metricOps, tags...), tags)
		require.Equal(t, want.rows, v.Counted(metricRows, tags...), tags)
		durations := v.Found(metricDuration, tags...)
		require.Len(t, durations, int(want.ops), tags)
		for _, d := range durations {
			require.GreaterOrEqual(t, d.Value, 0.0)
		}
	}
	require.Equal(t, 5.0, v.Counted(metricOps))
	require.Equal(t, 200.0, v.Counted("data_received"))
	require.Equal(t, 20.0, v.Counted("data_sent"))
}

func TestClientOfASweep(t *testing.T) {
	driver := answer([]Column{{"a", "long"}}, []any{int64(1)}, []any{int64(2)})
	v := newVU(t, driver)
	v.Run(`var client = new machbase.Client()`)
	plain := v.VU.CtxField
	for n := 1; n <= 2; n++ {
		step := measure.NewStep(1, measure.Plan{Operations: 3}, nil)
		session := &k6x.Session{Client: step.Client(0), Op: "rollup", Tags: map[string]string{"clients": "1"}}
		v.VU.CtxField = k6x.WithSession(plain, session)
		require.NoError(t, session.Client.Run(v.VU.CtxField, session.Op, session.Measure, func() error {
			v.Run(`client.query('x')`)

			return nil
		}))
		session.End()

		require.Len(t, driver.connections(), n)
		require.True(t, driver.connections()[n-1].closed.Load())
		ops := step.Read().Ops
		require.Len(t, ops, 1)
		require.Equal(t, "rollup", ops[0].Op)
		require.Equal(t, uint64(6), ops[0].Rows)
		require.Equal(t, uint64(300), ops[0].BytesReceived)
		require.Equal(t, uint64(30), ops[0].BytesSent)
		require.Equal(t, float64(n*3), v.Counted(metricOps, "op", opQuery, "outcome", k6x.OutcomeOK))
		require.Equal(t, float64(n*6), v.Counted(metricRows))
		require.Empty(t, v.Found(metricDuration), "a sweep has its own durations")
	}
	requireNoneLeft(t)

	v.VU.CtxField = plain
	v.Run(`client.query('x')`)
	require.Len(t, v.Found(metricDuration, "op", opQuery), 1)
}

func TestCallsHaveContextsWithDeadlines(t *testing.T) {
	v := newVU(t, nil)
	conn := &contextConn{}
	c := newConnection(conn)
	for _, timeout := range []time.Duration{time.Hour, time.Minute} {
		begin := time.Now()
		require.NoError(t, c.do(v.VU.Context(), timeout, func(ctx context.Context, _ Conn) error {
			until, known := ctx.Deadline()
			require.True(t, known)
			require.WithinRange(t, until, begin.Add(timeout), time.Now().Add(timeout))

			return ctx.Err()
		}))
	}
	require.ErrorContains(t, c.do(v.VU.Context(), time.Hour, func(ctx context.Context, _ Conn) error {
		v.CancelContext()
		<-ctx.Done()

		return ctx.Err()
	}), "the test ended before the answer came")
	require.True(t, c.broken)
	c.close()
	require.True(t, conn.closed)
}

type contextConn struct {
	Conn

	closed bool
}

func (*contextConn) Broken() bool { return false }

func (c *contextConn) Close(ctx context.Context) error {
	c.closed = ctx.Err() == nil

	return nil
}
