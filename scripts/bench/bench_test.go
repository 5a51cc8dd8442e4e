package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFiguresOfPeers(t *testing.T) {
	t.Parallel()
	logs := t.TempDir()
	var log strings.Builder
	for range 99 {
		log.WriteString("3 2 192 0 1795384329 134237\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(logs, "log.7"), []byte(log.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(logs, "log.7.1"), []byte("4 6 2500 0 1795384329 141002\n"), 0o600))
	const (
		memtierFile = `{"ALL STATS": {"Gets": {"Misses/sec": 0}, "Totals": {"Count": 500, "Ops/sec": 250.5, "Percentile Latencies": {"p50.00": 0.1, "p99.00": 0.9}}}}`
		redisTable  = `"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"` + "\n" +
			`"GET","90909.09","0.361","0.072","0.367","0.455","0.543","1.231"` + "\n"
		natsMany = " NATS JetStream KV getter aggregated stats: 8,615 msgs/sec ~ 1.1 MiB/sec\n message rates min 1,127 | avg 1,314 | max 1,786\n" +
			" latencies per operation min 48.82us | avg 776.64us | max 18,041.21us | stddev 1,748.60us | P50 413.04us | P90 1,191.24us | P99 7,382.44us | P99.9: 18,041.21us\n"
		natsOne    = "NATS JetStream KV putter stats: 6,133 msgs/sec ~ 599 KiB/sec ~ min: 40.87us ~ avg: 161.70us ~ max: 8,656.46us ~ P50: 138.56us ~ P90: 203.14us ~ P99: 509.35us ~ P99.9: 8,656.46us\n"
		pgbenchOut = "number of transactions actually processed: 1000\nnumber of failed transactions: 0 (0.000%)\n" +
			"latency average = 1.261 ms\ntps = 6342.772965 (without initial connection time)\n"
		ghzOut = `{"count": 300, "rps": 99.5, "errorDistribution": {}, "latencyDistribution": [{"percentage": 50, "latency": 1500000}, {"percentage": 99, "latency": 9000000}]}`
		stock  = "All clients (8) query(1000) (Query mode) completed in 2.5s  3202 ops/sec\n  Sessions: min 2.4s, max 2.5s, avg 2.45s\n"
	)
	memtierFigures := parseMemtier
	redis := func(out []byte) (figures, error) { return parseRedisBenchmark(out, 400) }
	nats := func(out []byte) (figures, error) { return parseNatsBench(out, 600) }
	postgres := func(out []byte) (figures, error) { return parsePgbench(out, logs) }
	original := func(out []byte) (figures, error) { return parseStockgo(out, 8000) }
	for name, tt := range map[string]struct {
		parse func([]byte) (figures, error)
		out   string
		want  figures
	}{
		"memtier_benchmark":       {memtierFigures, memtierFile, figures{Rate: 250.5, P50: .1, P99: .9, operations: 500}},
		"redis-benchmark":         {redis, redisTable, figures{Rate: 90909.09, P50: .367, P99: .543, operations: 400}},
		"nats bench, together":    {nats, natsMany, figures{Rate: 8615, P50: .41304, P99: 7.38244, operations: 600}},
		"nats bench, one client":  {nats, natsOne, figures{Rate: 6133, P50: .13856, P99: .50935, operations: 600}},
		"nats bench, no latency":  {nats, "Pub stats: 1,000 msgs/sec ~ 1 MB/sec\n", figures{Rate: 1000, operations: 600}},
		"pgbench":                 {postgres, pgbenchOut, figures{Rate: 6342.772965, P50: .192, P99: .192, operations: 1000}},
		"ghz":                     {parseGhz, ghzOut, figures{Rate: 99.5, P50: 1.5, P99: 9, operations: 300}},
		"stockgo, no percentiles": {original, stock, figures{Rate: 3202, operations: 8000}},
	} {
		f, err := tt.parse([]byte(tt.out))
		require.NoError(t, err, name)
		require.InDelta(t, tt.want.P50, f.P50, 1e-9, name)
		require.InDelta(t, tt.want.P99, f.P99, 1e-9, name)
		tt.want.P50, tt.want.P99 = f.P50, f.P99
		require.Equal(t, tt.want, f, name)
	}
}

func TestPeersThatFailed(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"memtier":         second(parseMemtier([]byte(`{"ALL STATS": {"Gets": {"Misses/sec": 1}, "Totals": {"Count": 5, "Ops/sec": 2}}}`))),
		"redis-benchmark": second(parseRedisBenchmark([]byte("Could not connect\n"), 4)),
		"pgbench":         second(parsePgbench([]byte("number of transactions actually processed: 9\nnumber of failed transactions: 3 (1%)\ntps = 6.7 (without initial connection time)\n"), "")),
		"ghz":             second(parseGhz([]byte(`{"count": 3, "rps": 9, "errorDistribution": {"Unavailable": 1}}`))),
		"stockgo":         second(parseStockgo([]byte("Query error(1), client 1\nAll clients (8) query(1) (Query mode) completed in 2s  4 ops/sec\n"), 8)),
		"nothing printed": second(peer(func([]byte) (figures, error) { return figures{}, nil }, "true")),
		"not started":     second(peer(func([]byte) (figures, error) { return figures{Rate: 1, operations: 1}, nil }, "false")),
	} {
		require.Error(t, err, name)
	}
}

func second(_ figures, err error) error { return err }

func TestPlaceOfServer(t *testing.T) {
	t.Setenv("REDIS_URL", "redis://user:secret@127.0.0.1:6379/0")
	t.Setenv("MEMCACHED_URL", "nothing")
	host, port, err := place("REDIS_URL")
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:6379", host+":"+port)
	_, _, err = place("MEMCACHED_URL")
	require.ErrorContains(t, err, "MEMCACHED_URL must be an address with a port")
}

func sample(times float64) *run {
	c := &cell{Store: "nothing", Work: "empty operation", Clients: 8, Runs: map[string][]figures{}}
	for round := range 4 {
		noise := 1 + float64(round)/100
		c.Runs["Go"] = append(c.Runs["Go"], figures{Rate: 1000, CPU: 2, Server: 480, P99: 5})
		c.Runs["k6"] = append(c.Runs["k6"], figures{Rate: 1000 * times * noise, CPU: 2 / times * noise, Server: 480, P99: 5 / times * noise})
	}

	return &run{Started: time.Unix(0, 0), Machine: "m", Cells: []*cell{c}}
}

func TestTableHasRatiosWithIntervals(t *testing.T) {
	t.Parallel()
	require.Equal(t, `## An operation that does nothing

|work|clients|program|1000 ops/s|CPU µs|server µs|p50 ms|p99 ms|rate ±%|CPU ±%|p99 ±%|
|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|
|empty operation|8|k6|2.03|1.02|480*||2.54||||
|||Go|1.00|2.00|480||5.00|2.03 ±2|0.51 ±2|0.51 ±2|

`, sample(2).tables())
	one := sample(2)
	one.Cells[0].Clients = 1
	require.NotContains(t, one.tables(), "±2", "one client has no ratios")
}

// A ratio is worse if its complete interval is on the bad side of the earlier one.
func TestWorseRatios(t *testing.T) {
	t.Parallel()
	require.Empty(t, worseRatios(sample(2), sample(2.01)))
	require.Empty(t, worseRatios(sample(2), sample(3)))
	worse := worseRatios(sample(3), sample(2))
	require.Len(t, worse, 3)
	require.Equal(t, "nothing, empty operation, 8 clients, rate to Go: 2.03 [1.99, 2.07], was 3.04 [2.98, 3.11]", worse[0])
}

func TestCheckNeedsTwoRunsOfOneMachine(t *testing.T) {
	t.Chdir(t.TempDir())
	require.ErrorContains(t, check(nil), "no complete run")
	keep := func(r *run, seconds int64) {
		r.Started = time.Unix(seconds, 0)
		require.NoError(t, r.write(unfinished))
		require.NoError(t, r.keep())
	}
	keep(sample(3), 1)
	require.ErrorContains(t, check(nil), "no earlier run")
	keep(sample(3), 2)
	require.NoError(t, check(nil))
	other := sample(1)
	other.Machine = "another"
	keep(other, 3)
	keep(sample(2), 4)
	require.ErrorContains(t, check(nil), "worse by more than the intervals allow")
	require.NoFileExists(t, unfinished)
}

func TestRunContinues(t *testing.T) {
	t.Chdir(t.TempDir())
	calls := map[string]int{}
	rates := map[string]float64{}
	made := func(name string, perSecond float64) program {
		return program{name: name, paced: true, own: true, run: func(l load) (figures, error) {
			calls[name]++
			if l.open {
				rates[name] = l.rate
			}

			return figures{Rate: perSecond + float64(calls[name])}, nil
		}}
	}
	works := []*work{{store: "s", name: "w", clients: []int{1, 8}, programs: []program{made("k6", 1000), made("other", 400)}}}
	r := &run{Rounds: 4}
	require.NoError(t, r.measure(works, time.Now().Add(-time.Second)))
	require.Empty(t, calls, "no run begins after the time")
	require.NoError(t, r.measure(works, time.Time{}))
	require.True(t, r.complete(works))
	require.Equal(t, map[string]int{"k6": 11, "other": 11}, calls, "three rounds of 1 client, four of 8 clients and of their open loop")
	require.Equal(t, map[string]float64{"k6": 200, "other": 200}, rates, "half of the slower rate, a multiple of the clients")
	kept, err := readRun(unfinished)
	require.NoError(t, err)
	require.NoError(t, kept.measure(works, time.Time{}))
	require.Equal(t, map[string]int{"k6": 11, "other": 11}, calls)
	broken := func(load) (figures, error) { return figures{}, errors.New("broken") }
	works[0].programs[1].run = broken
	failing := &run{Rounds: 4}
	require.NoError(t, failing.measure(works, time.Time{}))
	_, known := ratio(failing.Cells[0].Runs["k6"], failing.Cells[0].Runs["other"], rate)
	require.False(t, known, "a peer that fails has no figures")
	works[0].programs[0].run = broken
	require.ErrorContains(t, (&run{Rounds: 1}).measure(works, time.Time{}), "s, w, 1 clients: k6: broken")
}

func TestWorksAreComplete(t *testing.T) {
	t.Chdir("../..")
	for _, w := range works() {
		require.NotEmpty(t, titles[w.store], w.store)
		require.Greater(t, len(w.programs), 1, w.name)
	}
	for _, file := range []string{"memcached.js", "redis.js", "postgres.js", "readbulk.js", "empty.js", "http.js"} {
		require.FileExists(t, "scripts/bench/"+file)
	}
	_, err := choose("redis,nuts")
	require.ErrorContains(t, err, `-only names "nuts"`)
	chosen, err := choose("nothing")
	require.NoError(t, err)
	require.Len(t, chosen, 1)
}
