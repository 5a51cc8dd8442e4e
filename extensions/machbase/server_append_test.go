//go:build servers

package machbase

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func TestServerAppendsColumns(t *testing.T) {
	v := newServerVU(t)
	table := v.table(`create tag table TABLE (name varchar(20) primary key, time datetime basetime, s short, us ushort, i integer, ui uinteger,
		l long, ul ulong, f float, d double, at datetime)`)
	v.Run(`
		const n = 3000, count = (make) => make.map((_, i) => i % 100);
		var names = Array.from({ length: n }, (_, i) => 'tag-' + i % 3);
		var times = new BigInt64Array(n).map((_, i) => 1700000000000000000n + BigInt(i));
		var a = client.appender(table, { batchRows: 1000 });
		var appended = a.appendColumns([names, times, count(new Int8Array(n)), count(new Uint8Array(n)), count(new Int16Array(n)),
			count(new Uint16Array(n)), times, new BigUint64Array(n).fill(2n ** 64n - 3n), count(new Float32Array(n)), count(new Float64Array(n)),
			Array.from({ length: n }, (_, i) => new Date(i))]);`)
	require.Equal(t, int64(3000), v.Run(`appended`))
	require.JSONEq(t, `{"accepted":3000,"rejected":0,"reasons":[],"other":0}`, v.JSON(`a.sync()`))
	require.Equal(t, 3000.0, v.Counted(metricAcknowledged))

	for columns, want := range map[string]string{
		`[names]`: `takes 11 columns, not 1`,
		`[names, new BigInt64Array(1), ...Array(9).fill(new Int8Array(3000))]`: ` has 1 values, but the ones before it have 3000`,
	} {
		e := v.fail(`a.appendColumns(` + columns + `)`)
		require.Equal(t, k6x.KindUsage, e.Kind)
		require.Contains(t, e.Message, want)
	}
	e := v.fail(`a.appendColumns([['x', 'y'], [new Date(1), new Date(2)], [1, 40000], ...Array(7).fill([1, 1]), [null, null]])`)
	require.Equal(t, cmi.KindAppend, e.Kind)
	require.Contains(t, e.Message, "cannot take 40000")

	require.JSONEq(t, `{"accepted":3001,"rejected":0,"reasons":[],"other":0}`, v.JSON(`a.close()`), "the row before it was appended")
	v.Run(`client.exec('exec table_flush(` + table + `)')`)
	v.untilCount(3001)
	require.JSONEq(t, `["tag-2","1700000000000002999n",99,99,99,99,"1700000000000002999n","18446744073709551613n",99,99,"2999000000n"]`,
		v.JSON("client.query(`select * from ${table} order by time desc limit 1`, [], { rows: 'arrays', times: 'ns' })[0]"))
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opConnect))
}

func TestServerSync(t *testing.T) {
	v := newServerVU(t)
	table := v.table(tagTable)
	v.Run(`var a = client.appender(table), seen = [];
		a.append(['a', new Date(1), 1], ['a', null, 1]); seen.push(a.sync());
		a.append(['a', new Date(2), 1]); seen.push(a.sync());
		a.append(['x'.repeat(100), new Date(2), 1]); seen.push(a.sync(), a.sync(), a.close());`)
	null := `{"code":1345,"message":"The value of the column<2> must not be NULL","rows":1}`
	long := `{"code":3017,"message":"Too large record size for append. Cannot append more than 48 bytes per record.","rows":1}`
	require.JSONEq(t, fmt.Sprintf(`[[1,1,[%s]],[2,1,[%s]],[2,2,[%s,%s]],[2,2,[%s,%s]],[2,2,[%s,%s]]]`, null, null, null, long, null, long, null, long),
		v.JSON(`seen.map((r) => [r.accepted, r.rejected, r.reasons])`))
	require.Equal(t, 2.0, v.Counted(metricAcknowledged))
	require.Equal(t, 1.0, v.Counted(metricRejected, "reason", "1345"))
	require.Equal(t, 1.0, v.Counted(metricRejected, "reason", "3017"))
	require.Equal(t, 2.0, v.Counted(metricRejected))
	v.Run(`client.exec('exec table_flush(` + table + `)')`)
	v.untilCount(2)
}

