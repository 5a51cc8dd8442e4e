package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
)

func influxDatabase(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(testutil.InfluxDBURL(t))
	require.NoError(t, err)
	name := fmt.Sprintf("%s_%d", t.Name(), time.Now().UnixNano()) // k6 does not quote it
	u.Path = "/" + name
	t.Cleanup(func() { testutil.QueryInfluxDB(t, testutil.InfluxDBURL(t), `DROP DATABASE "`+name+`"`) })

	return u.String()
}

func gets(t *testing.T, more ...string) map[string]string {
	t.Helper()

	return cachesEnv(t, append([]string{
		"TARGET", "memcached", "MEMCACHED_URL", slowed(t, os.Getenv("MEMCACHED_URL")), "MIX", "get:1", "KEYS", "1000", "PAUSE", "0s", "WARMUP", "500ms",
	}, more...)...)
}

var written = regexp.MustCompile(`([0-9]+) points written, ([0-9]+) DROPPED`)

func requireStreamed(t *testing.T, r *run, address, scenario string, total bool) {
	t.Helper()
	points, kinds := 0, map[string]float64{}
	for _, s := range cacheSteps(t, r, scenario+"-memcached") {
		of := fmt.Sprintf(`scenario='%s' AND clients='%d' AND repeat='%d' AND op='%s' AND target='memcached' AND phase='measure'`,
			scenario, s.Clients, s.Repeat, s.Op)
		rows := testutil.QueryInfluxDB(t, address, "SELECT * FROM sweep WHERE "+of)
		require.NotEmpty(t, rows, r.output)
		sums := map[string]float64{}
		for _, row := range rows {
			for _, field := range []string{"ops", "failed", "bytes_sent", "bytes_received", "hits", "misses"} {
				sums[field] += row.Number(t, field)
			}
			if row.Number(t, "ops") > 0 {
				require.Positive(t, row.Number(t, "p50"))
				require.LessOrEqual(t, row.Number(t, "p50"), row.Number(t, "p999"))
				require.LessOrEqual(t, row.Number(t, "p999"), row.Number(t, "max"))
			}
		}
		require.Equal(t, map[string]float64{
			"ops": float64(s.Ops), "failed": float64(s.Failed), "bytes_sent": float64(s.BytesSent),
			"bytes_received": float64(s.BytesReceived), "hits": float64(s.Extra.Hits), "misses": float64(s.Extra.Misses),
		}, sums)

		require.GreaterOrEqual(t, len(rows), int(s.Seconds), "every second is there")
		for i := range int(s.Seconds) - 1 {
			require.Equal(t, time.Second, time.Duration(rows[i+1].Time(t)-rows[i].Time(t)), "on the second")
		}
		line := rows[0].Time(t) - int64(time.Second)
		require.InDelta(t, s.Seconds, time.Duration(rows[len(rows)-1].Time(t)-line).Seconds(), 1e-3, "from the start line to the end")
		totals := testutil.QueryInfluxDB(t, address, "SELECT * FROM sweep_step WHERE "+of)
		require.Len(t, totals, 1)
		require.InDelta(t, s.Ops, totals[0].Number(t, "ops"), 0)
		require.InDelta(t, s.Seconds, totals[0].Number(t, "seconds"), 0)
		require.InDelta(t, s.OpsPerSecond, totals[0].Number(t, "ops_per_second"), 1e-6)
		require.InDelta(t, s.LatencyMs.P99, totals[0].Number(t, "p99"), 1e-9)
		require.InDelta(t, s.CPUSeconds.K6, totals[0].Number(t, "cpu_k6"), 1e-9)
		require.InDelta(t, *s.Extra.HitRate, totals[0].Number(t, "hit_rate"), 1e-9)
		require.InDelta(t, s.Clients, totals[0].Number(t, "clients_done"), 0)
		require.Equal(t, true, totals[0]["complete"])
		require.NotEmpty(t, totals[0].Text("instance"))
		points += len(rows) + 1
		kinds[fmt.Sprintf("%d/%d", s.Clients, s.Repeat)] += float64(s.Ops)
	}
	for _, measurement := range []string{"sweep", "sweep_step"} {
		sums := map[string]float64{}
		for _, row := range testutil.QueryInfluxDB(t, address, "SELECT * FROM "+measurement+" WHERE op='(total)'") {
			sums[row.Text("clients")+"/"+row.Text("repeat")] += row.Number(t, "ops")
			points++
		}
		if len(sums) > 0 || total {
			require.Equal(t, kinds, sums, "the total is the sum")
		}
	}
	points += len(testutil.QueryInfluxDB(t, address, "SELECT ops FROM sweep WHERE phase='warmup'"))
	require.Len(t, r.lines(fmt.Sprintf("%d points written, none dropped", points)), 1, "none has overwritten another: %s", r.output)
}

