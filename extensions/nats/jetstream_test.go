package nats

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func withStream(t *testing.T) *vu {
	t.Helper()
	v := newVU(t)
	v.Run(`
		var client = new nats.Client(url), js = client.jetStream();
		js.createStream({ name: unique, subjects: [unique + '.>'], storage: 'memory', maxAge: '1h', duplicateWindow: 60000,
			metadata: { snake_case: 'kept' } });
		var subject = unique + '.a';
	`)
	t.Cleanup(func() { v.Run(`if (js.streams().includes(unique)) { js.deleteStream(unique); } client.close()`) })

	return v
}

func TestStreams(t *testing.T) {
	v := withStream(t)
	require.JSONEq(t, `["1h", "1m", "kept", "memory"]`, v.JSON(`(() => {
		const { config } = js.streamInfo(unique);
		return [config.maxAge, config.duplicateWindow, config.metadata.snake_case, config.storage];
	})()`))
	require.JSONEq(t, `["2h", 100, true]`, v.JSON(`(() => {
		const changed = js.updateStream({ ...js.streamInfo(unique).config, maxAge: '2h', maxMsgs: 100 });
		return [changed.config.maxAge, changed.config.maxMsgs, js.streams().includes(unique)];
	})()`))
	v.Run(`
		js.updateStream(js.streamInfo(unique).config);
		var dated = js.createConsumer(unique, { deliverPolicy: 'by_start_time', optStartTime: new Date(0), backoff: ['50ms', '1s'], maxDeliver: 3 });
	`)
	require.JSONEq(t, `["1970-01-01T00:00:00Z", ["50ms", "1s"]]`, v.JSON(`[dated.info().config.optStartTime, dated.info().config.backoff]`))
	require.JSONEq(t, `"1m"`, v.JSON(`js.ensureStream({ name: unique, subjects: [unique + '.>'], storage: 'memory', max_age: 60000000000 }).config.maxAge`))
	v.Run(`js.publishBatch(subject, 'x', { iterations: 10 })`)
	require.JSONEq(t, `[10, 0]`, v.JSON(`(() => {
		const messages = () => js.streamInfo(unique).state.messages;
		const before = messages();
		js.purgeStream(unique);
		return [before, messages()];
	})()`))
	v.Run(`js.deleteStream(unique)`)
	e := v.fail(`js.streamInfo(unique)`)
	require.Equal(t, thrown{"stream not found (JetStream error 10059)", k6x.KindNotFound, 10059}, e)
	require.Equal(t, k6x.KindNotFound, v.fail(`js.deleteStream(unique)`).Kind)
}

func TestStreamThatIsThere(t *testing.T) {
	v := withStream(t)
	e := v.fail(`js.createStream({ name: unique, subjects: ['other.' + unique] })`)
	require.Equal(t, k6x.KindConflict, e.Kind)
	require.Equal(t, int64(10058), e.Code)
}

func TestStreamPublish(t *testing.T) {
	v := withStream(t)
	require.JSONEq(t, `{"stream":true,"sequence":1,"duplicate":false,"domain":""}`, v.JSON(`(() => {
		const ack = js.publish(subject, 'x', { msgID: 'one', headers: { A: 'b' } });
		return { ...ack, stream: ack.stream === unique };
	})()`))
	require.JSONEq(t, `[1, true]`, v.JSON(`(({ sequence, duplicate }) => [sequence, duplicate])(js.publish(subject, 'x', { msgID: 'one' }))`))
	require.JSONEq(t, `2`, v.JSON(`js.publish(subject, 'y', { expectLastSequence: 1, expectStream: unique, expectLastMsgID: 'one' }).sequence`))
	require.JSONEq(t, `3`, v.JSON(`js.publish(subject, 'z', { expectLastSequenceForSubject: 2 }).sequence`))
	e := v.fail(`js.publish(subject, 'z', { expectLastSequence: 1 })`)
	require.Equal(t, kindWrongSequence, e.Kind)
	require.Equal(t, int64(10071), e.Code)
	require.Equal(t, kindNoResponders, v.fail(`js.publish('nobody.' + unique, 'x')`).Kind)
	require.JSONEq(t, `["x","b",1,null,"z"]`, v.JSON(`(() => {
		const m = js.getMessage(unique, 1);
		return [m.data, m.headers.A, m.sequence, js.getMessage(unique, 99), js.getMessage(unique, subject).data];
	})()`))
	require.Equal(t, 4.0, v.Counted(metricOps, "op", "js.publish", "outcome", k6x.OutcomeOK))
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "js.publish", "outcome", kindWrongSequence))
}

