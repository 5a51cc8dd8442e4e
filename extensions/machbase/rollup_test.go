package machbase

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// gaps is a driver of a roll-up that is so far behind, query by query; the last one stays.
func gaps(gaps ...int64) *fakeDriver {
	return &fakeDriver{query: func(_ *fakeConn, _ string, _ []any, read func(Rows) error) error {
		gap := gaps[0]
		if len(gaps) > 1 {
			gaps = gaps[1:]
		}

		return read(&fakeRows{columns: []Column{{"gap", "long"}}, rows: [][]any{{gap}, {int64(0)}}})
	}}
}

func TestRollupNames(t *testing.T) {
	v := newVU(t, &fakeDriver{})
	v.run(`var client = new machbase.Client(); client.rollup('a'); client.rollup('_A1$'); client.rollup('rollup_stock_1m')`)
	for _, name := range []string{``, `''`, `'1a'`, `'a b'`, `'a);drop table t'`, `'a.b'`, `'é'`, `5`, `null`, "'a\\n'"} {
		e := v.fail(`client.rollup(` + name + `)`)
		require.Equal(t, KindUsage, e.Kind)
		require.Contains(t, e.Message, "rollup(name) takes the roll-up's name, such as rollup_stock_1m, not ")
	}
}

func TestRollupWaits(t *testing.T) {
	v := newVU(t, gaps(7, 5, 0))
	v.run(`var client = new machbase.Client(), r = client.rollup('r')`)
	v.run(`r.wait({ interval: 1 })`)
	require.Equal(t, 3.0, v.Counted(metricOps, "operation", opQuery, "outcome", outcomeOK))

	v = newVU(t, gaps(5, 0))
	v.loop(`var waited = false; new machbase.Client().rollup('r').asyncWait({ interval: 1 }).then(() => { waited = true })`)
	require.Equal(t, true, v.run(`waited`))
}

func TestRollupThatDoesNotCatchUp(t *testing.T) {
	driver := gaps(7)
	v := newVU(t, driver)
	v.run(`var client = new machbase.Client(), r = client.rollup('r')`)
	require.Equal(t, thrown{"MachbaseError", "roll-up R is still 7 rows behind after 30ms", KindTimeout, 0},
		v.fail(`r.wait({ timeout: 30, interval: 5 })`))
	require.Equal(t, int64(7), v.run(`r.gap()`))
	require.Len(t, driver.connections(), 1, "the connection is none the worse for it")
}

// A server that does not answer does not keep it.
func TestRollupWaitOfAServerThatStalls(t *testing.T) {
	stall := newStall()
	stall.on.Store(true)
	v := newVU(t, &fakeDriver{query: func(c *fakeConn, _ string, _ []any, _ func(Rows) error) error { return stall.here(c) }})
	v.run(`var r = new machbase.Client().rollup('r')`)
	require.Equal(t, thrown{"MachbaseError", "no answer within timeout (1.01s)", KindTimeout, 0}, v.fail(`r.wait({ timeout: 10 })`))
}

func TestRollupWaitEndsWithTheVU(t *testing.T) {
	v := newVU(t, gaps(7))
	v.run(`var client = new machbase.Client(), kind; client.connect()`)
	time.AfterFunc(20*time.Millisecond, v.CancelContext)
	require.Equal(t, KindCancelled, v.fail(`client.rollup('r').wait({ interval: '1h', timeout: '2h' })`).Kind)
}

func TestRollupWaitOptions(t *testing.T) {
	v := newVU(t, gaps(0))
	v.run(`var r = new machbase.Client().rollup('r')`)
	for options, want := range map[string]string{
		`{ timeout: 0 }`:       `wait: timeout and interval must be more than 0; they are 0s and 100ms`,
		`{ interval: '-1s' }`:  `wait: timeout and interval must be more than 0; they are 1m0s and -1s`,
		`{ within: 5 }`:        `wait: unknown option "within"; known are timeout, interval`,
		`5`:                    `wait: options must be an object, not 5`,
		`{ timeout: 'never' }`: `wait: time: invalid duration "never"`,
	} {
		require.Equal(t, thrown{"MachbaseError", want, KindUsage, 0}, v.fail(`r.wait(`+options+`)`))
	}
}

