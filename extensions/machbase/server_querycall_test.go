//go:build servers

package machbase

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Queries one after the other, beside each other and after ones that failed have each their own
// arguments, options and rows.
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

// Rows that come again are counted again. What is expected of them counts, and so do others.
func TestServerAnswersThatRepeat(t *testing.T) {
	v := newServerVU(t)
	v.numbered(20)
	v.Run(`{
		const count = (n, options) => {
			try { return client.query(` + "`select n from ${table} where n < ? and n >= ?`" + `, n, options); } catch (e) { return e.kind; }
		};
		const discard = Object.freeze({ rows: 'discard' });
		const seven = Object.freeze({ rows: 'discard', expect: Object.freeze({ n: 7 }) });
		const eight = Object.freeze({ rows: 'discard', expect: Object.freeze({ n: 8 }) });
		const changing = { rows: 'discard', expect: { n: 7 } };
		globalThis.got = [
			[3, 3, 3, 5, 3, 3].map((n) => count([n, 0], discard)),
			[seven, seven, seven, eight, seven].map((options) => count([8, 7], options)),
			[[8, 7], [9, 7], [8, 7], [9, 8]].map((n) => count(n, seven)),
			[7, 7, 8, 7].map((n) => { changing.expect.n = n; return count([8, 7], changing); }),
			count([9, 7], { rows: 'arrays' }), count([9, 7], discard), count([9, 7], { rows: 'arrays' }),
			Array.from({ length: 12 }, (_, n) => count([n, 0], discard)), [4, 4, 4].map((n) => count([n, 0], discard)),
		];
	}`)
	require.JSONEq(t, `[[3, 3, 3, 5, 3, 3], [1, 1, 1, "expect", 1], [1, "expect", 1, "expect"], [1, 1, "expect", 1],
		[[8], [7]], 2, [[8], [7]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], [4, 4, 4]]`, v.JSON("got"))
}
