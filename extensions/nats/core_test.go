package nats

import (
	"testing"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func TestPublish(t *testing.T) {
	v := newVU(t)
	nc := plainConn(t, natsURL(t))
	unique := v.Run(`unique`).(string)
	sub, err := nc.SubscribeSync(unique)
	require.NoError(t, err)
	require.NoError(t, nc.Flush())
	v.Run(`
		var client = new nats.Client(url, { name: 'a test' });
		client.publish(unique, 'text äö');
		client.publish(unique, new Uint8Array([0, 13, 10, 255]).buffer);
		client.publish(unique, new Uint8Array([9, 1, 2, 9]).subarray(1, 3));
		client.publish(unique);
		client.publish(unique, 'h', { headers: { One: '1', Two: ['a', 'b'] }, reply: 'answers' });
		client.flush();
	`)
	for _, want := range []natsio.Msg{
		{Data: []byte("text äö")}, {Data: []byte{0, 13, 10, 255}}, {Data: []byte{1, 2}}, {Data: []byte{}},
		{Data: []byte("h"), Reply: "answers", Header: natsio.Header{"One": {"1"}, "Two": {"a", "b"}}},
	} {
		got, err := sub.NextMsg(10 * time.Second)
		require.NoError(t, err)
		require.Equal(t, want.Data, got.Data)
		require.Equal(t, want.Reply, got.Reply)
		require.Equal(t, want.Header, got.Header)
	}
	require.Equal(t, 5.0, v.Counted(metricMessagesSent))
	require.Equal(t, float64(len("text äö")+4+2+1), v.Counted(metricBytesSent))
	require.Positive(t, v.Counted("data_sent"))
}

func TestPublishBatch(t *testing.T) {
	v := newVU(t)
	v.Run(`var came = (r) => { if (r.seconds > 0) { delete r.seconds; return r; } }`)
	require.JSONEq(t, `{"succeeded":4,"failed":0,"bytesSent":10,"bytesReceived":0}`,
		v.JSON(`came(new nats.Client(url).publishBatch(unique + '.b', ['a', 'four'], { iterations: 2 }))`))
	require.JSONEq(t, `[3, 4, 1000, ["a","b","a","b"], 3, 500]`, v.JSON(`(() => {
		const client = new nats.Client(url), sub = client.subscribe(unique);
		const one = client.publishBatch(unique, 'x', { iterations: 3 });
		sub.fetch(3);
		const several = client.publishBatch(unique, Object.freeze(['a', 'b']), Object.freeze({ iterations: 2 }));
		const data = sub.fetch(4).map((m) => m.data);
		const many = client.publishBatch(unique, 'y', { iterations: 1000 });
		const counted = sub.fetch(500, { discard: true });
		const stamped = new nats.Client(url, { stamp: true }).publishBatch(unique, ['1', '2', '3']);
		return [one.succeeded, several.succeeded, many.succeeded, data, stamped.succeeded, counted];
	})()`))
}

func TestPull(t *testing.T) {
	v := newVU(t)
	require.JSONEq(t, `[null, "a", ["b","c"], [], 0, true, null, []]`, v.JSON(`(() => {
		const client = new nats.Client(url), sub = client.subscribe(unique);
		const none = sub.next('20ms');
		client.publishBatch(unique, ['a', 'b', 'c']);
		const first = sub.next().data, rest = sub.fetch(2).map((m) => m.data), nothing = sub.fetch(5, { noWait: true });
		const pending = sub.pending();
		sub.close();
		return [none, first, rest, nothing, pending, sub.isClosed(), sub.next('1h'), sub.fetch(3, { timeout: '1h' })];
	})()`))
	require.Equal(t, 3.0, v.Counted(metricMessagesReceived))
	require.Zero(t, v.Counted(metricErrors), "that nothing comes is no failure")
}

func TestMessage(t *testing.T) {
	v := newVU(t)
	require.JSONEq(t, `{"subject":"s","topic":"s","reply":"r","data":"ä","raw":[195,164],"headers":{"A":"1"},"all":["1","2"],"none":[],
		"keys":["subject","reply","data","raw","headers","topic"],"same":true}`, v.JSON(`(() => {
		const client = new nats.Client(url), sub = client.subscribe(unique);
		client.publish(unique, 'ä', { headers: { A: ['1', '2'] }, reply: 'r' });
		const m = sub.next(), { data, reply, headers } = m;
		return { subject: m.subject === unique ? 's' : m.subject, topic: m.topic === unique ? 's' : m.topic, reply, data, headers,
			raw: Array.from(new Uint8Array(m.raw)), all: m.header('A'), none: m.header('B'), keys: Object.keys(m), same: m.raw === m.raw };
	})()`))
	require.Equal(t, k6x.KindUsage, v.fail(`
		const client = new nats.Client(url), sub = client.subscribe(unique); client.publish(unique, 'x');
		sub.next().respond('y')`).Kind)
	require.Equal(t, k6x.KindUsage, v.fail(`
		const client = new nats.Client(url), sub = client.subscribe(unique); client.publish(unique, 'x');
		const { respond } = sub.next(); respond('y')`).Kind)
}

func TestHeadersAreSorted(t *testing.T) {
	v := newVU(t)
	require.JSONEq(t, `["A,B,C,D,__proto__"]`, v.JSON(`(() => {
		const client = new nats.Client(url), sub = client.subscribe(unique), orders = new Set();
		for (let i = 0; i < 50; i++) {
			client.publish(unique, 'x', { headers: { D: '1', B: '2', A: '3', C: '4', ['__proto__']: '5' } });
			orders.add(Object.keys(sub.next().headers).join());
		}
		return [...orders];
	})()`))
}

func TestQueueAndMax(t *testing.T) {
	v := newVU(t)
	require.JSONEq(t, `[100, 5, true]`, v.JSON(`(() => {
		const client = new nats.Client(url);
		const one = client.subscribe(unique, null, { queue: 'q' }), other = client.subscribe(unique, null, { queue: 'q' });
		const few = client.subscribe(unique, { max: 5 });
		client.publishBatch(unique, 'x', { iterations: 100 });
		client.flush();
		const all = one.fetch(100, { timeout: 200, discard: true }) + other.fetch(100, { timeout: 200, discard: true });
		return [all, few.fetch(100, { timeout: 5000 }).length, few.isClosed()];
	})()`))
}

func TestRequest(t *testing.T) {
	v := newVU(t)
	nc := plainConn(t, natsURL(t))
	_, err := nc.Subscribe(v.Run(`unique`).(string), func(m *natsio.Msg) {
		answer := natsio.NewMsg(m.Reply)
		answer.Data = append([]byte("re: "), m.Data...)
		answer.Header.Set("Got", m.Header.Get("Sent"))
		_ = nc.PublishMsg(answer)
	})
	require.NoError(t, err)
	require.NoError(t, nc.Flush())
	require.JSONEq(t, `["re: hello", "yes"]`, v.JSON(`(() => {
		const answer = new nats.Client(url, { inboxPrefix: 'my.inbox' }).request(unique, 'hello', { headers: { Sent: 'yes' }, timeout: '10s' });
		return [answer.data, answer.headers.Got];
	})()`))
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "request", "outcome", k6x.OutcomeOK))
	require.Len(t, v.Found(metricDuration, "op", "request"), 1)

	e := v.fail(`new nats.Client(url).request(unique + '.nobody', 'x')`)
	require.Equal(t, thrown{Message: "no responders available for request", Kind: kindNoResponders}, e)
	e = v.fail(`const client = new nats.Client(url); client.subscribe(unique + '.silent'); client.request(unique + '.silent', 'x', { timeout: '30ms' })`)
	require.Equal(t, thrown{Message: "no answer within timeout (30ms)", Kind: k6x.KindTimeout}, e)
	require.Equal(t, 1.0, v.Counted(metricErrors, "kind", k6x.KindTimeout))
	require.Equal(t, 1.0, v.Counted(metricErrors, "kind", kindNoResponders))
}

