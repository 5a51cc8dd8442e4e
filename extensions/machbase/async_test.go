package machbase

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func (v *vu) loop(script string) {
	v.t.Helper()
	_, err := v.RunOnEventLoop(script)
	require.NoError(v.t, err, script)
}

func TestAsyncFormsDoTheSame(t *testing.T) {
	driver := func() *fakeDriver {
		d := answer([]Column{{"a", "long"}}, []any{int64(1)}, []any{int64(2)})
		d.exec = func(_ *fakeConn, sql string, args []any) (int64, error) { return int64(len(sql) + len(args)), nil }

		return d
	}
	const script = `
		await client.CONNECT();
		const statement = await client.PREPARE('y'), a = await client.APPENDER('t', { columns: ['a'] });
		results.push(await client.QUERY('x'), await client.QUERY('x', [], { rows: 'discard' }), await client.EXEC('abc', [1]),
			await statement.QUERY([]), await statement.EXEC([1, 2]), await a.APPEND([1], [2]),
			await a.APPENDCOLUMNS([new Float64Array(3)]), await a.GENERATE('sequence', { from: new Date(0), rows: 4 }), await a.FLUSH(),
			await a.SYNC(), await a.CLOSE());
	`
	names := [...]string{"connect", "prepare", "appender", "query", "exec", "appendColumns", "append", "generate", "flush", "sync", "close"}
	blocking, async := script, script
	for _, name := range names {
		upper := "." + strings.ToUpper(name) + "("
		blocking = strings.ReplaceAll(blocking, upper, "."+name+"(")
		async = strings.ReplaceAll(async, upper, ".async"+strings.ToUpper(name[:1])+name[1:]+"(")
	}
	var results []string
	for _, script := range []string{blocking, async} {
		v := newVU(t, driver())
		v.loop(`var client = new machbase.Client(), results = []; (async () => {` + script + `})()`)
		results = append(results, v.JSON(`results.map((x) => x === undefined ? 'undefined' : x)`))
		require.Equal(t, 9.0, v.Counted(metricRows, "op", opAppend), "2 + 3 + 4 rows, and none besides")
		require.Equal(t, 9.0, v.Counted(metricAcknowledged))
		require.Equal(t, 3.0, v.Counted(metricOps, "op", opQuery, "outcome", k6x.OutcomeOK))
		require.Equal(t, 2.0, v.Counted(metricOps, "op", opExec, "outcome", k6x.OutcomeOK))
		require.Equal(t, 1.0, v.Counted(metricOps, "op", opPrepare, "outcome", k6x.OutcomeOK))
		require.Equal(t, 1.0, v.Counted(metricOps, "op", opConnect, "outcome", k6x.OutcomeOK))
	}
	require.JSONEq(t, `[[{"a":1},{"a":2}],2,4,[{"a":1},{"a":2}],3,"undefined",3,4,"undefined",
		{"accepted":9,"rejected":0,"reasons":[],"other":0},{"accepted":9,"rejected":0,"reasons":[],"other":0}]`, results[0])
	require.JSONEq(t, results[0], results[1])
}

func TestAsyncDoesNotBlock(t *testing.T) {
	began, release := make(chan struct{}), make(chan struct{})
	v := newVU(t, &fakeDriver{exec: func(*fakeConn, string, []any) (int64, error) {
		close(began)
		<-release

		return 7, nil
	}})
	v.Set("began", func() { <-began })
	v.Set("release", func() { close(release) })
	v.loop(`var client = new machbase.Client(), order = [];
		const p = client.asyncExec('x').then((n) => order.push(n));
		began(); order.push('meanwhile'); release();`)
	require.JSONEq(t, `["meanwhile",7]`, v.JSON(`order`))
}

func TestAsyncOperationsQueue(t *testing.T) {
	var mu sync.Mutex
	var order []string
	underWay := 0
	v := newVU(t, &fakeDriver{exec: func(_ *fakeConn, sql string, _ []any) (int64, error) {
		mu.Lock()
		underWay++
		require.Equal(t, 1, underWay, "two at a time on one connection")
		order = append(order, sql)
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		underWay--

		return 0, nil
	}})
	v.loop(`var client = new machbase.Client();
		for (let i = 0; i < 5; i++) client.asyncExec('async ' + i);
		client.exec('blocking');
		client.asyncExec('last');
		client.close();`)
	require.Equal(t, []string{"async 0", "async 1", "async 2", "async 3", "async 4", "blocking", "last"}, order)
	require.Equal(t, 7.0, v.Counted(metricOps, "op", opExec, "outcome", k6x.OutcomeOK), "also those whose promises nobody awaits")
}