func TestPublishNoWait(t *testing.T) {
	v := withStream(t)
	require.JSONEq(t, `[100, 0, 250, 350]`, v.JSON(`(() => {
		const bounded = client.jetStream({ maxPending: 10 });
		for (let i = 0; i < 100; i++) { bounded.publishNoWait(subject, 'x' + i); }
		return [bounded.complete(), bounded.complete(), bounded.publishBatch(subject, ['a', 'b'], { iterations: 125 }).succeeded,
			js.streamInfo(unique).state.messages];
	})()`))
	require.Equal(t, 350.0, v.Counted(metricOps, "op", opPublishNoWait, "outcome", k6x.OutcomeOK))
	require.Equal(t, 350.0, v.Counted(metricMessagesSent))

	e := v.fail(`js.publishBatch(subject, 'x', { iterations: 5, expectLastSequence: 350 })`)
	require.Equal(t, kindWrongSequence, e.Kind)
	require.Contains(t, e.Message, "4 of 5 messages were not stored: wrong last sequence")
	require.Equal(t, 4.0, v.Counted(metricOps, "op", opPublishNoWait, "outcome", kindWrongSequence))
	require.Equal(t, 351.0, v.Counted(metricOps, "op", opPublishNoWait, "outcome", k6x.OutcomeOK))
}

func TestConsumer(t *testing.T) {
	v := withStream(t)
	v.Run(`
		js.publishBatch(subject, ['1', '2', '3', '4', '5', '6']);
		var consumer = js.createConsumer(unique, { durableName: 'c', ackPolicy: 'explicit', ackWait: '1h', maxDeliver: 5 });
	`)
	require.JSONEq(t, `["1",1,1,1,5,true,true,true]`, v.JSON(`(() => {
		const m = consumer.next();
		m.inProgress();
		m.ackSync();
		return [m.data, m.sequence, m.consumerSequence, m.deliveries, m.pending, m.stream === unique, m.consumer === 'c',
			m.timestamp instanceof Date];
	})()`))
	require.JSONEq(t, `["again","again",2,null]`, v.JSON(`(() => {
		js.publish(unique + '.b', 'again');
		const other = js.createConsumer(unique, { durableName: 'b', filterSubject: unique + '.b', ackWait: '1h' });
		const first = other.next();
		first.nak();
		const second = other.next('10s');
		second.nak('1h');
		return [first.data, second.data, second.deliveries, other.next('50ms')];
	})()`))
	v.Run(`consumer.fetch(2).forEach((m) => m.term('never again'))`)
	require.JSONEq(t, `[["4","5"],["6","again"],[],null,0]`, v.JSON(`(() => {
		const same = client.jetStream().consumer(unique, 'c'), data = (all) => all.map((m) => { m.ack(); return m.data; });
		return [data(same.fetch(2)), data(same.fetch(5, { timeout: 100 })), data(same.fetch(5, { noWait: true })), same.next('50ms'),
			same.fetch(5, { timeout: '50ms', discard: true })];
	})()`))
	require.Len(t, v.Found(metricLatency), 9, "1, again twice, 2 to 6, again")
	require.JSONEq(t, `[0, "2h"]`, v.JSON(`[consumer.info().numPending,
		js.updateConsumer(unique, { ...consumer.info().config, ackWait: '2h' }).info().config.ackWait]`))

	require.Equal(t, k6x.KindConflict, v.fail(`js.createConsumer(unique, { durableName: 'c', ackPolicy: 'none' })`).Kind)
	require.Equal(t, k6x.KindUsage, v.fail(`const m = js.createConsumer(unique, { durableName: 'd' }).next(); m.ack(); m.nak()`).Kind)
	v.Run(`js.deleteConsumer(unique, 'c')`)
	require.Equal(t, k6x.KindNotFound, v.fail(`js.deleteConsumer(unique, 'c')`).Kind)
	require.Equal(t, k6x.KindNotFound, v.fail(`client.jetStream().consumer(unique, 'c').next()`).Kind)
}