func TestRequestToACallbackOfTheSameVU(t *testing.T) {
	v := newVU(t)
	v.Loop(`
		const client = new nats.Client(url);
		const replies = client.subscribe(unique, (message) => message.respond('pong'));
		const request = () => {
			try {
				client.request(unique, 'ping', { timeout: '30ms' });
			} catch (e) {
				return [e.kind, e.message];
			}
		};
		globalThis.waited = request();
		globalThis.answer = (await client.asyncRequest(unique, 'ping', { timeout: '10s' })).data;
		replies.close();
	`)
	require.JSONEq(t, `["timeout", "no answer within timeout (30ms); `+
		`callbacks of this VU cannot answer while request waits: use asyncRequest"]`, v.JSON(`waited`))
	require.Equal(t, "pong", v.Run(`answer`))
	v.Exit()
	requireNoneLeft(t)
}

func TestRespondInGo(t *testing.T) {
	v := newVU(t)
	require.JSONEq(t, `["fixed", "echoed", "no_responders"]`, v.JSON(`(() => {
		const client = new nats.Client(url);
		const fixed = client.respond(unique + '.a', 'fixed'), echo = client.respond(unique + '.b', null, { queue: 'q' });
		const answers = [client.request(unique + '.a', 'x').data, client.request(unique + '.b', 'echoed').data];
		fixed.close();
		return [...answers, attempt(() => client.request(unique + '.a', 'x')).kind];
	})()`))
}

