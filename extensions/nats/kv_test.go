package nats

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func withBucket(t *testing.T) *vu {
	t.Helper()
	v := newVU(t)
	v.Run(`
		var client = new nats.Client(url), js = client.jetStream();
		js.createKeyValue({ bucket: unique, history: 5, storage: 'memory' });
		var kv = js.keyValue(unique);
	`)
	t.Cleanup(func() { v.Run(`if (js.keyValues().includes(unique)) { js.deleteKeyValue(unique); } client.close()`) })

	return v
}

func TestKeyValue(t *testing.T) {
	v := withBucket(t)
	require.JSONEq(t, `[1, {"bucket":"b","key":"k","value":"ä","raw":{},"revision":1,"created":"date","operation":"put","delta":0}, [195,164]]`, v.JSON(`(() => {
		const revision = kv.put('k', 'ä'), entry = kv.get('k');
		return [revision, { ...entry, bucket: entry.bucket === unique ? 'b' : entry.bucket, created: entry.created instanceof Date ? 'date' : '' },
			Array.from(new Uint8Array(entry.raw))];
	})()`))
	require.JSONEq(t, `[null, null]`, v.JSON(`[kv.get('none'), kv.getRevision('k', 99)]`))
	require.JSONEq(t, `[2, "new", "ä"]`, v.JSON(`[kv.update('k', 'new', 1), kv.get('k').value, kv.getRevision('k', 1).value]`))
	e := v.fail(`kv.update('k', 'newer', 1)`)
	require.Equal(t, kindWrongSequence, e.Kind)
	require.Equal(t, int64(10071), e.Code)
	require.Equal(t, k6x.KindConflict, v.fail(`kv.create('k', 'x')`).Kind)
	require.JSONEq(t, `3`, v.JSON(`kv.create('bytes', new Uint8Array([1, 2, 3]))`))
	require.JSONEq(t, `[["bytes","k"], ["k"], []]`, v.JSON(`[kv.keys().sort(), kv.keys('k'), kv.keys(['a.*', 'b.>'])]`))
	require.JSONEq(t, `[["ä","put"],["new","put"],["","delete"]]`, v.JSON(`(() => {
		kv.delete('k');
		return kv.history('k').map((e) => [e.value, e.operation]);
	})()`))
	require.JSONEq(t, `[null, ["purge"], ["bytes"]]`, v.JSON(`(() => {
		const gone = kv.get('k');
		kv.purge('k');
		return [gone, kv.history('k').map((e) => e.operation), kv.keys()];
	})()`))
	require.JSONEq(t, `[2, 5, 0, "JetStream", "memory"]`, v.JSON(`(() => {
		const s = kv.info();
		return [s.values, s.history, s.ttl, s.backingStore, s.config.storage];
	})()`))
	for _, operation := range []string{"put", "get", "create", "delete", "keys"} {
		require.NotEmpty(t, v.Found(metricDuration, "op", "kv."+operation, "outcome", k6x.OutcomeOK), operation)
	}
	require.Equal(t, k6x.KindUsage, v.fail(`kv.put('not a key', 'x')`).Kind)
	require.Equal(t, kindWrongSequence, v.fail(`kv.delete('bytes', 1)`).Kind)
	v.Run(`js.deleteKeyValue(unique)`)
	require.Equal(t, k6x.KindNotFound, v.fail(`client.jetStream().keyValue(unique).get('k')`).Kind)
	require.Equal(t, k6x.KindNotFound, v.fail(`js.deleteKeyValue(unique)`).Kind)
}