func TestFetchInGo(t *testing.T) {
	v := withStream(t)
	require.JSONEq(t, `[600, 400]`, v.JSON(`(() => {
		js.publishBatch(subject, 'x', { iterations: 1000 });
		globalThis.consumer = js.createConsumer(unique, { durableName: 'c' });
		const o = Object.freeze({ ack: true, discard: true, timeout: 500 });
		return [consumer.fetch(600, o), consumer.fetch(600, o)];
	})()`))
	require.Eventually(t, func() bool { return v.Run(`consumer.info().numAckPending`) == int64(0) }, 10*time.Second, time.Millisecond)
	require.Equal(t, 1000.0, v.Counted(metricMessagesReceived))
}

func TestConsume(t *testing.T) {
	v := withStream(t)
	v.Loop(`
		globalThis.got = [];
		js.publishBatch(subject, 'x', { iterations: 1000 });
		const consumer = js.createConsumer(unique, { durableName: 'c' });
		const running = consumer.consume((m) => {
			got.push(m.sequence);
			m.ack();
			if (got.length === 1500) { running.close(); }
		}, { maxMessages: 100 });
		await js.asyncPublishBatch(subject, 'y', { iterations: 500 });
	`)
	require.JSONEq(t, `[1500, 1, 1500]`, v.JSON(`[got.length, got[0], got[1499]]`))

	v.Loop(`
		got = [];
		const ordered = js.orderedConsumer(unique, { deliverPolicy: 'by_start_sequence', optStartSeq: 1400 }).consume();
		for (let m = await ordered.asyncNext(); m !== null; m = await ordered.asyncNext()) {
			got.push(m.sequence);
			if (got.length === 101) { ordered.close(); }
		}
	`)
	require.JSONEq(t, `[101, 1400, 1500]`, v.JSON(`[got.length, got[0], got[100]]`))
}

func TestConsumeEndsWithTheClient(t *testing.T) {
	v := withStream(t)
	v.Run(`
		js.publishBatch(subject, 'x', { iterations: 1000 });
		var other = new nats.Client(url);
		var running = other.jetStream().createConsumer(unique, { durableName: 'c' }).consume(null, { maxMessages: 10 });
		if (running.next() === null) { throw new Error('nothing came'); }
		other.close();
	`)
	require.Eventually(t, func() bool { return v.Run(`running.isClosed()`) == true }, 10*time.Second, time.Millisecond)
	v.Run(`js.deleteStream(unique); client.close()`)
	requireNoneLeftOfClients(t, v)
}

func requireNoneLeftOfClients(t *testing.T, v *vu) {
	t.Helper()
	v.Exit()
	requireNoneLeft(t)
}

func TestJetStreamAsync(t *testing.T) {
	v := withStream(t)
	v.Loop(`
		globalThis.got = [];
		const acks = await Promise.all([1, 2, 3].map((n) => js.asyncPublish(subject, 'x' + n)));
		got.push(acks.map((a) => a.sequence).sort());
		const consumer = await js.asyncCreateConsumer(unique, { durableName: 'c' });
		const m = await consumer.asyncNext();
		await m.asyncAckSync();
		got.push((await consumer.asyncFetch(2)).length, (await consumer.asyncInfo()).numPending);
		got.push(await js.asyncPublish('nobody.' + unique, 'x').catch((e) => e.kind));
	`)
	require.JSONEq(t, `[[1,2,3],2,0,"no_responders"]`, v.JSON(`got`))
}

func TestFullStream(t *testing.T) {
	v := withStream(t)
	v.Run(`js.updateStream({ ...js.streamInfo(unique).config, discard: 'new', maxMsgs: 3 })`)
	v.Run(`js.publishBatch(subject, 'x', { iterations: 3 })`)
	e := v.fail(`js.publish(subject, 'x')`)
	require.Equal(t, thrown{"maximum messages exceeded (JetStream error 10077)", k6x.KindFull, 10077}, e)
	e = v.fail(`js.publishBatch(subject, 'x', { iterations: 4 })`)
	require.Equal(t, k6x.KindFull, e.Kind)
	require.Contains(t, e.Message, "4 of 4 messages were not stored")
	require.Equal(t, 5.0, v.Counted(metricErrors, "kind", k6x.KindFull))
	require.Equal(t, int64(3), v.Run(`js.streamInfo(unique).state.messages`))
	require.Equal(t, k6x.KindFull, v.fail(`
		const kv = js.createKeyValue({ bucket: unique, storage: 'memory', maxBytes: 1000 });
		try { for (let i = 0; i < 20; i++) { kv.put('k' + i, 'x'.repeat(100)); } } finally { js.deleteKeyValue(unique); }`).Kind)
}
