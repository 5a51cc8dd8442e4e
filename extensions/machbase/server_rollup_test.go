//go:build servers

package machbase

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

const sumsTable = `create tag table TABLE (name varchar(20) primary key, time datetime basetime, s double, n integer)`

func (v *vu) rollup() string {
	source := v.table(strings.Replace(tagTable, "value double)", "value double) tag_partition_count=2", 1))
	v.Run(`var source = table`)
	target := v.table(sumsTable)
	name := "r_" + target
	v.Run(`client.exec("create rollup ` + name + ` into (` + target + `) as (select name, date_trunc('minute', time) as time, ` +
		`sum(value) as s, count(*) as n from ` + source + ` group by name, time) interval 1 hour");
		var r = client.rollup('` + name + `')`)
	v.t.Cleanup(func() { v.Run(`client.close(); client.exec('drop rollup ` + name + `')`) })

	return name
}

func TestServerRollup(t *testing.T) {
	v := newServerVU(t)
	name := v.rollup()
	require.JSONEq(t, `0`, v.JSON(`r.gap()`))
	v.Run(`r.wait()`)
	v.Run(`var a = client.appender(source); a.generate('uniform', { from: new Date(0), rows: 3000, tags: 5, seed: 1 }); a.close()`)
	require.Eventually(t, func() bool { return v.Run(`r.gap()`) == int64(3000) }, 20*time.Second, 5*time.Millisecond)
	require.Equal(t, k6x.KindTimeout, v.fail(`r.wait({ timeout: '50ms' })`).Kind)

	status := v.Run(`var s = r.info(); [s.ROLLUP_NAME, s.ROOT_TABLE, s.ROLLUP_TABLE, s.ENABLED, s.END_RID, s.SOURCE_TABLE]`).([]any)
	require.Equal(t, strings.ToUpper(name), status[0])
	require.Equal(t, strings.ToUpper(v.Run(`source`).(string)), status[1])
	require.Equal(t, strings.ToUpper(v.Run(`table`).(string)), status[2])
	require.Equal(t, int64(1), status[3])
	require.Equal(t, int64(0), status[4])
	require.Equal(t, "_"+status[1].(string)+"_DATA_0", status[5], "the first partition")

	require.Nil(t, v.Run(`r.force()`))
	require.Equal(t, int64(0), v.Run(`r.gap()`))
	v.Run(`r.wait()`)
	v.Run(`client.exec('exec table_flush(' + table + ')')`)
	require.Eventually(t, func() bool {
		return v.Run("client.query(`select sum(n) as n from ${table}`)[0].n") == int64(3000)
	}, 20*time.Second, 5*time.Millisecond, "all rows are in the sums")

	v.loop(`var seen = []; (async () => {
		await r.asyncForce({ timeout: '10s' }); seen.push(await r.asyncGap(), (await r.asyncInfo()).ROLLUP_NAME); await r.asyncWait(); })()`)
	require.JSONEq(t, `[0,"`+strings.ToUpper(name)+`"]`, v.JSON(`seen`))
	require.Equal(t, 1.0, v.Counted(metricOps, "op", opConnect))
}

func TestServerMissingRollup(t *testing.T) {
	v := newServerVU(t)
	v.Run(`var r = client.rollup('no_such_rollup')`)
	for _, call := range []string{`r.gap()`, `r.info()`, `r.wait()`} {
		require.Equal(t, thrown{"MachbaseError", "there is no roll-up NO_SUCH_ROLLUP", cmi.KindNotFound, 0}, v.fail(call))
	}
	require.Equal(t, int64(2654), v.fail(`r.force()`).Code)
}

// The server does not answer the force of a stopped roll-up.
func TestServerForceOfAStoppedRollup(t *testing.T) {
	v := newServerVU(t)
	name := v.rollup()
	v.Run(`client.exec('exec rollup_stop(` + name + `)')`)
	require.Equal(t, int64(0), v.Run(`r.info().ENABLED`))
	require.Equal(t, k6x.KindTimeout, v.fail(`r.force({ timeout: 200 })`).Kind)
	v.Run(`client.exec('exec rollup_start(` + name + `)'); r.force()`)
}
