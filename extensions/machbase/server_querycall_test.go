//go:build servers

package machbase

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServerQueriesDoNotMix(t *testing.T) {
	v := newServerVU(t)
	v.numbered(20)
	v.Run("var text = `select n from ${table} where n < ? order by n`, reverse = client.prepare(`select n from ${table} where n < ? order by n desc`)")
	v.loop(`(async () => {
		const numbers = (rows) => rows.map((row) => row.n ?? row[0]).join(' ');
		const begun = [client.asyncQuery(text, [3]), reverse.asyncQuery([4], { rows: 'arrays' }), client.asyncQuery('selct'),
			client.asyncQuery(text, [5], { rows: 'discard' })];
		const between = client.query(text, [2]);
		const [three, four, failed, five] = await Promise.allSettled(begun);
		let wrong;
		try { client.query(text, [2], { expect: { n: 7 } }); } catch (e) { wrong = e.kind; }
		const after = reverse.query([2], { rows: 'arrays' });
		globalThis.got = [numbers(between), numbers(three.value), numbers(four.value), failed.reason.kind, five.value, wrong, numbers(after),
			client.query(text, [20], { rows: 'discard' }), numbers(between)];
	})()`)
	require.JSONEq(t, `["0 1", "0 1 2", "3 2 1 0", "syntax", 5, "expect", "1 0", 20, "0 1"]`, v.JSON("got"))
}