func TestCallbacks(t *testing.T) {
	v := newVU(t)
	v.Loop(`
		globalThis.got = [];
		const client = new nats.Client(url);
		let messages = 0;
		const sub = client.subscribe(unique, (m) => {
			got.push(m.data);
			if (++messages === 500) { sub.close(); }
		});
		const service = client.subscribe(unique + '.service', (m) => m.respond(m.data + '!'), { queue: 'q' });
		client.publishBatch(unique, 'x', { iterations: 500 });
		const answer = await client.asyncRequest(unique + '.service', 'hey');
		got.push(answer.data);
		service.close();
	`)
	require.JSONEq(t, `[501, true]`, v.JSON(`[got.length, got.includes('hey!')]`))
	require.Equal(t, 501.0, v.Counted(metricOps, "op", "deliver", "outcome", k6x.OutcomeOK))
	v.Exit()
	requireNoneLeft(t)
}

func TestCallbacksAfterClose(t *testing.T) {
	v := newVU(t)
	v.Loop(`
		globalThis.got = 0;
		const client = new nats.Client(url), other = new nats.Client(url), seen = other.subscribe(unique);
		client.subscribe(unique, () => { got++; });
		client.publishBatch(unique, 'x', { iterations: 10 });
		client.flush();
		seen.fetch(10);
		client.close();
	`)
	require.Equal(t, int64(10), v.Run(`got`))
}

func TestCallbackThatThrows(t *testing.T) {
	v := newVU(t)
	_, err := v.RunOnEventLoop(`
		const client = new nats.Client(url);
		client.subscribe(unique, () => { throw new Error('the script is wrong'); });
		client.publishBatch(unique, 'x', { iterations: 3 });
	`)
	require.ErrorContains(t, err, "the script is wrong")
	v.CancelContext()
	v.Exit()
	requireNoneLeft(t)
}

