package nats

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func TestEveryCallTakesTags(t *testing.T) {
	v := withStream(t)
	v.Run(`
		var tags = { tags: { page: 'own' } }, service = client.respond(unique + '.service', 'an answer');
		var kv = js.createKeyValue({ bucket: unique, storage: 'memory', history: 5 });
		var store = js.createObjectStore({ bucket: unique, storage: 'memory' });
		var layout = client.layout({ layout: 'orb', database: unique + 'l' }), row = client.natsjsRow('OrbSetGet', { database: unique + 'row' });
		js.publishBatch(subject, 'x', { iterations: 100 });
		var consumer = js.createConsumer(unique, { durableName: 'c', ackWait: '1h' });
		var message = () => consumer.next();
	`)
	for _, call := range [][2]string{
		{"connect", `new nats.Client(url).connect(tags)`},
		{"flush", `client.flush(null, tags)`},
		{"rtt", `client.rtt(tags)`},
		{"drain", `const other = new nats.Client(url); other.connect(); other.drain('10s', tags)`},
		{"publish", `client.publish('a', 'x', tags)`},
		{"publishBatch", `client.publishBatch('a', 'x', tags)`},
		{"request", `client.request(unique + '.service', 'x', tags)`},
		{"request", `client.requestBatch(unique + '.service', 'x', { iterations: 1, ...tags })`},
		{"subscribe", `client.subscribe('a', tags).close()`},
		{"next", `const sub = client.subscribe(unique + '.next'); client.publish(unique + '.next', 'x'); sub.next(null, tags); sub.close()`},
		{"next", `const sub = client.subscribe(unique + '.next', tags); client.publish(unique + '.next', 'x'); sub.next(); sub.close()`},
		{"fetch", `const sub = client.subscribe(unique + '.next', tags); client.publish(unique + '.next', 'x'); sub.fetch(1); sub.close()`},
		{"fetch", `const sub = client.subscribe('a'); sub.fetch(1, { noWait: true, ...tags }); sub.close()`},
		{"drain", `client.subscribe('a').drain(null, tags)`},
		{"respond", `client.respond('a', null, tags).close()`},
		{"js.publish", `js.publish(subject, 'x', tags)`},
		{"js.publishNoWait", `js.publishNoWait(subject, 'x'); js.complete(null, tags)`},
		{"js.publishNoWait", `js.publishBatch(subject, 'x', tags)`},
		{"js.createStream", `js.createStream({ name: unique + 's', storage: 'memory' }, tags)`},
		{"js.updateStream", `js.updateStream({ name: unique + 's', storage: 'memory' }, tags)`},
		{"js.ensureStream", `js.ensureStream({ name: unique + 's', storage: 'memory' }, tags)`},
		{"js.streamInfo", `js.streamInfo(unique, tags)`},
		{"js.streams", `js.streams(tags)`},
		{"js.purgeStream", `js.purgeStream(unique + 's', tags)`},
		{"js.deleteStream", `js.deleteStream(unique + 's', tags)`},
		{"js.getMessage", `js.getMessage(unique, 1, tags)`},
		{"js.createConsumer", `js.createConsumer(unique, { durableName: 'd' }, tags)`},
		{"js.updateConsumer", `js.updateConsumer(unique, { durableName: 'd' }, tags)`},
		{"js.ensureConsumer", `js.ensureConsumer(unique, { durableName: 'd' }, tags)`},
		{"js.deleteConsumer", `js.deleteConsumer(unique, 'd', tags)`},
		{"js.consumerInfo", `consumer.info(tags)`},
		{"js.next", `consumer.next(null, tags)`},
		{"js.fetch", `consumer.fetch(1, tags)`},
		{"js.consume", `js.orderedConsumer(unique).consume(null, tags).close()`},
		{"ack", `message().ack(tags)`},
		{"ackSync", `message().ackSync(null, tags)`},
		{"nak", `message().nak('1h', tags)`},
		{"term", `message().term('a reason', tags)`},
		{"inProgress", `message().inProgress(tags)`},
		{"js.createKeyValue", `js.createKeyValue({ bucket: unique + 'b', storage: 'memory' }, tags)`},
		{"js.updateKeyValue", `js.updateKeyValue({ bucket: unique + 'b', storage: 'memory' }, tags)`},
		{"js.ensureKeyValue", `js.ensureKeyValue({ bucket: unique + 'b', storage: 'memory' }, tags)`},
		{"js.keyValues", `js.keyValues(tags)`},
		{"js.deleteKeyValue", `js.deleteKeyValue(unique + 'b', tags)`},
		{"kv.put", `kv.put('k', 'v', tags)`},
		{"kv.get", `kv.get('k', tags)`},
		{"kv.getRevision", `kv.getRevision('k', 1, tags)`},
		{"kv.update", `kv.update('k', 'v', 1, tags)`},
		{"kv.create", `kv.create('new', 'v', tags)`},
		{"kv.keys", `kv.keys(null, tags)`},
		{"kv.history", `kv.history('k', tags)`},
		{"kv.watch", `kv.watch('k', tags).close()`},
		{"kv.delete", `kv.delete('k', null, tags)`},
		{"kv.purge", `kv.purge('k', null, tags)`},
		{"kv.info", `kv.info(tags)`},
		{"js.createObjectStore", `js.createObjectStore({ bucket: unique + 'b', storage: 'memory' }, tags)`},
		{"js.updateObjectStore", `js.updateObjectStore({ bucket: unique + 'b', storage: 'memory' }, tags)`},
		{"js.ensureObjectStore", `js.ensureObjectStore({ bucket: unique + 'b', storage: 'memory' }, tags)`},
		{"js.objectStores", `js.objectStores(tags)`},
		{"js.deleteObjectStore", `js.deleteObjectStore(unique + 'b', tags)`},
		{"object.put", `store.put('o', 'data', tags)`},
		{"object.get", `store.get('o', tags)`},
		{"object.stat", `store.stat('o', tags)`},
		{"object.list", `store.list(tags)`},
		{"object.delete", `store.delete('o', tags)`},
		{"object.info", `store.info(tags)`},
		{"layout.put", `layout.put('k', 'v', tags)`},
		{"layout.get", `layout.get('k', tags)`},
		{"layout.get", `layout.run({ iterations: 1, mix: { get: 1 }, ...tags })`},
		{"layout.put", `layout.prefill({ keys: { count: 1 }, ...tags })`},
		{"layout.list", `layout.list(tags)`},
		{"layout.delete", `layout.delete('k', tags)`},
		{"layout.drop", `layout.drop(tags)`},
		{"row.fill", `row.fill('1m', tags)`},
		{"row.run", `row.run({ iterations: 1, ...tags })`},
		{"row.drop", `row.drop('1m', tags)`},
	} {
		before := v.Counted(metricOps, "op", call[0], "outcome", k6x.OutcomeOK, "page", "own")
		v.Run(`{ ` + call[1] + ` }`)
		require.Equal(t, before+1, v.Counted(metricOps, "op", call[0], "outcome", k6x.OutcomeOK, "page", "own"), call[1])
	}
	untagged := v.Counted(metricOps, "op", "layout.get", "page", "own")
	v.Run(`layout.run({ iterations: 1, mix: { get: 1 } })`)
	require.Equal(t, untagged, v.Counted(metricOps, "op", "layout.get", "page", "own"), "tags are those of one call")
	v.Run(`layout.drop(); service.close(); js.deleteKeyValue(unique); js.deleteObjectStore(unique)`)
}