// killWhenWritten kills influxd after it has received two seconds of a sweep. The returned function
// waits for that.
func killWhenWritten(t *testing.T, server *testutil.InfluxDB, address string) (wait func()) {
	t.Helper()
	testutil.QueryInfluxDB(t, address, `CREATE DATABASE "k6"`)
	var watched sync.WaitGroup
	watched.Go(func() {
		for deadline := time.Now().Add(hang); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if len(testutil.QueryInfluxDB(t, address, "SELECT ops FROM sweep WHERE phase='measure'")) >= 2 {
				break
			}
		}
		server.Kill()
	})

	return watched.Wait
}

func TestInfluxHasEverySecondOfASweep(t *testing.T) {
	t.Parallel()
	address := influxDatabase(t)
	r := k6(t, options{
		script: "cache-sweep.js", env: gets(t, "MIX", "get:9,set:1", "CLIENTS", "1,8", "DURATION", "2400ms", "REPEATS", "2"),
		args: []string{"--out", "sweep-influxdb=" + address, "--tag", "testid=seven"},
	})
	require.Equal(t, exitOK, r.code, r.output)
	requireStreamed(t, r, address, "cache-sweep", true)
	all := len(testutil.QueryInfluxDB(t, address, "SELECT ops FROM sweep"))
	require.Len(t, testutil.QueryInfluxDB(t, address, "SELECT ops FROM sweep WHERE testid='seven'"), all)
	require.NotEmpty(t, testutil.QueryInfluxDB(t, address, "SELECT ops FROM sweep WHERE phase='warmup'"))
	require.NotEmpty(t, r.lines("sweep-influxdb (InfluxDB 1 at http://"), r.output)
}

// The same with k6's own executors.
func TestInfluxHasEverySecondOfAPortableSweep(t *testing.T) {
	t.Parallel()
	address := influxDatabase(t)
	r := k6(t, options{
		script: "cache-sweep.js", env: gets(t, "CLIENTS", "1,4", "DURATION", "2400ms", "PORTABLE", "true"),
		args: []string{"--out", "sweep-influxdb=" + address},
	})
	require.Equal(t, exitOK, r.code, r.output)
	requireStreamed(t, r, address, "cache-sweep", false)
	warmedUp := map[string]bool{}
	for _, row := range testutil.QueryInfluxDB(t, address, "SELECT ops FROM sweep WHERE phase='warmup' GROUP BY clients") {
		warmedUp[row.Text("clients")] = true
	}
	require.Equal(t, map[string]bool{"1": true, "4": true}, warmedUp)
}

func TestInfluxIsKilledAndComesBack(t *testing.T) {
	t.Parallel()
	server := testutil.StartInfluxDB(t)
	address := server.Address + "/k6"
	killed := killWhenWritten(t, server, address)
	r := k6(t, options{
		script: "cache-sweep.js", env: gets(t, "CLIENTS", "4", "DURATION", "7400ms"),
		args:  []string{"--out", "sweep-influxdb=" + address + "?timeout=30s&flushTimeout=60s"},
		shows: "accepts no points", measuring: func(*os.Process) {
			killed()
			server.Restart()
		},
	})
	killed()
	require.Equal(t, exitOK, r.code, r.output)
	require.Len(t, r.lines("accepts no points"), 1)
	require.Len(t, r.lines("accepts points again"), 1)
	requireStreamed(t, r, address, "cache-sweep", false)
}

