package nats

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func runLayout(t *testing.T, v *vu, workload string) (r struct{ Succeeded, Failed, Hits, Misses int }) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(v.JSON(`layout.run(`+workload+`)`)), &r))

	return r
}

func TestOneConnectionForRuns(t *testing.T) {
	s := startServer(t, system)
	v := newVU(t)
	v.Set("own", s.URL)
	v.Run(`
		var client = new nats.Client(own, { name: 'counted' }), layout = client.layout({ layout: 'orb', database: unique });
		client.connect({ runs: true });
		client.connect({ runs: true });
		layout.prefill({ keys: { count: 10 } });
	`)
	require.Equal(t, 100, runLayout(t, v, `{ iterations: 100, mix: { get: 1, set: 1, delete: 1 }, keys: { count: 10 }, allowMisses: true }`).Succeeded)
	v.Run(`client.requestBatch('nobody', 'x', { iterations: 3 })`)
	requireConnections(t, s, 1)
	require.Equal(t, 2.0, v.Counted(metricConnects), "the other one has made the bucket")
	v.Run(`client.connect()`)
	requireConnections(t, s, 2)
	v.Run(`client.close()`)
	requireConnections(t, s, 0)
	v.Run(`client.requestBatch('nobody', 'x')`)
	requireConnections(t, s, 1)
	v.Exit()
	requireConnections(t, s, 0)
	requireNoneLeft(t)
}

func TestConnectDuringARun(t *testing.T) {
	v := newVU(t)
	v.Loop(`
		globalThis.client = new nats.Client(url), globalThis.service = client.respond(unique);
		const connects = [1, 2, 3].map(() => client.asyncConnect({ runs: true }));
		globalThis.answered = client.requestBatch(unique, 'x', { iterations: 50 }).succeeded;
		await Promise.all(connects);
		answered += client.requestBatch(unique, 'x', { iterations: 50 }).succeeded;
		service.close();
	`)
	require.JSONEq(t, `100`, v.JSON(`answered`))
	v.Run(`client.close()`)
	requireNoneLeftOf(t, v)
}

// The allocations of the call are spread over its operations.
func TestRunsAllocateNothing(t *testing.T) {
	v := withLayout(t, "orb")
	v.Run(`layout.prefill({ keys: { count: 10 } })`)
	for _, call := range []string{
		`layout.run({ iterations: 2000, mix: { get: 1, set: 1, delete: 1 }, keys: { count: 10 } })`,
		`client.requestBatch('$JS.API.INFO', '', { iterations: 2000 })`,
	} {
		v.Run(call)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v.Run(call)
		runtime.ReadMemStats(&after)
		require.Less(t, float64(after.Mallocs-before.Mallocs)/2000, 0.5, call)
	}
}

func TestRunsOverNatsGo(t *testing.T) {
	v := newVU(t)
	for i, options := range everyWay {
		connects := v.Counted(metricConnects)
		v.Run(`var client = new nats.Client(url, ` + options + `), layout = client.layout({ layout: 'micro', database: unique }), service = client.respond(unique)`)
		v.Run(`client.connect({ runs: true }); layout.prefill({ keys: { count: 10 } })`)
		require.Equal(t, 30, runLayout(t, v, `{ iterations: 30, mix: { get: 1 }, keys: { count: 10 } }`).Hits, options)
		require.JSONEq(t, `7`, v.JSON(`client.requestBatch(unique, 'x', { iterations: 7 }).succeeded`))
		require.Equal(t, connects+float64([]int{2, 1}[i]), v.Counted(metricConnects), "of the client, which makes the bucket, and of runs")
		v.Run(`layout.drop(); client.close()`)
	}
}

func TestRunWithServerRestart(t *testing.T) {
	s := startServer(t, "")
	v := newVU(t)
	v.Set("own", s.URL)
	v.Run(`var client = new nats.Client(own, { timeout: '10s' }), layout = client.layout({ layout: 'orb', database: unique });
		layout.prefill({ keys: { count: 10 } })`)
	require.Equal(t, 10, runLayout(t, v, `{ iterations: 10, mix: { get: 1 }, keys: { count: 10 } }`).Hits)
	s.kill()
	require.Equal(t, 5, runLayout(t, v, `{ iterations: 5, mix: { get: 1 }, keys: { count: 10 } }`).Failed)
	require.Equal(t, 1.0, v.Counted(metricDisconnects))
	require.GreaterOrEqual(t, v.Counted(metricOps, "op", opConnect, "outcome", k6x.KindConnect), 4.0)
	s.restart()
	require.Eventually(t, func() bool {
		return runLayout(t, v, `{ iterations: 10, mix: { get: 1 }, keys: { count: 10 } }`).Hits == 10
	}, 20*time.Second, 20*time.Millisecond)
	require.Equal(t, 1.0, v.Counted(metricReconnects))
	requireNoneLeftOf(t, v)
}

