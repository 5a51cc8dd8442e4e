package nats

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

var layouts = []string{"orb", "orb-compat", "micro"}

func withLayout(t *testing.T, layout string) *vu {
	t.Helper()
	v := newVU(t)
	v.Run(`var client = new nats.Client(url), layout = client.layout({ layout: '` + layout + `', database: unique })`)
	t.Cleanup(func() { v.Run(`layout.drop(); client.close()`) })

	return v
}

func TestLayout(t *testing.T) {
	for _, layout := range layouts {
		v := withLayout(t, layout)
		v.Run(`layout.put('k1', 'v1', { table: 'tbl' }); layout.put('k2', new Uint8Array([0, 255]))`)
		require.JSONEq(t, `{"table":"tbl","key":"k1","value":"v1","metadata":null}`, v.JSON(`(() => {
			const { table, key, value, metadata } = layout.get('k1', { table: 'tbl' });
			return { table, key, value, metadata };
		})()`), layout)
		require.JSONEq(t, `[0,255]`, v.JSON(`Array.from(new Uint8Array(layout.get('k2').raw))`))
		require.JSONEq(t, `null`, v.JSON(`layout.get('k3')`))
		lists := map[string]string{"orb": `[["k1"],["k2"]]`, "orb-compat": `[["k1","k2"],["k1","k2"]]`, "micro": `[["k1"],["k2","tbl_k1"]]`}
		require.JSONEq(t, lists[layout], v.JSON(`[layout.list({ table: 'tbl' }).sort(), layout.list().sort()]`), layout)
		require.JSONEq(t, `[["k2"],[]]`, v.JSON(`[layout.list({ prefix: 'k', suffix: '2' }), layout.list({ offset: 9 })]`))
		v.Run(`layout.delete('k1', { table: 'tbl' }); layout.delete('k2'); layout.delete('k2')`)
		require.JSONEq(t, `[null,null]`, v.JSON(`[layout.get('k1', { table: 'tbl' }), layout.get('k2')]`))
		if layout == "micro" {
			require.JSONEq(t, `[]`, v.JSON(`layout.list()`))
		} else {
			e := v.fail(`layout.list()`)
			require.Equal(t, k6x.KindNotFound, e.Kind)
			require.Contains(t, e.Message, "the bucket has no keys")
		}
		require.Equal(t, 2.0, v.Counted(metricOps, "op", "layout.put", "outcome", k6x.OutcomeOK))
		require.Equal(t, 2.0, v.Counted(metricMessagesSent))
		require.Len(t, v.Found(metricDuration, "op", "layout.delete", "outcome", k6x.OutcomeOK), 3)
	}
}

func TestLayoutMetadata(t *testing.T) {
	v := withLayout(t, "micro")
	require.JSONEq(t, `{"a":1,"b":["c"]}`, v.JSON(`(layout.put('k', 'v', { metadata: { a: 1, b: ['c'] } }), layout.get('k').metadata)`))
	orb := withLayout(t, "orb")
	e := orb.fail(`layout.put('k', 'v', { metadata: { a: 1 } })`)
	require.Equal(t, k6x.KindUsage, e.Kind)
	require.Contains(t, e.Message, `layout "orb" stores none`)
	require.Equal(t, k6x.KindUsage, orb.fail(`layout.put('k', 'v', { table: 'a.b' })`).Kind)
	v.Run(`client.jetStream().keyValue(unique).put('NMYQ====', 'no JSON')`)
	require.Equal(t, k6x.KindServer, v.fail(`layout.get('k1')`).Kind)
}

func TestLayoutAsync(t *testing.T) {
	v := withLayout(t, "micro")
	v.Loop(`
		await Promise.all(['a', 'b', 'c'].map((key) => layout.asyncPut(key, key + '!')));
		const got = await Promise.all(['a', 'b', 'c'].map((key) => layout.asyncGet(key)));
		await layout.asyncDelete('a');
		globalThis.got = [got.map((r) => r.value).join(''), (await layout.asyncList()).sort().join('')];
		await layout.asyncDrop();
	`)
	require.JSONEq(t, `["a!b!c!","bc"]`, v.JSON(`got`))
}

func TestLayoutRun(t *testing.T) {
	for _, layout := range layouts {
		v := withLayout(t, layout)
		var r struct{ Succeeded, Failed, Hits, Misses, BytesReceived, BytesSent int }
		require.NoError(t, json.Unmarshal([]byte(v.JSON(`((w) => { layout.prefill(w); return layout.run(w); })({
			iterations: 200, mix: { get: 3, set: 1 }, keys: { count: 20 }, values: { min: 0, max: 3000 } })`)), &r))
		require.Equal(t, 200, r.Succeeded, layout)
		require.Zero(t, r.Failed+r.Misses)
		require.InDelta(t, 150, r.Hits, 40)
		require.Equal(t, float64(r.Hits), v.Counted(metricOps, "op", "layout.get", "outcome", k6x.OutcomeOK))
		require.Equal(t, float64(20+200-r.Hits), v.Counted(metricOps, "op", "layout.put", "outcome", k6x.OutcomeOK))
		require.Empty(t, v.Found(metricDuration, "op", "layout.get"), "k6 would keep them all")
		require.Len(t, v.Run(`layout.list()`), 20)

		require.NoError(t, json.Unmarshal([]byte(v.JSON(`layout.run({ iterations: 20, mix: { delete: 1 }, keys: { count: 20, distribution: 'sequential' } })`)), &r))
		require.Equal(t, 20, r.Succeeded)
		require.NoError(t, json.Unmarshal([]byte(v.JSON(`layout.run({ iterations: 20, mix: { get: 1 }, keys: { count: 20, distribution: 'sequential' } })`)), &r))
		require.Equal(t, 20, r.Misses)

		v.Run(`layout.put('key:000000000000', 'another value')`)
		require.NoError(t, json.Unmarshal([]byte(v.JSON(`layout.run({ iterations: 3, mix: { get: 1 }, keys: { count: 1 } })`)), &r))
		require.Equal(t, 3, r.Failed, "values are compared")
	}
}

