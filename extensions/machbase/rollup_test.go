package machbase

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

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
	v.Run(`var client = new machbase.Client(); client.rollup('a'); client.rollup('_A1$'); client.rollup('rollup_stock_1m')`)
	for _, name := range []string{``, `''`, `'1a'`, `'a b'`, `'a);drop table t'`, `'a.b'`, `'é'`, `5`, `null`, "'a\\n'"} {
		e := v.fail(`client.rollup(` + name + `)`)
		require.Equal(t, k6x.KindUsage, e.Kind)
		require.Contains(t, e.Message, "rollup: the name must be one such as rollup_stock_1m, not ")
	}
}

func TestRollupWaits(t *testing.T) {
	v := newVU(t, gaps(7, 5, 0))
	v.Run(`var client = new machbase.Client(), r = client.rollup('r')`)
	v.Run(`r.wait({ interval: '1ms' })`)
	require.Equal(t, 3.0, v.Counted(metricOps, "op", opQuery, "outcome", k6x.OutcomeOK))

	v = newVU(t, gaps(5, 0))
	v.loop(`var waited = false; new machbase.Client().rollup('r').asyncWait({ interval: '1ms' }).then(() => { waited = true })`)
	require.Equal(t, true, v.Run(`waited`))
}

func TestRollupThatDoesNotCatchUp(t *testing.T) {
	driver := gaps(7)
	v := newVU(t, driver)
	v.Run(`var client = new machbase.Client(), r = client.rollup('r')`)
	require.Equal(t, thrown{"MachbaseError", "roll-up R is still 7 rows behind after 30ms", k6x.KindTimeout, 0},
		v.fail(`r.wait({ timeout: '30ms', interval: '5ms' })`))
	require.Equal(t, int64(7), v.Run(`r.gap()`))
	require.Len(t, driver.connections(), 1, "the connection is none the worse for it")
}

func TestRollupWaitOfAServerThatStalls(t *testing.T) {
	stall := newStall()
	stall.on.Store(true)
	v := newVU(t, &fakeDriver{query: func(c *fakeConn, _ string, _ []any, _ func(Rows) error) error { return stall.here(c) }})
	v.Run(`var r = new machbase.Client().rollup('r')`)
	require.Equal(t, thrown{"MachbaseError", "no answer within timeout (1.01s)", k6x.KindTimeout, 0}, v.fail(`r.wait({ timeout: '10ms' })`))
}

func TestRollupWaitEndsWithTheVU(t *testing.T) {
	v := newVU(t, gaps(7))
	v.Run(`var client = new machbase.Client(), kind; client.connect()`)
	time.AfterFunc(20*time.Millisecond, v.CancelContext)
	require.Equal(t, k6x.KindCancelled, v.fail(`client.rollup('r').wait({ interval: '1h', timeout: '2h' })`).Kind)
}

func TestRollupWaitOptions(t *testing.T) {
	v := newVU(t, gaps(0))
	v.Run(`var r = new machbase.Client().rollup('r')`)
	for options, want := range map[string]string{
		`{ timeout: 0 }`:       `wait: timeout and interval must be more than 0; they are 0s and 100ms`,
		`{ interval: '-1s' }`:  `wait: timeout and interval must be more than 0; they are 1m0s and -1s`,
		`{ within: 5 }`:        `wait: unknown option "within"; known are timeout, interval, tags`,
		`5`:                    `wait: options must be an object, not 5`,
		`{ timeout: 'never' }`: `wait: option timeout must be a time such as '5s', or a number of milliseconds from 100, not never`,
	} {
		require.Equal(t, thrown{"MachbaseError", want, k6x.KindUsage, 0}, v.fail(`r.wait(`+options+`)`))
	}
}
