package nats

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func TestRequestBatch(t *testing.T) {
	v := newVU(t)
	v.Run(`var client = new nats.Client(url), service = client.respond(unique)`)
	v.Run(`var came = (subject, options) => { const r = client.requestBatch(subject, 'abc', options); if (r.seconds > 0) { delete r.seconds; } return r; }`)
	require.JSONEq(t, `{"succeeded":7,"failed":0,"bytesSent":21,"bytesReceived":21}`, v.JSON(`came(unique, { iterations: 7 })`))
	require.JSONEq(t, `{"succeeded":0,"failed":2,"bytesSent":0,"bytesReceived":0}`, v.JSON(`came(unique + '.no', { iterations: 2 })`))
	require.Equal(t, 7.0, v.Counted(metricOps, "op", opRequest, "outcome", k6x.OutcomeOK))
	require.Equal(t, 2.0, v.Counted(metricOps, "op", opRequest, "outcome", kindNoResponders))
	require.Empty(t, v.Found(metricDuration, "op", opRequest), "k6 would keep them all")

	totals := v.inSweep(25, `client.requestBatch(unique, 'question', { iterations: 10 })`)
	require.Equal(t, int64(25), totals[opRequest].Durations.Count, "to the operation")
	require.Len(t, totals, 1)
	require.Greater(t, totals[opRequest].BytesReceived, uint64(25*len("question")))
	totals = v.inSweep(3, `client.requestBatch(unique + '.nobody', 'x', { iterations: 10 })`)
	require.Equal(t, uint64(3), totals[opRequest].Failed)
	require.JSONEq(t, `[true, true]`, v.JSON(`(() => {
		const { succeeded, failed, seconds } = client.requestBatch(unique, 'x', { duration: '100ms' });
		return [succeeded > 0 && failed === 0, seconds >= 0.1];
	})()`))
	require.Equal(t, map[string]uint64{"no responders available for request": 3}, totals[opRequest].Errors)
}

func TestRequestBatchEndsWithTheTest(t *testing.T) {
	v := newVU(t)
	v.Run(`var client = new nats.Client(url), silent = client.subscribe(unique)`)
	ctx, cancel := context.WithCancel(v.VU.CtxField)
	v.VU.CtxField = ctx
	begun := time.Now()
	time.AfterFunc(50*time.Millisecond, cancel)
	require.Equal(t, k6x.KindCancelled, v.fail(`client.requestBatch(unique, 'x', { iterations: 1000000, timeout: '1h' })`).Kind)
	require.Less(t, time.Since(begun), 10*time.Second)
}

func TestFetchEach(t *testing.T) {
	v := newVU(t)
	v.Run(`var client = new nats.Client(url, { stamp: true }), sub = client.subscribe(unique), each = Object.freeze({ each: true, discard: true, timeout: 200 })`)
	require.JSONEq(t, `5`, v.JSON(`(client.publishBatch(unique, 'x', { iterations: 5 }), sub.fetch(5, each))`))
	require.Len(t, v.Found(metricLatency), 5)

	totals := v.inSweep(20, `client.publishBatch(unique, 'x', { iterations: 10 }); sub = client.subscribe(unique); client.publishBatch(unique, 'x', { iterations: 10 }); sub.fetch(10, each); sub.close()`)
	require.Equal(t, int64(20), totals[opDeliver].Durations.Count)
	delivered := totals[opDeliver]
	require.Less(t, delivered.Durations.Quantile(0.5), 10*time.Second)
	require.Zero(t, totals[opDeliver].Failed)

	totals = v.inSweep(10, `sub = client.subscribe(unique, { pending: 4 }); client.publishBatch(unique, 'x', { iterations: 10 }); client.flush(); sub.fetch(10, each); sub.close()`)
	require.Equal(t, int64(4), totals[opDeliver].Durations.Count)
	require.Equal(t, uint64(6), totals[opDeliver].Failed, "what is lost is no work")
	const slow = "slow consumer: messages were dropped, since as many were waiting as the option pending allows (4)"
	require.Equal(t, map[string]uint64{slow: 6}, totals[opDeliver].Errors)

	totals = v.inSweep(10, `sub = client.subscribe(unique, { pending: 4 }); client.publishBatch(unique, 'x', { iterations: 6 }); client.flush(); sub.fetch(10, each); sub.close()`)
	require.Equal(t, map[string]uint64{slow: 2, "messages did not arrive within 200ms": 4}, totals[opDeliver].Errors)

	stream := withStream(t)
	stream.Run(`js.publishBatch(subject, 'x', { iterations: 5 }); var consumer = js.createConsumer(unique, { durableName: 'c' })`)
	totals = stream.inSweep(6, `consumer.fetch(6, { each: true, discard: true, ack: true, timeout: 100 })`)
	require.Equal(t, int64(5), totals[opDeliver].Durations.Count, "since they were stored")
	require.Equal(t, uint64(1), totals[opDeliver].Failed)

	e := v.fail(`const plain = new nats.Client(url), own = plain.subscribe(unique); plain.publish(unique, 'x'); own.fetch(1, each)`)
	require.Equal(t, k6x.KindUsage, e.Kind)
	require.Contains(t, e.Message, "set the option stamp of the client that sends them")
}

// The race detector checks that each VU's callbacks run on its own event loop.
func TestManyVUsSubscribe(t *testing.T) {
	const vus, messages = 512, 20
	root := New()
	all := make([]*vu, vus)
	for i := range all {
		all[i] = newInitVU(t, root)
		all[i].Start(uint64(i + 1))
	}
	subject := all[0].Run(`unique`)
	ready, failed := make(chan struct{}, vus), make(chan error, vus)
	var work sync.WaitGroup
	for _, v := range all {
		require.NoError(t, v.JS.Set("everybody", subject))
		require.NoError(t, v.JS.Set("ready", func() { ready <- struct{}{} }))
		work.Go(func() {
			_, err := v.RunOnEventLoop(`
				globalThis.seen = [];
				const client = new nats.Client(url, { connectTimeout: '60s', timeout: '60s' });
				const sub = client.subscribe(everybody, (m) => {
					seen.push(m.data);
					if (seen.length === 20) { sub.close(); client.close(); }
				});
				ready();
			`)
			if err != nil {
				t.Error(err)
				failed <- err
			}
		})
	}
	for range vus {
		select {
		case <-ready:
		case err := <-failed:
			require.NoError(t, err)
		}
	}
	nc := plainConn(t, natsURL(t))
	for i := range messages {
		require.NoError(t, nc.Publish(subject.(string), []byte{byte('a' + i)}))
	}
	require.NoError(t, nc.Flush())
	work.Wait()
	nc.Close()
	for _, v := range all {
		require.Equal(t, "abcdefghijklmnopqrst", v.Run(`seen.join('')`))
		v.Exit()
	}
	requireNoneLeft(t)
}
