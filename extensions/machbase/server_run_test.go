//go:build servers

package machbase

import (
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

func workTable(v *vu) string {
	table := v.table(tagTable)
	v.Run(`var appender = client.appender(table);
		for (let i = 0; i < 10; i++) { appender.append(['a', new Date(1000 * i), i]); appender.append(['b', new Date(1000 * i), i]); }
		appender.close(); client.exec('exec table_flush(' + table + ')')`)

	return table
}

func TestServerRunTakesTurns(t *testing.T) {
	for _, cache := range []cmi.CacheMode{cmi.CacheOff, cmi.CacheAuto} {
		t.Run(string(cache), func(t *testing.T) {
			v := newServerVU(t)
			table := workTable(v)
			root := New()
			// The kernel may begin to record receive times some 10 ms late, hence the warm-up.
			plan := measure.Plan{Operations: 200, Warmup: 100 * time.Millisecond}
			r := testutil.Step(t, 8, plan, "rows", func() *testutil.Runner {
				one := testutil.NewRunner(t, ImportPath, root)
				one.Start(1)
				one.Set("url", serverURL(t))
				one.Run(`var client = new machbase.Client(url, { statementCache: '` + string(cache) + `' })`)

				return one
			}, `client.connect()`, `client.run({ iterations: 50, query: 'select * from `+table+` where name = ? and time < ?',
			params: [{ oneOf: ['a', 'b'] }, new Date(4500)], minRows: 5 })`)
			require.True(t, r.Complete, cache)
			op := r.Op("rows")
			require.Empty(t, op.Errors)
			require.Equal(t, int64(8*200), op.Durations.Count)
			require.Equal(t, uint64(5*8*200), op.Rows)
			require.GreaterOrEqual(t, r.ClientWait.Count, int64(8*200/20), "of one answer in sixteen")
			require.Positive(t, r.ClientWait.Min)
			require.Greater(t, op.BytesReceived, op.BytesSent)
		})
	}
}

func TestServerRunAndOtherCalls(t *testing.T) {
	v := newServerVU(t)
	table := workTable(v)
	v.Run(`var statement = client.prepare('select count(*) as n from ' + table);
		var rows = client.appender(table)`)
	for range 2 {
		r := v.work(`{ iterations: 20, query: 'select * from ` + table + `', minRows: 20 }`)
		require.Equal(t, 20, r.Succeeded)
		require.Equal(t, 20*20, r.Rows)
		require.Equal(t, int64(20), v.Run(`statement.query()[0].n`))
		v.Loop(`if ((await client.asyncQuery('select * from ' + table, [], { rows: 'discard' })) !== 20) throw new Error('other rows')`)
	}
	require.Equal(t, int64(0), v.Run(`rows.close().rejected`))
}

func TestServerRunInserts(t *testing.T) {
	v := newServerVU(t)
	table := v.table(tagTable)
	r := v.work(`{ iterations: 30, exec: "insert into ` + table + ` values ('a', ?, ?)", params: [{ from: new Date(0), step: '1s' }, { between: [0, 1] }] }`)
	require.Equal(t, workResult{Succeeded: 30, Seconds: r.Seconds}, r)
	v.Run(`client.exec('exec table_flush(` + table + `)')`)
	require.Equal(t, int64(30), v.Run(`client.query('select distinct time from `+table+`', [], { rows: 'discard' })`))
}

func TestServerRunThatIsWrong(t *testing.T) {
	v := newServerVU(t)
	table := workTable(v)
	e := v.fail(`client.run({ iterations: 1000, query: 'select * from ` + table + ` where name = ?' })`)
	require.Equal(t, k6x.KindUsage, e.Kind, "%v", e)
	r := v.work(`{ iterations: 3, query: 'select nope from ` + table + `' }`)
	require.Equal(t, workResult{Failed: 3, Seconds: r.Seconds}, r)
	require.Equal(t, 3, v.work(`{ iterations: 3, query: 'select * from `+table+`' }`).Succeeded, "the connection stays")
}

func TestServerRunThroughABadNetwork(t *testing.T) {
	v := newServerVU(t)
	v.numbered(3)
	p := newProxy(t)
	p.clientOf(t, v, `{ timeout: '60s' }`)
	query := "query: `select n from ${table}`, minRows: 3"
	require.Equal(t, 5, v.work(`{ iterations: 5, `+query+` }`).Succeeded)

	p.stalled.Store(true)
	r := v.work(`{ iterations: 1, timeout: 100, ` + query + ` }`)
	require.Equal(t, workResult{Failed: 1, Seconds: r.Seconds}, r)
	require.InDelta(t, 0.1, r.Seconds, 1)
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opQuery, "outcome", k6x.KindTimeout))
	p.stalled.Store(false)
	require.Equal(t, 5, v.work(`{ iterations: 5, `+query+` }`).Succeeded)

	p.cut()
	r = v.work(`{ iterations: 5, ` + query + ` }`)
	require.Equal(t, workResult{Succeeded: 4, Failed: 1, Rows: 12, Seconds: r.Seconds}, r)
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opQuery, "outcome", k6x.KindConnection))
	require.Equal(t, 3.0, v.Counted(metricOps, "op", opConnect, "outcome", k6x.OutcomeOK)-1)
	v.Run(`client.close(); client = new machbase.Client(url)`)
}

func TestServerRunContinuesWhileOneClientConnects(t *testing.T) {
	address := listening(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }) // it sends nothing
	v := newServerVU(t)
	table := workTable(v)
	silent := newVU(t, nil)
	silent.Set("address", address)
	silent.Run(`var client = new machbase.Client(address, { connectTimeout: '1h' })`)
	ended := make(chan thrown, 1)
	go func() { ended <- silent.fail(`client.run({ duration: '1h', query: 'select 1' })`) }()
	for range runtime.GOMAXPROCS(0) {
		require.Equal(t, 10, v.work(`{ iterations: 10, query: 'select * from `+table+`' }`).Succeeded)
	}
	silent.CancelContext()
	require.Equal(t, k6x.KindCancelled, (<-ended).Kind)
}