func TestConnectionThatBreaksBetweenRuns(t *testing.T) {
	s := startServer(t, "")
	v := newVU(t)
	v.Set("own", s.URL)
	v.Run(`var client = new nats.Client(own), layout = client.layout({ layout: 'orb', database: unique }); layout.prefill({ keys: { count: 10 } })`)
	s.kill()
	s.restart()
	time.Sleep(idleCheck)
	require.Eventually(t, func() bool {
		return v.Run(`attempt(() => client.jetStream().keyValues())`) == nil
	}, 20*time.Second, 20*time.Millisecond)
	require.Equal(t, 10, runLayout(t, v, `{ iterations: 10, mix: { get: 1 }, keys: { count: 10 } }`).Hits)
	require.Equal(t, 1.0, v.Counted(metricReconnects))
}

func TestRunWithStalledServer(t *testing.T) {
	s := startServer(t, "")
	v := newVU(t)
	v.Set("own", s.URL)
	v.Run(`var client = new nats.Client(own, { timeout: '5s' }), layout = client.layout({ layout: 'orb', database: unique }); layout.prefill({ keys: { count: 10 } })`)
	s.stop()
	v.Run(`var brief = new nats.Client(own, { timeout: '100ms', connectTimeout: '200ms' })`)
	totals := v.inSweep(1, `client.requestBatch('a', 'x', { timeout: '100ms' })`)
	require.Equal(t, map[string]uint64{"no answer within timeout (100ms)": 1}, totals[opRequest].Errors)
	require.Equal(t, k6x.KindConnect, v.fail(`brief.connect({ runs: true })`).Kind, "the kernel still connects")

	ctx, cancel := context.WithCancel(v.VU.CtxField)
	v.VU.CtxField = ctx
	time.AfterFunc(50*time.Millisecond, cancel)
	require.Equal(t, k6x.KindCancelled, v.fail(`layout.run({ iterations: 1000000, mix: { get: 1 }, keys: { count: 10 } })`).Kind)
	requireNoneLeftOf(t, v)
}

func TestRunOfAnotherKindOfBucket(t *testing.T) {
	v := withLayout(t, "orb")
	v.Run(`client.jetStream().createStream({ name: 'KV_' + unique, subjects: ['$KV.' + unique + '.>'], maxMsgsPerSubject: 1,
		allowRollupHdrs: true, allowDirect: false }); layout.prefill({ keys: { count: 10 } })`)
	require.Equal(t, 20, runLayout(t, v, `{ iterations: 20, mix: { get: 1 }, keys: { count: 10 } }`).Hits)
	require.Equal(t, 10, runLayout(t, v, `{ iterations: 10, mix: { delete: 1 }, keys: { count: 10, distribution: 'sequential' } }`).Succeeded)
	require.Equal(t, 20, runLayout(t, v, `{ iterations: 20, mix: { get: 1 }, keys: { count: 10 } }`).Misses)
	require.Equal(t, 40.0, v.Counted(metricOps, "op", "layout.get", "outcome", k6x.OutcomeOK))
	totals := v.inSweep(5, `layout.run({ iterations: 10, mix: { set: 1 }, keys: { count: 10 } })`)
	require.Equal(t, int64(5), totals["set"].Durations.Count)
	require.Greater(t, totals["set"].BytesSent, uint64(5*100))
}

func TestRunOfABucketThatFails(t *testing.T) {
	v := newVU(t)
	v.Run(`var layout = new nats.Client(url).layout({ layout: 'orb', database: 'a b' })`)
	totals := v.inSweep(2, `layout.run({ iterations: 10, mix: { get: 1 }, keys: { count: 1 } })`)
	require.Equal(t, map[string]uint64{`get key "key:000000000000" in bucket "a b": a bucket's name may only have letters, digits, - and _`: 2}, totals["get"].Errors)
	require.Equal(t, 2.0, v.Counted(metricOps, "op", "layout.get", "outcome", k6x.KindUsage))

	dropped := withLayout(t, "micro")
	dropped.Run(`layout.prefill({ keys: { count: 1 } }); client.jetStream().deleteKeyValue(unique)`)
	require.Equal(t, 1, runLayout(t, dropped, `{ iterations: 1, mix: { set: 1 }, keys: { count: 1 } }`).Failed)
	require.Equal(t, 1.0, dropped.Counted(metricOps, "op", "layout.put", "outcome", kindNoResponders))
	dropped.Run(`layout.drop()`)
	require.Equal(t, 1, runLayout(t, dropped, `{ iterations: 1, mix: { set: 1 }, keys: { count: 1 } }`).Succeeded, "it is looked up again")
}

func TestHeadersOfRequestBatch(t *testing.T) {
	v := newVU(t)
	nc := plainConn(t, natsURL(t))
	asked, err := nc.SubscribeSync(v.Run(`unique`).(string))
	require.NoError(t, err)
	require.NoError(t, nc.Flush())
	v.Run(`new nats.Client(url, { stamp: true, inboxPrefix: 'own.inbox' }).requestBatch(unique, 'x', { headers: { A: ['b', 'c'] }, timeout: '100ms' })`)
	m, err := asked.NextMsg(20 * time.Second)
	require.NoError(t, err)
	require.Equal(t, []string{"b", "c"}, m.Header["A"])
	require.Len(t, m.Header[sentHeader], 1)
	require.Contains(t, m.Reply, "own.inbox.")
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opRequest, "outcome", k6x.KindTimeout))
}