func TestInfluxIsKilled(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate.json")
	require.NoError(t, os.WriteFile(gate, []byte(`{"scenario": "cache-sweep", "absolute": [{"op": "get", "opsPerSecond": 1e9}]}`), 0o600))
	for code, more := range map[int][]string{exitOK: nil, exitThreshold: {"GATES", gate}} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			t.Parallel()
			server := testutil.StartInfluxDB(t)
			address := server.Address + "/k6"
			killed := killWhenWritten(t, server, address)
			r := k6(t, options{
				script: "cache-sweep.js", env: gets(t, append(more, "CLIENTS", "4", "DURATION", "5s")...),
				args: []string{"--out", "sweep-influxdb=" + address + "?flushTimeout=1s"}, environment: noWitness,
			})
			killed()
			require.Equal(t, code, r.code, r.output)
			server.Restart()
			there := len(testutil.QueryInfluxDB(t, address, "SELECT ops FROM sweep")) + len(testutil.QueryInfluxDB(t, address, "SELECT ops FROM sweep_step"))
			match := written.FindStringSubmatch(r.lines(" points written, ")[0])
			acknowledged, err := strconv.Atoi(match[1])
			require.NoError(t, err)
			require.GreaterOrEqual(t, there, acknowledged, r.output)
			require.LessOrEqual(t, there, acknowledged+2, "the batch whose answer the kill cut off, of warm-up and measurement: %s", r.output)
			dropped, err := strconv.Atoi(match[2])
			require.NoError(t, err)
			require.GreaterOrEqual(t, dropped, 2, "the last seconds and the step: %s", r.output)
			require.Contains(t, r.output, "not written within 1s of the end of the test: ")
			for _, s := range cacheSteps(t, r, "cache-sweep-memcached") {
				require.True(t, s.Complete, "the test goes on")
				require.InDelta(t, 5, s.Seconds, 1)
			}
		})
	}
}

func TestUnreachableInflux(t *testing.T) {
	t.Parallel()
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"code":"unauthorized","message":"unauthorized access with %s"}`, r.Header.Get("Authorization"))
	}))
	defer refuses.Close()
	for address, why := range map[string]string{
		refuses.URL + "?organization=us&bucket=b&token=" + password:         "401 unauthorized access with Token ***",
		"http://127.0.0.1:1/db?version=3&flushTimeout=1s&token=" + password: "connection refused",
	} {
		r := k6(t, options{
			script: "cache-sweep.js", env: gets(t, "CLIENTS", "2", "ITERATIONS", "100"), args: []string{"--out", "sweep-influxdb=" + address},
		})
		require.Equal(t, exitMarkedFailed, r.code, r.output)
		require.Len(t, r.lines(" 0 points written, "), 1, r.output)
		require.Contains(t, r.output, why)
		require.True(t, r.report(t, "cache-sweep-memcached").Steps[0].Complete)
	}
}

func TestInfluxSettingsThatAreWrong(t *testing.T) {
	t.Parallel()
	for argument, want := range map[string]string{
		"sweep-influxdb=http://127.0.0.1:1/db?gzip=no&token=" + password: `unknown setting \"gzip\"`,
		"sweep-influxdb=127.0.0.1:1/" + password:                         "must be a URL such as http://host:port/database",
		"sweep-influxdb=http://127.0.0.1:1":                              "InfluxDB 1 needs database",
	} {
		r := k6(t, options{script: "testdata/nothing.js", env: map[string]string{defaultEnvMachbase: ""}, args: []string{"--out", argument}})
		require.Equal(t, exitInvalidConfig, r.code)
		require.Contains(t, r.output, want)
	}
	r := k6(t, options{
		script: "testdata/nothing.js", env: map[string]string{defaultEnvMachbase: ""},
		args: []string{"--tag", "target=staging", "--out", "sweep-influxdb=http://127.0.0.1:1/db"},
	})
	require.Equal(t, exitInvalidConfig, r.code)
	require.Contains(t, r.output, `the run's tag \"target\" is the name of a sweep's own tag: rename it, for example to run_target`)
}

func TestInfluxOfK6HasEverySample(t *testing.T) {
	t.Parallel()
	for _, o := range []options{
		{script: "testdata/nothing.js", env: map[string]string{defaultEnvMachbase: ""}},
		{script: "cache-sweep.js", env: gets(t, "CLIENTS", "1,16", "DURATION", "600ms", "REPEATS", "2")},
	} {
		address := influxDatabase(t)
		o.args = []string{"--out", "influxdb=" + address}
		r := k6(t, o)
		require.Equal(t, exitOK, r.code, r.output)
		for _, metric := range []string{
			"sweep_ops", "sweep_failed", "sweep_ops_per_second", "sweep_p99", "sweep_clients_done", "iterations",
		} {
			rows := testutil.QueryInfluxDB(t, address, `SELECT count(value) FROM "`+metric+`"`)
			require.InDelta(t, len(r.samples(t, metric)), rows[0].Number(t, "count"), 0, metric)
		}
	}
}
