//go:build servers

package machbase

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

const slow = "select count(*) from ${table} a, ${table} b, ${table} c where a.k = b.k and b.k = c.k"

func TestServerQueryTimeout(t *testing.T) {
	v := newServerVU(t)
	v.table(`create table TABLE (n integer, k integer)`)
	v.Run(`{ const a = client.appender(table); a.appendColumns([new Int32Array(3000), new Int32Array(3000)]); a.close(); }`)
	v.untilCount(3000)
	for _, options := range []string{`{ queryTimeout: '1s' }`, `{ queryTimeout: 300 }`} { // the server counts in seconds
		v.Run(`client.close(); client = new machbase.Client(url, ` + options + `)`)
		v.Run("var s = client.prepare(`" + slow + " and a.n >= ?`)")
		for _, call := range []string{"client.query(`" + slow + "`)", `s.query([0])`} {
			begin := time.Now()
			e := v.fail(call)
			require.Equal(t, k6x.KindCancelled, e.Kind, e)
			require.Equal(t, int64(3027), e.Code)
			require.Less(t, time.Since(begin), 10*time.Second)
			require.Equal(t, int64(3000), v.Run("client.query(`select n from ${table}`, [], { rows: 'discard' })"), "the connection stays")
		}
	}
	require.Equal(t, 4.0, v.Counted(metricOps, "op", opQuery, "outcome", k6x.KindCancelled))
	require.Equal(t, 3.0, v.Counted(metricOps, "op", opConnect))
	v.Run(`client.close(); client = new machbase.Client(url)`)
}

func TestServerThatStallsBeyondTheQueryTimeout(t *testing.T) {
	v := newServerVU(t)
	v.numbered(3)
	p := newProxy(t)
	p.clientOf(t, v, `{ queryTimeout: '1s', timeout: '60s' }`)
	v.Run(`client.connect()`)
	p.stalled.Store(true)
	begin := time.Now()
	require.Equal(t, thrown{"MachbaseError", "no answer within timeout (6s)", k6x.KindTimeout, 0}, v.fail("client.query(`select n from ${table}`)"))
	require.Less(t, time.Since(begin), 30*time.Second)
	p.stalled.Store(false)
	require.Equal(t, int64(3), v.Run("client.query(`select n from ${table}`, [], { rows: 'discard' })"))
	v.Run(`client.close(); client = new machbase.Client(url)`)
}