func TestTwoClientsAtATime(t *testing.T) {
	both := make(chan struct{}, 2)
	v := newVU(t, &fakeDriver{exec: func(*fakeConn, string, []any) (int64, error) {
		both <- struct{}{}
		for deadline := time.After(10 * time.Second); len(both) < 2; {
			select {
			case <-deadline:
				return 0, errBroken
			case <-time.After(time.Millisecond):
			}
		}

		return 1, nil
	}})
	v.loop(`var a = new machbase.Client(), b = new machbase.Client(), n = 0;
		Promise.all([a.asyncExec('x'), b.asyncExec('x')]).then(([x, y]) => { n = x + y; })`)
	require.Equal(t, int64(2), v.Run(`n`))
}

func TestAsyncErrors(t *testing.T) {
	for _, test := range []struct {
		script, message, kind string
		code                  int64
	}{
		{`client.asyncExec('x')`, "Table T does not exist. (machbase error 2025)", cmi.KindNotFound, 2025},
		{`client.asyncExec()`, "exec: the SQL must be a string that is not blank, not undefined", k6x.KindUsage, 0},
		{`client.asyncQuery('x', 5)`, "the parameters must be an array such as ['WISH', 100], not 5", k6x.KindUsage, 0},
		{`client.asyncQuery('x', [], { row: 1 })`, `query: unknown option "row"; known are rows, expect, minRows, times, timeout, tags`, k6x.KindUsage, 0},
		{`client.asyncAppender()`, "appender: the table's name must be a string that is not empty, not undefined", k6x.KindUsage, 0},
		{`client.appender('t').asyncAppendColumns(5)`,
			`appendColumns: it takes an array of columns such as [['a', 'b'], new Float64Array([1, 2])], not 5`, k6x.KindUsage, 0},
		{`(() => { const a = client.appender('t'); a.close(); return a.asyncAppend([1]); })()`,
			"the appender on t is closed, or its connection broke; open a new one", k6x.KindConnection, 0},
	} {
		t.Run(test.script, func(t *testing.T) {
			v := newVU(t, &fakeDriver{exec: func(*fakeConn, string, []any) (int64, error) {
				return 0, cmi.ServerError(2025, "Table T does not exist.")
			}})
			v.loop(`var client = new machbase.Client(), e; ` + test.script + `.then(() => { e = 'nothing' }, (x) => { e = x })`)
			require.Equal(t, true, v.Run(`e instanceof Error`))
			require.Equal(t, test.message, v.Run(`e.message`))
			require.Equal(t, "MachbaseError", v.Run(`e.name`))
			require.Equal(t, test.kind, v.Run(`e.kind`))
			require.Equal(t, test.code, v.Run(`e.code`))
		})
	}
}

func TestAsyncUnhandledRejection(t *testing.T) {
	v := newVU(t, &fakeDriver{exec: func(*fakeConn, string, []any) (int64, error) { return 0, cmi.ServerError(2010, "Syntax error") }})
	_, err := v.RunOnEventLoop(`new machbase.Client().asyncExec('x')`)
	require.ErrorContains(t, err, "Uncaught (in promise) MachbaseError: Syntax error")
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opExec, "outcome", cmi.KindSyntax))
}

func TestEndOfTheVUDuringAsyncOperations(t *testing.T) {
	stall := newStall()
	driver := &fakeDriver{exec: func(c *fakeConn, _ string, _ []any) (int64, error) { return 0, stall.here(c) }}
	v := newVU(t, driver)
	v.Run(`var client = new machbase.Client(), kinds = []; client.connect()`)
	stall.on.Store(true)
	go func() {
		<-stall.waiting
		v.CancelContext()
	}()
	v.loop(`for (let i = 0; i < 3; i++) client.asyncExec('x').catch((e) => kinds.push(e.kind))`)
	require.JSONEq(t, `["cancelled","cancelled","cancelled"]`, v.JSON(`kinds`))
	for _, conn := range driver.connections() {
		require.Eventually(t, conn.closed.Load, 10*time.Second, time.Millisecond)
	}
	v.Exit()
	requireNoneLeft(t)
}

func TestAsyncTimeout(t *testing.T) {
	stall := newStall()
	stall.on.Store(true)
	v := newVU(t, &fakeDriver{exec: func(c *fakeConn, _ string, _ []any) (int64, error) { return 0, stall.here(c) }})
	v.loop(`var client = new machbase.Client(), e; client.asyncExec('x', [], { timeout: '20ms' }).catch((x) => { e = x })`)
	require.Equal(t, "no answer within timeout (20ms)", v.Run(`e.message`))
	require.Equal(t, k6x.KindTimeout, v.Run(`e.kind`))
}

func TestAsyncArgumentsAreCopied(t *testing.T) {
	release := make(chan struct{})
	var bytes []byte
	var column []float64
	v := newVU(t, &fakeDriver{
		exec: func(_ *fakeConn, _ string, args []any) (int64, error) {
			<-release
			bytes = args[0].([]byte)

			return 0, nil
		},
		columns: func(_ *fakeConn, columns []any) error {
			column = columns[0].([]float64)

			return nil
		},
	})
	v.Set("release", func() { close(release) })
	v.loop(`var client = new machbase.Client(), a = client.appender('t'), b = new Uint8Array([1, 2]), c = new Float64Array([1, 2]);
		client.asyncExec('x', [b.buffer]); a.asyncAppendColumns([c]); b[0] = 9; c[0] = 9; release();`)
	require.Equal(t, []byte{1, 2}, bytes)
	require.Equal(t, []float64{1, 2}, column)
}

