package nats

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// The scripts in the README of ydarias/xk6-nats run.
func TestScriptsOfXk6Nats(t *testing.T) {
	v := newVU(t)
	v.Loop(`
		globalThis.got = [];
		const { Nats } = nats;
		const config = { servers: [url], unsafe: true };
		const publisher = new Nats(config), subscriber = new Nats(config);
		const subscription = subscriber.subscribe(unique, (msg) => {
			got.push([msg.data, Array.from(new Uint8Array(msg.raw)).length, msg.topic === unique, msg.headers.header1]);
			if (got.length === 4) { subscription.close(); }
		});
		publisher.publish(unique, 'data');
		publisher.publishWithHeaders(unique, 'data', { header1: 'value1' });
		publisher.publishMsg({ topic: unique, data: 'string data', headers: { header1: 'value1' } });
		publisher.publishMsg({ topic: unique, raw: [65, 66, 67], headers: { header1: 'value1' } });
	`)
	require.JSONEq(t, `[["data",4,true,null],["data",4,true,"value1"],["string data",11,true,"value1"],["ABC",3,true,"value1"]]`, v.JSON(`got`))

	v.Loop(`
		got = [];
		const nc = new nats.Nats({ servers: [url] });
		nc.jetStreamSetup({ name: unique, subjects: [unique + '.js'], max_msgs_per_subject: 100, storage: 'memory', max_age: 3600000000000 });
		nc.jetStreamPublish(unique + '.js', 'data');
		nc.jetStreamPublishWithHeaders(unique + '.js', 'data', { header1: 'value1' });
		nc.jetStreamPublishMsg({ topic: unique + '.js', raw: [1, 2, 3] });
		const subscription = nc.jetStreamSubscribe(unique + '.js', (msg) => {
			got.push([msg.raw.byteLength, msg.headers.header1]);
			if (got.length === 3) { subscription.close(); }
		});
	`)
	require.JSONEq(t, `[[4,null],[4,"value1"],[3,null]]`, v.JSON(`got`))
	v.Run(`new nats.Client(url).jetStream().deleteStream(unique)`)
	require.Equal(t, `["undefined","undefined","function"]`, v.JSON(`[typeof new nats.Client(url).publishMsg, typeof new nats.Client(url).jetStreamSetup,
		typeof new nats.Nats(url).request]`), "its own methods, and no others, are those of both")
	require.Contains(t, v.fail(`new nats.Nats('a', { servers: ['b'] })`).Message, "the servers are given twice: as the url and as option servers")
	require.Equal(t, k6x.KindUsage, v.fail(`new nats.Nats(url).publishMsg({ topic: 'a', raw: [256] })`).Kind)
	require.Equal(t, k6x.KindUsage, v.fail(`new nats.Nats(url).jetStreamSubscribe('a')`).Kind)
}