func TestTimesToLive(t *testing.T) {
	v := newVU(t)
	v.Run(`
		var client = new nats.Client(url), js = client.jetStream();
		var kv = js.createKeyValue({ bucket: unique, storage: 'memory', ttl: '1h', limitMarkerTtl: '1m' });
		var lives = (revision) => js.getMessage('KV_' + unique, revision).headers['Nats-TTL'];
	`)
	t.Cleanup(func() { v.Run(`js.deleteKeyValue(unique)`) })
	require.JSONEq(t, `["1h", "1h"]`, v.JSON(`[kv.info().ttl, js.updateKeyValue(kv.info().config).info().config.ttl]`))
	for ttl, want := range map[string]any{
		`'60s'`: "1m0s", `'500ms'`: "1s", `'1500ms'`: "2s", `0`: nil, `new Date(Date.now() + 59990)`: "1m0s", `new Date(0)`: "1s",
	} {
		require.Equal(t, want, v.Run(`lives(kv.create('k' + Math.random(), 'v', { ttl: `+ttl+` }))`), ttl)
		require.Equal(t, want, v.Run(`lives(js.publish('$KV.' + unique + '.p', 'v', { ttl: `+ttl+` }).sequence)`), ttl)
	}
	v.Run(`kv.create('short', 'v', { ttl: '1s' })`)
	require.Eventually(t, func() bool { return v.Run(`kv.get('short')`) == nil }, 30*time.Second, 100*time.Millisecond)
	for call, message := range map[string]string{
		`kv.create('k', 'v', 60)`:                                   `create: options must be an object, not 60`,
		`kv.create('k', 'v', { ttl: 60 })`:                          `create: ttl 60 must say its unit, such as '60s'`,
		`js.publish('a', 'v', { ttl: 60000 })`:                      `publish: ttl 60000 must say its unit: '60000s', or '60s' if it is milliseconds`,
		`js.createKeyValue({ bucket: 'b', ttl: 60000 })`:            `createKeyValue: ttl 60000 must say its unit`,
		`js.createStream({ name: 'a', maxAge: 60 })`:                `createStream: maxAge 60 could be seconds or milliseconds: write '60s' or '60ms'`,
		`js.createConsumer('a', { name: 'a', backoff: [1, '2s'] })`: `createConsumer: backoff 1 could be seconds or milliseconds: write '1s' or '1ms'`,
	} {
		e := v.fail(call)
		require.Equal(t, k6x.KindUsage, e.Kind, call)
		require.Contains(t, e.Message, message, call)
	}
}

func TestErrorsOfBucketsNameTheOption(t *testing.T) {
	v := withBucket(t)
	require.Contains(t, v.fail(`js.keyValue(unique + '-none').get('k')`).Message,
		"bucket not found: create it with createKeyValue or createObjectStore")
	require.Contains(t, v.fail(`kv.create('k', 'v', { ttl: '60s' })`).Message,
		"per-message TTL is disabled (JetStream error 10166): a bucket has it with the option limitMarkerTtl of createKeyValue")
}

func TestWatch(t *testing.T) {
	v := withBucket(t)
	v.Loop(`
		globalThis.got = [];
		kv.put('a.1', 'before');
		kv.put('b.1', 'not watched');
		const watch = kv.watch('a.*', (e) => {
			got.push([e.key, e.value, e.operation]);
			if (got.length === 3) { watch.close(); }
		});
		kv.put('a.2', 'after');
		kv.delete('a.1');
	`)
	require.JSONEq(t, `[["a.1","before","put"],["a.2","after","put"],["a.1","","delete"]]`, v.JSON(`got`))
	require.JSONEq(t, `[null, "a.3", null, true]`, v.JSON(`(() => {
		const watch = kv.watch(['a.*', 'b.*'], { updatesOnly: true, metaOnly: true });
		const nothing = watch.next('20ms');
		kv.put('a.3', 'x');
		const key = watch.next().key;
		watch.close();
		return [nothing, key, watch.next('1h'), watch.isClosed()];
	})()`))
}

func TestWatchesEnd(t *testing.T) {
	v := withBucket(t)
	v.Run(`
		for (let i = 0; i < 1000; i++) { js.publishNoWait('$KV.' + unique + '.k' + i, 'x'); }
		js.complete();
		var other = new nats.Client(url), watch = other.jetStream().keyValue(unique).watch();
		if (watch.next() === null) { throw new Error('nothing came'); }
		other.close();
		var closed = js.keyValue(unique).watch();
		closed.close();
		if (js.keyValue(unique).keys().length !== 1000) { throw new Error('keys are missing'); }
	`)
	requireNoneLeftOfClients(t, v)
}

func TestKeyValueAsync(t *testing.T) {
	v := withBucket(t)
	v.Loop(`
		globalThis.got = [];
		await Promise.all(['a', 'b', 'c'].map((k) => kv.asyncPut(k, k + k)));
		got.push((await Promise.all(['a', 'b', 'c'].map((k) => kv.asyncGet(k)))).map((e) => e.value));
		got.push((await kv.asyncKeys()).sort(), await kv.asyncCreate('a', 'x').catch((e) => e.kind));
	`)
	require.JSONEq(t, `[["aa","bb","cc"],["a","b","c"],"conflict"]`, v.JSON(`got`))
}