func TestAsyncFormsDoTheSame(t *testing.T) {
	v := newVU(t)
	v.Loop(`
		globalThis.got = [];
		const client = new nats.Client(url);
		await client.asyncConnect();
		const service = client.respond(unique + '.echo');
		const answers = await Promise.all(['a', 'b', 'c'].map((x) => client.asyncRequest(unique + '.echo', x)));
		got.push(answers.map((m) => m.data));
		const sub = client.subscribe(unique), waiting = sub.asyncNext('10s'), more = sub.asyncFetch(2);
		client.publishBatch(unique, ['x', 'y', 'z']);
		got.push([(await waiting).data, ...(await more).map((m) => m.data)].sort());
		await client.asyncFlush();
		got.push(await client.asyncRtt() >= 0);
		got.push(await client.asyncRequest(unique + '.none', 'x').catch((e) => e.kind));
		await client.asyncDrain();
	`)
	require.JSONEq(t, `[["a","b","c"],["x","y","z"],true,"no_responders"]`, v.JSON(`got`))
}

func TestDrain(t *testing.T) {
	v := newVU(t)
	require.JSONEq(t, `[10, true, 10, true]`, v.JSON(`(() => {
		const client = new nats.Client(url), one = client.subscribe(unique), other = client.subscribe(unique);
		client.publishBatch(unique, 'x', { iterations: 10 });
		one.drain();
		const drained = [one.fetch(100, { discard: true }), one.isClosed()];
		client.drain();
		return [...drained, other.fetch(100, { discard: true }), other.isClosed()];
	})()`))
}

func TestLatency(t *testing.T) {
	v := newVU(t)
	v.Run(`
		var client = new nats.Client(url, { stamp: true }), sub = client.subscribe(unique);
		client.publish(unique, 'x', { headers: { A: 'b' } });
		if (sub.next().headers.A !== 'b') { throw new Error('the own header is lost'); }
	`)
	found := v.Found(metricLatency)
	require.Len(t, found, 1)
	require.GreaterOrEqual(t, found[0].Value, 0.0)
	require.Less(t, found[0].Value, 10_000.0)
}

func TestSubjectsAreTaggedOnRequest(t *testing.T) {
	v := newVU(t)
	v.Run(`
		new nats.Client(url).publish('plain', 'x');
		new nats.Client(url, { tagSubjects: true }).publish('tagged', 'x');
	`)
	require.Empty(t, v.Found(metricOps, "subject", "plain"))
	require.Len(t, v.Found(metricOps, "subject", "tagged", "op", "publish"), 1)
}

func TestSlowConsumer(t *testing.T) {
	v := newVU(t)
	v.Run(`
		var client = new nats.Client(url), sub = client.subscribe(unique, null, { pending: 10 });
		client.publishBatch(unique, 'x', { iterations: 100 });
		client.flush();
	`)
	require.Equal(t, int64(90), v.Run(`sub.dropped()`))
	require.Eventually(t, func() bool {
		v.Run(`client.flush()`)

		return v.Counted(metricErrors, "kind", kindSlowConsumer) > 0
	}, 10*time.Second, time.Millisecond)
}

func TestTooLarge(t *testing.T) {
	v := newVU(t)
	e := v.fail(`const client = new nats.Client(url); client.connect(); client.publish(unique, new ArrayBuffer(client.info().maxPayload + 1))`)
	require.Equal(t, k6x.KindTooLarge, e.Kind)
	require.Zero(t, v.Counted(metricMessagesSent), "what failed was not sent")
}

func TestFrozenBatchThatHoldsItself(t *testing.T) {
	v := newVU(t)
	require.Equal(t, int64(2), v.Run(`
		const client = new nats.Client(url), batch = ['x']
		batch.self = batch
		Object.freeze(batch)
		client.publishBatch('s', batch).succeeded + client.publishBatch('s', batch).succeeded`))
}