func TestServerBatches(t *testing.T) {
	v := newServerVU(t)
	v.table(`create table TABLE (n integer)`)
	for options, want := range map[string]bool{`{}`: false, `{ batchRows: 2 }`: true, `{ batchBytes: 30 }`: true, `{ batchTime: '1ms' }`: true} {
		v.Run(`var a = client.appender(table, ` + options + `); a.append([1])`)
		time.Sleep(2 * time.Millisecond) // older than batchTime
		before := v.Counted("data_sent")
		v.Run(`a.append([2])`)
		require.Equal(t, want, v.Counted("data_sent") > before, options)
		v.Run(`a.close()`)
	}
	v.untilCount(8)
}

func TestServerGeneratesSeries(t *testing.T) {
	v := newServerVU(t)
	table := v.table(tagTable)
	v.Run(`var a = client.appender(table, { columns: ['NAME', 'TIME', 'VALUE'] }), from = new Date('2026-01-01T00:00:00Z');
		var made = [a.generate('sine', { from, rows: 5000, tags: 10, prefix: 'u', offset: 2 }),
			a.generate('sine', { from, to: new Date('2026-01-01T00:01:00Z'), tags: 4, prefix: 's', offset: 10 }),
			a.generate('sequence', { from, rows: 7, prefix: 'n', offset: 5 })]`)
	require.JSONEq(t, `[5000,240,7]`, v.JSON(`made`))
	require.Equal(t, int64(5247), v.Run(`a.close().accepted`))
	v.Run(`client.exec('exec table_flush(` + table + `)')`)
	v.untilCount(5247)
	require.JSONEq(t, `[[500,true,true]]`, v.JSON("client.query(`select count(*), min(value), max(value) from ${table} where name = 'u9'`, [], "+
		"{ rows: 'arrays' }).map(([n, least, most]) => [n, least >= 1 && least < 1.1, most <= 3 && most > 2.9])"))
	require.JSONEq(t, `[[5],[6],[7],[8],[9],[10],[11]]`,
		v.JSON("client.query(`select value from ${table} where name = 'n0' order by time`, [], { rows: 'arrays' })"))
	require.Equal(t, 5247.0, v.Counted(metricRows, "op", opAppend, "outcome", k6x.OutcomeOK))
}

func TestServerAsync(t *testing.T) {
	v := newServerVU(t)
	table := v.table(tagTable)
	v.loop(`var receipt, read, failed; (async () => {
		const a = await client.asyncAppender(table);
		const batches = Array.from({ length: 20 }, (_, i) => a.asyncGenerate('sequence', { from: new Date(i * 1000), rows: 50, interval: '1ms' }));
		const made = await Promise.all(batches);
		if (made.some((n) => n !== 50)) throw made;
		receipt = await a.asyncSync();
		await a.asyncClose();
		await client.asyncExec('exec table_flush(' + table + ')');
		const s = await client.asyncPrepare('select count(*) as n from ' + table + ' where value >= ?');
		while ((read = await Promise.all([0, 25, 50].map((v) => s.asyncQuery([v])))) && read[0][0].n < 1000) {}
		failed = await client.asyncQuery('selct').catch((e) => e.kind);
	})()`)
	require.Equal(t, int64(1000), v.Run(`receipt.accepted`))
	require.JSONEq(t, `[[{"n":1000}],[{"n":500}],[{"n":0}]]`, v.JSON(`read`))
	require.Equal(t, cmi.KindSyntax, v.Run(`failed`))
	require.Equal(t, 1000.0, v.Counted(metricAcknowledged))
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opConnect))
	require.Equal(t, strings.ToUpper(table), strings.ToUpper(v.Run(`table`).(string)))
}