func TestObjectStore(t *testing.T) {
	v := newVU(t)
	v.Run(`
		var client = new nats.Client(url), js = client.jetStream();
		var store = js.createObjectStore({ bucket: unique, storage: 'memory', maxAge: '1h' });
	`)
	t.Cleanup(func() { v.Run(`js.deleteObjectStore(unique); client.close()`) })
	require.JSONEq(t, `["o", 3, 1]`, v.JSON(`(({ name, size, chunks }) => [name, size, chunks])(store.put('o', 'abc'))`))
	require.JSONEq(t, `["abc", 3, true]`, v.JSON(`(({ data, raw, digest }) => [data, raw.byteLength, digest.startsWith('SHA-256=')])(store.get('o'))`))
	require.JSONEq(t, `[1000000, 10, "big", "v", "m", true]`, v.JSON(`(() => {
		const bytes = new Uint8Array(1000000).fill(7);
		store.put({ name: 'big one', description: 'big', headers: { H: 'v' }, metadata: { a_b: 'm' }, chunkSize: 100000 }, bytes);
		const back = store.get('big one'), info = store.stat('big one');
		return [info.size, info.chunks, info.description, info.headers.H[0], info.metadata.a_b, new Uint8Array(back.raw).every((b) => b === 7)];
	})()`))
	require.JSONEq(t, `["", 0]`, v.JSON(`(() => { store.put('empty', ''); const e = store.get('empty'); return [e.data, e.raw.byteLength]; })()`))
	require.JSONEq(t, `["big one","empty","o"]`, v.JSON(`js.objectStore(unique).list().map((o) => o.name).sort()`))
	v.Run(`store.delete('o'); store.delete('o'); store.delete('never there')`)
	require.JSONEq(t, `[null, null]`, v.JSON(`[store.get('o'), store.stat('o')]`))
	require.JSONEq(t, `[true, "1h"]`, v.JSON(`[js.objectStores().includes(unique), store.info().ttl]`))
	require.Equal(t, 1000003.0, v.Counted(metricBytesSent))
	v.Loop(`globalThis.got = (await store.asyncGet('empty')).size`)
	require.Equal(t, int64(0), v.Run(`got`))
	require.Equal(t, k6x.KindNotFound, v.fail(`js.objectStore('none' + unique).list()`).Kind)
}

func TestServerWithoutJetStream(t *testing.T) {
	s := startServer(t, `jetstream: disabled`)
	v := newVU(t)
	v.Set("own", s.URL)
	v.Run(`var client = new nats.Client(own), js = client.jetStream()`)
	const says = "JetStream is not enabled on the server: start nats-server with -js"
	for _, call := range []string{
		`js.keyValue('b').put('k', 'v')`, `js.keyValue('b').get('k')`, `js.createKeyValue({ bucket: 'b' })`, `js.objectStore('b').put('k', 'v')`,
		`js.publish('s', 'x')`, `js.streamInfo('s')`, `client.layout({ layout: 'orb' }).put('k', 'v')`,
	} {
		e := v.fail(call)
		require.Equal(t, says, e.Message, call)
		require.Equal(t, k6x.KindServer, e.Kind, call)
	}
	require.Contains(t, v.Abort(`client.layout({ layout: 'orb' }).prefill({})`), says)
	require.Equal(t, kindNoResponders, v.fail(`client.request('nobody', 'x')`).Kind)
}

func TestOrderOfProperties(t *testing.T) {
	v := withBucket(t)
	for _, expression := range []string{`kv.info()`, `js.streamInfo('KV_' + unique)`, `client.info()`} {
		orders := map[string]bool{}
		for range 20 {
			orders[v.JSON(`Object.keys(`+expression+`)`)] = true
			if expression == `kv.info()` {
				orders[v.JSON(`Object.keys(kv.info().config)`)] = true
			}
		}
		require.LessOrEqual(t, len(orders), 2, expression)
		require.NotContains(t, orders, "[]", expression)
	}
}

func TestPurgeWithATTL(t *testing.T) {
	v := newVU(t)
	v.Run(`var client = new nats.Client(url), js = client.jetStream();
		js.createKeyValue({ bucket: unique, storage: 'memory', limitMarkerTtl: '1s' });
		var kv = js.keyValue(unique), revision = kv.put('k', 'v')`)
	defer v.Run(`js.deleteKeyValue(unique); client.close()`)
	require.Equal(t, kindWrongSequence, v.fail(`kv.purge('k', { revision: revision + 5, ttl: '1s' })`).Kind)
	v.Run(`kv.purge('k', { revision, ttl: '1s' })`)
	require.JSONEq(t, `["purge"]`, v.JSON(`kv.history('k').map((e) => e.operation)`))
	require.Eventually(t, func() bool { return v.JSON(`kv.history('k').length`) == "0" }, 30*time.Second, 100*time.Millisecond)
}
