//go:build servers

package influx

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

func database(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(testutil.InfluxDBURL(t))
	require.NoError(t, err)
	u.Path = fmt.Sprintf(`/%s "%d"`, t.Name(), time.Now().UnixNano())
	t.Cleanup(func() {
		quoted := strings.ReplaceAll(strings.TrimPrefix(u.Path, "/"), `"`, `\"`)
		testutil.QueryInfluxDB(t, testutil.InfluxDBURL(t), `DROP DATABASE "`+quoted+`"`)
	})

	return u.String()
}

func TestRealPoints(t *testing.T) {
	address := database(t)
	o := start(t, address+"?batchSize=100", nil)
	o.send(2345)
	rate := 75.0
	o.AddMetricSamples([]metrics.SampleContainer{&stream.Figures{
		Step: step(), At: noon, Done: 8,
		Ended: []report.Step{{Op: `a "b", \c=d`, Operations: 7, Complete: true, Extra: report.Extra{HitRate: &rate}}},
	}})
	summary, _ := o.end()
	require.Contains(t, summary, "2,346 points written, none dropped")

	rows := testutil.QueryInfluxDB(t, address, `SELECT ops, p99 FROM sweep WHERE phase='measure' AND op='get' AND clients='8' AND repeat='2' AND target='memcached'`)
	require.Len(t, rows, 2345)
	for i, row := range rows {
		require.Equal(t, noon.Add(time.Duration(i+1)*time.Second).UnixNano(), row.Time(t))
		require.InDelta(t, i+1, row.Number(t, "ops"), 0)
		require.InDelta(t, 1, row.Number(t, "p99"), 1e-9)
	}
	step := testutil.QueryInfluxDB(t, address, "SELECT * FROM sweep_step")
	require.Len(t, step, 1)
	require.Equal(t, `a "b", \c=d`, step[0].Text("op"))
	require.Equal(t, true, step[0]["complete"])
	require.InDelta(t, 75, step[0].Number(t, "hit_rate"), 0)
	require.InDelta(t, 8, step[0].Number(t, "clients_done"), 0)
}

func TestRealNamesThatEndInABackslash(t *testing.T) {
	address := database(t)
	o := start(t, address, nil)
	o.AddMetricSamples([]metrics.SampleContainer{&stream.Figures{
		Step: step(), At: noon, Ended: []report.Step{{Op: `a`, Operations: 1}, {Op: `a\`, Operations: 2}, {Op: `a\\`, Operations: 3}},
	}})
	summary, _ := o.end()
	require.Contains(t, summary, "3 points written, none dropped")
	ops := map[string]float64{}
	for _, row := range testutil.QueryInfluxDB(t, address, "SELECT * FROM sweep_step") {
		ops[row.Text("op")] = row.Number(t, "ops")
	}
	require.Equal(t, map[string]float64{`a`: 1, `a%5C`: 2, `a\%5C`: 3}, ops)
}

func TestRealPartialWrite(t *testing.T) {
	address := database(t)
	first := start(t, address, nil)
	first.send(1)
	first.end()
	o := start(t, address, nil)
	o.send(2)
	at := noon.Add(time.Minute).UnixNano()
	require.Zero(t, o.buffer.put([][]byte{fmt.Appendf(nil, "sweep ops=1.5 %d\n", at), fmt.Appendf(nil, "sweep ops=2.5 %d\n", at+1)}))
	summary, _ := o.end()
	require.Contains(t, summary, "2 points written, 2 DROPPED: 2 (400 partial write: field type conflict")
	require.Len(t, testutil.QueryInfluxDB(t, address, "SELECT * FROM sweep"), 2)
}

func TestRealUsers(t *testing.T) {
	server := testutil.StartInfluxDB(t, "auth-enabled = true")
	testutil.QueryInfluxDB(t, server.Address+"/", "CREATE USER admin WITH PASSWORD '"+sesame+"' WITH ALL PRIVILEGES")
	for user, want := range map[string]string{
		"":                                 "0 points written, 3 DROPPED: 3 (401 unable to parse authentication credentials)",
		"admin:" + sesame + "-not@":        "0 points written, 3 DROPPED: 3 (401 authorization failed)",
		"admin:" + sesame + "@":            "3 points written, none dropped",
		"somebody:" + sesame + "-unknown@": "0 points written, 3 DROPPED: 3 (401 authorization failed)",
	} {
		o := start(t, strings.Replace(server.Address, "://", "://"+user, 1)+"/db", nil)
		o.send(3)
		summary, _ := o.end()
		require.Contains(t, summary, want, user)
	}
}

func TestRealTooLarge(t *testing.T) {
	server := testutil.StartInfluxDB(t, "max-body-size = 2000")
	o := start(t, server.Address+"/db", nil)
	o.send(700)
	summary, _ := o.end()
	require.Contains(t, summary, "700 points written, none dropped")
	require.Len(t, testutil.QueryInfluxDB(t, server.Address+"/db", "SELECT ops FROM sweep"), 700)
}

func TestRealServerDies(t *testing.T) {
	server := testutil.StartInfluxDB(t)
	o := start(t, server.Address+"/db?pushInterval=10ms&timeout=300ms&flushTimeout=20s&bufferSize=100&batchSize=50", nil)
	o.send(10)
	require.Eventually(t, func() bool { o.counts.mu.Lock(); defer o.counts.mu.Unlock(); return o.counts.written == 10 }, 10*time.Second, time.Millisecond)
	server.Stop()
	o.send(1)
	require.Eventually(t, func() bool { return len(o.said()) > 0 }, 10*time.Second, time.Millisecond)
	require.Contains(t, o.said()[0], "accepts no points: no reply within 300ms; retrying, up to 100 points wait")
	o.send(500)
	server.Kill()
	server.Restart()
	o.send(7)
	summary, _ := o.end()
	there := len(testutil.QueryInfluxDB(t, server.Address+"/db", "SELECT ops FROM sweep"))
	require.Contains(t, summary, fmt.Sprintf("%d points written, %d DROPPED: ", there, 518-there))
	require.GreaterOrEqual(t, there, 10+1+100)
}
