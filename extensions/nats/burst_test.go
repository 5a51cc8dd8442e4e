package nats

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func TestBurstKeepsTheOrder(t *testing.T) {
	v := newVU(t)
	require.JSONEq(t, `[1006, "before", ["", "x", "after"], [70000, 3]]`, v.JSON(`(() => {
		const client = new nats.Client(url), sub = client.subscribe(unique, { pending: 5000 });
		client.publish(unique, 'before');
		client.publishBatch(unique, ['', 'x'], { iterations: 500 });
		client.publish(unique, 'after');
		client.flush();
		client.publishBatch(unique, ['y'.repeat(70000), 'abc'], { iterations: 2 });
		const all = sub.fetch(1006).map((m) => m.data);
		return [all.length, all[0], all.slice(999, 1002), all.slice(1002, 1004).map((d) => d.length)];
	})()`))
}

func TestBurstRefuses(t *testing.T) {
	v := newVU(t)
	v.Run(`const client = new nats.Client(url); client.connect()`)
	require.Equal(t, k6x.KindUsage, v.fail(`client.publishBatch('a b', 'x')`).Kind)
	require.Equal(t, k6x.KindTooLarge, v.fail(`client.publishBatch(unique, new ArrayBuffer(client.info().maxPayload + 1))`).Kind)
	require.JSONEq(t, `"x"`, v.JSON(`(() => {
		const sub = client.subscribe(unique);
		client.publishBatch(unique, 'x');
		return sub.next().data;
	})()`))
}