func TestUsage(t *testing.T) {
	v := newVU(t)
	v.Run(`var client = new nats.Client(url), js = client.jetStream(), kv = js.keyValue('b'), store = js.objectStore('b')`)
	for call, message := range map[string]string{
		`client.publish()`:                                                           `publish: the subject must be a string that is not empty, not undefined`,
		`client.publish('', 'x')`:                                                    `publish: the subject must be a string that is not empty, not`,
		`client.publish('a b', 'x')`:                                                 `publish: the subject must be words with dots between them, without blanks and wildcards, not a b`,
		`client.publish('a..b', 'x')`:                                                `publish: the subject must be words with dots between them, without blanks and wildcards, not a..b`,
		`client.publishBatch('a.', ['x'])`:                                           `publishBatch: the subject must be words with dots`,
		`client.request('a.*', 'x')`:                                                 `request: the subject must be words with dots`,
		`js.publish('>', 'x')`:                                                       `publish: the subject must be words with dots`,
		`js.publishBatch('.a', ['x'])`:                                               `publishBatch: the subject must be words with dots`,
		`client.publish('a', 'x', { reply: 'a.>' })`:                                 `publish: option reply must be words with dots`,
		`client.publish('a', 'x', { headers: { 'ä': '1' } })`:                        `publish: the header name "ä" must be letters, digits and signs such as - _ .`,
		`client.publish('a', 'x', { headers: { a: 'b\r\nc: d' } })`:                  `publish: header a has a line break, which would end it`,
		`client.publish('a', 5)`:                                                     `publish: the data must be a string, an ArrayBuffer or a typed array, not 5`,
		`client.publish('a', 'x', { headder: {} })`:                                  `publish: unknown option "headder"; known are headers, reply, tags`,
		`client.publish('a', 'x', { headers: { a: 1 } })`:                            `publish: header a must be a string or an array of strings, not 1`,
		`client.publish('a', 'x', { iterations: 2 })`:                                `publish: unknown option "iterations"; known are headers, reply, tags`,
		`client.publishBatch('a', [1])`:                                              `publishBatch: message 0 must be a string, an ArrayBuffer or a typed array, not 1`,
		`client.publishBatch('a', new Array(4294967295))`:                            `publishBatch: the data: an array has 4294967295 elements: at most 1000000 are allowed`,
		`client.publish(new Array(4294967295), 'x')`:                                 `publish: the subject must be a string that is not empty, not an array of 4294967295 elements`,
		`client.publish('a', new Array(4294967295))`:                                 `publish: the data must be a string, an ArrayBuffer or a typed array, not an array of 4294967295 elements`,
		`client.request('a', 'x', { timeout: new Array(4294967295) })`:               `request: option timeout must be a time such as '5s', or a number of milliseconds from 100, not an array of 4294967295 elements`,
		`js.createStream({ subjects: new Array(4294967295) })`:                       `createStream: the configuration cannot be read: subjects: an array has 4294967295 elements: at most 1000000 are allowed`,
		`const c = {}; c.metadata = c; js.createStream(c)`:                           `createStream: the configuration cannot be read: metadata: it contains itself`,
		`client.publishBatch('a', 'x', { iterations: 0 })`:                           `publishBatch: option iterations must be an integer from 1 to 1000000, not 0`,
		`client.request('a', 'x', { max: 1 })`:                                       `request: unknown option "max"; known are headers, timeout`,
		`client.request('a', 'x', { timeout: 'soon' })`:                              `request: option timeout must be a time such as '5s', or a number of milliseconds from 100, not soon`,
		`client.subscribe('a', null, { queu: 'q' })`:                                 `subscribe: unknown option "queu"; known are queue, max, pending`,
		`client.subscribe('a', null, { pending: 0 })`:                                `subscribe: max must not be below 0, and pending must be from 1 to 1000000`,
		`client.subscribe('a').fetch(0)`:                                             `fetch: the number of messages must be an integer from 1 to 1000000, not 0`,
		`client.subscribe('a').fetch(1, { ack: true })`:                              `fetch: the option ack is for messages of a consumer`,
		`client.jetStream({ domain: 'a', apiPrefix: 'b' })`:                          `jetStream: only one of domain and apiPrefix can be given`,
		`js.createStream({ name: 'a', maxAgge: 1 })`:                                 `createStream: unknown option "maxAgge"; the names are those of JetStream's API, in camel case`,
		`js.keyValue('b', { ttl: '60s' })`:                                           `keyValue: takes only the bucket's name; ensureKeyValue creates one with options`,
		`js.createStream({ name: 5 })`:                                               `createStream: option name cannot be a number`,
		`js.createStream({ name: 'a', maxAge: 'never' })`:                            `createStream: option maxAge must be a time such as '5s', or a number of milliseconds from 100`,
		`js.createStream({ name: 'a', storage: 1 })`:                                 `createStream: can not unmarshal "1"`,
		`js.createStream('a')`:                                                       `createStream: the configuration must be an object, not a`,
		`js.publish('a', 'x', { msgId: 'a' })`:                                       `publish: unknown option "msgId"; known are headers, timeout, tags, msgID, expectStream`,
		`kv.put('', 'x')`:                                                            `put: the key must be a string that is not empty, not`,
		`kv.update('k', 'x')`:                                                        `update: the revision must be an integer from 0 or a BigInt, not undefined`,
		`store.put({ naem: 'a' }, 'x')`:                                              `put: unknown option "naem"; known are name, description, headers, metadata, chunkSize`,
		`client.requestBatch('a', 'x', { max: 1 })`:                                  `requestBatch: unknown option "max"; known are headers, timeout, iterations, duration, tags`,
		`client.subscribe('a').fetch(1, { each: true, noWait: true })`:               `fetch: the option each is only for messages of a subscription or a consumer, without noWait`,
		`js.consumer('s', 'c').fetch(1, { each: true, noWait: true })`:               `fetch: the option noWait cannot be combined with maxBytes or each`,
		`client.layout()`:                                                            `layout: layout "" is unknown: it is "orb", "orb-compat" or "micro"`,
		`client.layout({ layout: 'macro' })`:                                         `layout: layout "macro" is unknown: it is "orb", "orb-compat" or "micro"`,
		`client.layout({ layout: 'orb', replicas: 6 })`:                              `layout: replicas must be from 1 to 5, or 0 for 1, not 6`,
		`client.layout({ layout: 'orb' }).put()`:                                     `put: the key must be a string that is not empty, not undefined`,
		`client.layout({ layout: 'orb' }).put('k', 'v', { tabel: 't' })`:             `put: unknown option "tabel"; known are table, metadata`,
		`client.layout({ layout: 'orb' }).get('k', 't')`:                             `get: options must be an object, not t`,
		`client.layout({ layout: 'orb' }).list({ limit: -1 })`:                       `list: option limit must be an integer from 0, not a number -1`,
		`client.layout({ layout: 'orb' }).run({ iterations: 1, mix: { put: 1 } })`:   `run: unknown option "mix.put"; known are get, set, delete, touch, getOrSet, getMulti`,
		`client.layout({ layout: 'orb' }).run({ iterations: 1, mix: { touch: 1 } })`: `touch`,
		`client.natsjsRow('Set')`:                                                    `natsjsRow: unknown row "Set"; known are OrbSet, MicroWrite, `,
		`client.natsjsRow('OrbSet', { tables: -1 })`:                                 `natsjsRow: tables and keys must be from 1 to 1000000, and replicas from 1 to 5`,
		`client.natsjsRow('OrbSet').run(3)`:                                          `run: options must be an object, not 3`,
		`client.natsjsRow('OrbSet').run()`:                                           `run: option iterations (a number of operations) or duration (a time such as '30s') must be given`,
		`client.natsjsRow('OrbSet').run({ iterations: 0 })`:                          `run: option iterations must be an integer from 1 to 1000000, not 0`,
		`client.requestBatch('a', 'x', { iterations: 2, duration: '1s' })`:           `requestBatch: options iterations and duration cannot both be given: iterations is 2, duration 1s`,
	} {
		e := v.fail(call)
		require.Equal(t, k6x.KindUsage, e.Kind, call)
		require.Contains(t, e.Message, message, call)
		require.NotContains(t, e.Message, "\n", call)
	}
}