func TestAsyncInTheInitContext(t *testing.T) {
	driver := &fakeDriver{}
	v := newInitVU(t, driver)
	v.loop(`var e; new machbase.Client().asyncQuery('x').catch((x) => { e = x })`)
	require.Equal(t, k6x.KindUsage, v.Run(`e.kind`))
	require.Empty(t, driver.connections())
}

func TestGenerateHasATimeoutForEachBatch(t *testing.T) {
	const timeout = 300 * time.Millisecond
	stalls := false
	driver := &fakeDriver{columns: func(c *fakeConn, _ []any) error {
		select {
		case <-c.interrupted:
			return errBroken
		case <-time.After(map[bool]time.Duration{false: timeout / 3, true: time.Hour}[stalls]):
			return nil
		}
	}}
	v := newVU(t, driver)
	v.Run(`var client = new machbase.Client({ timeout: 300 }), a = client.appender('t')`)
	begin := time.Now()
	require.Equal(t, int64(5*1024), v.Run(`a.generate('sequence', { from: new Date(0), rows: 5 * 1024 })`))
	require.Greater(t, time.Since(begin), timeout)

	stalls = true
	require.Equal(t, thrown{"MachbaseError", "no answer within timeout (300ms)", k6x.KindTimeout, 0},
		v.fail(`a.generate('sequence', { from: new Date(0), rows: 5 * 1024 })`))
}

func TestContextEndsAGeneration(t *testing.T) {
	var v *vu
	batches := 0
	v = newVU(t, &fakeDriver{columns: func(c *fakeConn, _ []any) error {
		if batches++; batches == 3 {
			v.CancelContext()
			<-c.interrupted
		}
		if c.isInterrupted() {
			return errBroken
		}

		return nil
	}})
	v.Run(`var client = new machbase.Client(), a = client.appender('t')`)
	require.Equal(t, k6x.KindCancelled, v.fail(`a.generate('sequence', { from: new Date(0), rows: 1e9 })`).Kind)
	require.Equal(t, 3, batches)
}

func (c *fakeConn) isInterrupted() bool {
	select {
	case <-c.interrupted:
		return true
	default:
		return false
	}
}

func TestReceiptsAreCounted(t *testing.T) {
	receipts := []cmi.Receipt{
		{Accepted: 10, Rejected: 3, Reasons: []cmi.Reason{{Code: 1345, Message: "null", Rows: 2}, {Code: 3017, Message: "long", Rows: 1}}},
		{Accepted: 10, Rejected: 3, Reasons: []cmi.Reason{{Code: 1345, Message: "null", Rows: 2}, {Code: 3017, Message: "long", Rows: 1}}},
		{Accepted: 25, Rejected: 10, Reasons: []cmi.Reason{{Code: 3017, Message: "long", Rows: 3}, {Code: 1345, Message: "null", Rows: 2},
			{Code: 1345, Message: "other null", Rows: 1}}, Other: 4},
	}
	v := newVU(t, &fakeDriver{receipt: func(*fakeConn, int64) (cmi.Receipt, error) {
		receipt := receipts[0]
		receipts = receipts[1:]

		return receipt, nil
	}})
	v.Run(`var client = new machbase.Client(), a = client.appender('t')`)
	require.JSONEq(t, `{"accepted":10,"rejected":3,"other":0,
		"reasons":[{"code":1345,"message":"null","rows":2},{"code":3017,"message":"long","rows":1}]}`, v.JSON(`a.sync()`))
	require.Equal(t, 10.0, v.Counted(metricAcknowledged))
	require.Equal(t, 3.0, v.Counted(metricRejected))
	v.Run(`a.sync()`)
	require.Equal(t, 3.0, v.Counted(metricRejected))
	require.Equal(t, int64(4), v.Run(`a.close().other`))
	require.Equal(t, 25.0, v.Counted(metricAcknowledged))
	for reason, rows := range map[string]float64{"1345": 3, "3017": 3, "other": 4} {
		require.Equal(t, rows, v.Counted(metricRejected, "reason", reason), reason)
	}
	require.Equal(t, 10.0, v.Counted(metricRejected))
}

func TestReceiptOfACallThatFails(t *testing.T) {
	v := newVU(t, &fakeDriver{receipt: func(*fakeConn, int64) (cmi.Receipt, error) {
		return cmi.Receipt{Accepted: 5}, k6x.Errorf(k6x.KindConnection, "gone")
	}})
	require.Equal(t, k6x.KindConnection, v.fail(`new machbase.Client().appender('t').sync()`).Kind)
	require.Equal(t, 5.0, v.Counted(metricAcknowledged))
}