func TestTagsOfACall(t *testing.T) {
	v := newVU(t)
	v.Run(`
		var client = new nats.Client(url, { stamp: true }), sub = client.subscribe(unique), frozen = Object.freeze({ tags: Object.freeze({ page: 'a' }) });
		client.publish(unique, 'four', { tags: { page: 'a', try: 1, last: true } });
		client.publish(unique, 'x', { tags: { page: 'b' } });
		client.publish(unique, 'no');
		sub.next(null, frozen);
		sub.next(null, frozen);
		sub.next();
		try { client.request(unique + '.nobody', 'x', { tags: { page: 'c' } }); } catch (e) { if (e.kind !== 'no_responders') { throw e; } }
	`)
	for tag, bytes := range map[string]float64{"a": 4, "b": 1} {
		require.Equal(t, bytes, v.Counted(metricBytesSent, "page", tag))
		require.Equal(t, 1.0, v.Counted(metricMessagesSent, "page", tag))
	}
	require.Len(t, v.Found(metricDuration, "op", "publish", "page", "a", "try", "1", "last", "true"), 1)
	require.Equal(t, 3.0, v.Counted(metricMessagesSent), "that of no call with tags has none")
	require.Equal(t, 5.0, v.Counted(metricBytesReceived, "page", "a"))
	require.Len(t, v.Found(metricLatency, "page", "a"), 2)
	require.Len(t, v.Found(metricLatency), 3)
	require.Equal(t, 1.0, v.Counted(metricErrors, "kind", kindNoResponders, "page", "c"))
	require.Equal(t, 1.0, v.Counted(metricErrors))

	for call, message := range map[string]string{
		`client.rtt({ tag: {} })`:                         `rtt: unknown option "tag"; known is tags`,
		`client.rtt('a')`:                                 `rtt: options must be an object, not a`,
		`client.publish('a', 'x', { tags: 'a' })`:         `publish: option tags must be an object`,
		`client.publish('a', 'x', { tags: { op: 'a' } })`: `publish: option tags cannot have op`,
		`client.subscribe('a', { tags: { a: {} } })`:      `subscribe: option tags.a must be a string`,
		`client.publish(unique, 'x', { reply: 'r' }); sub.next().respond('x', { iterations: 2 })`: `respond: unknown option "iterations"; known are headers, reply, tags`,
	} {
		e := v.fail(call)
		require.Equal(t, k6x.KindUsage, e.Kind, call)
		require.Contains(t, e.Message, message, call)
	}
}

func TestTagsOfCallbacks(t *testing.T) {
	v := newVU(t)
	v.Loop(`
		const client = new nats.Client(url);
		const sub = client.subscribe(unique, () => sub.close(), { tags: { page: 'pushed' } });
		client.publish(unique, 'x');
	`)
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "deliver", "page", "pushed"))
	require.Equal(t, 1.0, v.Counted(metricMessagesReceived, "page", "pushed"))
}