const sumsTable = `create tag table TABLE (name varchar(20) primary key, time datetime basetime, s double, n integer)`

// rollup makes a roll-up of a tag table with 2 partitions, and returns its name.
func (v *vu) rollup() string {
	source := v.table(strings.Replace(tagTable, "value double)", "value double) tag_partition_count=2", 1))
	v.run(`var source = table`)
	target := v.table(sumsTable)
	name := "r_" + target
	v.run(`client.exec("create rollup ` + name + ` into (` + target + `) as (select name, date_trunc('minute', time) as time, ` +
		`sum(value) as s, count(*) as n from ` + source + ` group by name, time) interval 1 hour");
		var r = client.rollup('` + name + `')`)
	v.t.Cleanup(func() { v.run(`client.close(); client.exec('drop rollup ` + name + `')`) })

	return name
}

func TestServerRollup(t *testing.T) {
	v := newServerVU(t)
	name := v.rollup()
	require.JSONEq(t, `0`, v.js(`r.gap()`))
	v.run(`r.wait()`)
	v.run(`var a = client.appender(source); a.generate('uniform', { from: new Date(0), rows: 3000, tags: 5, seed: 1 }); a.close()`)
	require.Eventually(t, func() bool { return v.run(`r.gap()`) == int64(3000) }, 20*time.Second, 5*time.Millisecond)
	require.Equal(t, KindTimeout, v.fail(`r.wait({ timeout: 50 })`).Kind)

	status := v.run(`var s = r.status(); [s.ROLLUP_NAME, s.ROOT_TABLE, s.ROLLUP_TABLE, s.ENABLED, s.END_RID, s.SOURCE_TABLE]`).([]any)
	require.Equal(t, strings.ToUpper(name), status[0])
	require.Equal(t, strings.ToUpper(v.run(`source`).(string)), status[1])
	require.Equal(t, strings.ToUpper(v.run(`table`).(string)), status[2])
	require.Equal(t, int64(1), status[3])
	require.Equal(t, int64(0), status[4])
	require.Equal(t, "_"+status[1].(string)+"_DATA_0", status[5], "the first partition")

	require.Nil(t, v.run(`r.force()`))
	require.Equal(t, int64(0), v.run(`r.gap()`))
	v.run(`r.wait()`)
	v.run(`client.exec('exec table_flush(' + table + ')')`)
	require.Eventually(t, func() bool {
		return v.run("client.query(`select sum(n) as n from ${table}`)[0].n") == int64(3000)
	}, 20*time.Second, 5*time.Millisecond, "all rows are in the sums")

	v.loop(`var seen = []; (async () => {
		await r.asyncForce({ timeout: '10s' }); seen.push(await r.asyncGap(), (await r.asyncStatus()).ROLLUP_NAME); await r.asyncWait(); })()`)
	require.JSONEq(t, `[0,"`+strings.ToUpper(name)+`"]`, v.js(`seen`))
	require.Equal(t, 1.0, v.Counted(metricOps, "operation", opConnect))
}

func TestServerRollupThatIsNotThere(t *testing.T) {
	v := newServerVU(t)
	v.run(`var r = client.rollup('no_such_rollup')`)
	for _, call := range []string{`r.gap()`, `r.status()`, `r.wait()`} {
		require.Equal(t, thrown{"MachbaseError", "there is no roll-up NO_SUCH_ROLLUP", KindNotFound, 0}, v.fail(call))
	}
	require.Equal(t, int64(2654), v.fail(`r.force()`).Code)
}

// The server does not answer to the force of a roll-up that is stopped.
func TestServerForceOfAStoppedRollup(t *testing.T) {
	v := newServerVU(t)
	name := v.rollup()
	v.run(`client.exec('exec rollup_stop(` + name + `)')`)
	require.Equal(t, int64(0), v.run(`r.status().ENABLED`))
	require.Equal(t, KindTimeout, v.fail(`r.force({ timeout: 200 })`).Kind)
	v.run(`client.exec('exec rollup_start(` + name + `)'); r.force()`)
}