func TestLayoutRunOfNobody(t *testing.T) {
	v := newVU(t)
	v.Run(`var layout = new nats.Client('127.0.0.1:1').layout({ layout: 'orb' })`)
	require.JSONEq(t, `[0,2]`, v.JSON(`(() => { const { succeeded, failed } = layout.run({ iterations: 2, mix: { get: 1 } }); return [succeeded, failed]; })()`))
	require.Equal(t, 2.0, v.Counted(metricOps, "op", opConnect, "outcome", k6x.KindConnect))
	require.Contains(t, v.Abort(`layout.prefill({})`), "prefill of key key:000000000000")
}

func (v *vu) inSweep(operations uint64, script string) map[string]measure.Totals {
	v.t.Helper()
	plain := v.VU.CtxField
	defer func() { v.VU.CtxField = plain }()
	step := measure.NewStep(1, measure.Plan{Operations: operations}, nil)
	session := &k6x.Session{Client: step.Client(0), Op: "nobody named it", Tags: map[string]string{"clients": "1"}}
	v.VU.CtxField = k6x.WithSession(plain, session)
	require.NoError(v.t, session.Client.Run(v.VU.CtxField, session.Op, session.Measure, func() error {
		_, err := v.JS.RunString(script)

		return err
	}))
	session.End()
	totals := map[string]measure.Totals{}
	for _, ops := range step.Read().Ops {
		totals[ops.Op] = ops
	}

	return totals
}

func TestLayoutRunInASweep(t *testing.T) {
	v := withLayout(t, "orb-compat")
	v.Run(`layout.prefill({ keys: { count: 10 } })`)
	totals := v.inSweep(25, `layout.run({ iterations: 10, mix: { get: 1 }, keys: { count: 10 } })`)
	require.Len(t, totals, 1)
	require.Equal(t, int64(25), totals["get"].Durations.Count, "to the operation")
	require.Greater(t, totals["get"].BytesReceived, uint64(25*100*4/3))
	require.Positive(t, totals["get"].BytesSent)
}

func TestRowsOfScripts(t *testing.T) {
	v := newVU(t)
	require.JSONEq(t, `[29, 18, 2, 9]`, v.JSON(`[nats.natsjsRows.length, nats.natsjsRows.filter((row) => row.published).length,
		nats.natsjsRows.filter((row) => !row.published && row.layout === 'micro').length, nats.natsjsRows.filter((row) => row.layout === 'orb-compat').length]`))
	require.JSONEq(t, `{"name":"OrbSet","pair":"Set","layout":"orb","loop":"put","fill":"nothing","large":false,"limit":0,"offset":0,
		"published":{"iterations":26001,"nanoseconds":46239,"bytes":2786,"allocations":56}}`, v.JSON(`nats.natsjsRows[0]`))
}

func TestEveryRow(t *testing.T) {
	v := newVU(t)
	v.Run(`var client = new nats.Client(url)`)
	for _, row := range allRows() {
		// The server may refuse to create a database (10049) while it still deletes the old one, so
		// each row has its own.
		v.Run(`var row = client.natsjsRow('` + row.Name + `', { database: unique + '` + row.Name + `', tables: 3, keys: 205 }); row.fill('60s')`)
		totals := v.inSweep(5, `row.run({ iterations: 3 })`)
		require.Len(t, totals, 1, row.Name)
		got := totals[row.Name]
		require.Empty(t, got.Errors, row.Name)
		require.Equal(t, int64(5), got.Durations.Count, row.Name)
		require.Positive(t, got.BytesSent)
		require.Positive(t, got.BytesReceived)
		if row.Large {
			require.Greater(t, got.BytesSent+got.BytesReceived, uint64(5<<20))
		}
		wantRows := uint64(0)
		if strings.Contains(row.Name, "List") {
			wantRows = 5 * 205
			if row.Limit > 0 {
				wantRows = 5 * 100
			} else if row.Name == "MicroList" {
				wantRows *= 3
			}
		}
		require.Equal(t, wantRows, got.Rows, row.Name)
		v.Run(`row.drop(); if (client.jetStream().keyValues().some((name) => name.startsWith(unique))) { throw new Error('something is left'); }`)
	}
}

func TestRowThatFails(t *testing.T) {
	v := newVU(t)
	v.Run(`var row = new nats.Client(url).natsjsRow('OrbGet', { database: unique })`)
	totals := v.inSweep(4, `row.run({ iterations: 3 })`)
	require.Equal(t, uint64(4), totals["OrbGet"].Failed)
	for message := range totals["OrbGet"].Errors {
		require.Contains(t, message, "OrbGet: get key \"test-key\" in bucket")
	}
	require.JSONEq(t, `[0,3]`, v.JSON(`(({ succeeded, failed }) => [succeeded, failed])(row.run({ iterations: 3 }))`))
	require.JSONEq(t, `[3,0,0,30,true,true]`, v.JSON(`(() => {
		row.fill();
		const r = row.run({ iterations: 3 });
		row.drop();
		return [r.succeeded, r.failed, r.bytesSent, r.bytesReceived, r.dataReceived > r.bytesReceived && r.dataSent > 0, r.seconds > 0];
	})()`))
	require.Equal(t, 7.0, v.Counted(metricOps, "op", "row.run", "outcome", k6x.KindNotFound))
	require.Equal(t, 3.0, v.Counted(metricOps, "op", "row.run", "outcome", k6x.OutcomeOK))
}
