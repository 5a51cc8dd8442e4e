package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func machbaseExample(t *testing.T, name string, env map[string]string) *run {
	t.Helper()
	r := k6(t, options{script: filepath.Join("../extensions/machbase/examples", name), env: env})
	require.Equal(t, exitOK, r.code, r.output)
	require.Empty(t, r.lines("level=error"), r.output)

	return r
}

func TestExampleMachbaseQuery(t *testing.T) {
	t.Parallel()
	r := machbaseExample(t, "query.js", nil)
	require.Equal(t, 40.0, sum(r.samples(t, "machbase_ops"), map[string]string{"op": "query", "outcome": "ok"}))
}

func TestExampleMachbaseAppend(t *testing.T) {
	t.Parallel()
	r := machbaseExample(t, "append.js", nil)
	require.Len(t, r.lines("30000 rows"), 1, r.output)
	require.Equal(t, 30000.0, sum(r.samples(t, "machbase_rows_acknowledged"), nil))
}

func TestExampleMachbaseAsync(t *testing.T) {
	t.Parallel()
	r := machbaseExample(t, "async.js", nil)
	require.Equal(t, 50000.0, sum(r.samples(t, "machbase_rows_acknowledged"), nil))
	require.Equal(t, 10.0, sum(r.samples(t, "machbase_ops"), map[string]string{"op": "query", "outcome": "not_found"}))
}

func TestSweepOfAsyncOperations(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "testdata/async.js"})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.report(t, "async")
	require.Len(t, rep.Steps, 2)
	for i, clients := range []int{1, 4} {
		s := rep.Steps[i]
		require.Equal(t, 50*clients, s.Ops)
		require.Zero(t, s.Failed)
		require.Equal(t, 2*s.Ops, s.Rows)
		ops := func(operation string) float64 {
			return sum(r.samples(t, "machbase_ops"), map[string]string{"clients": fmt.Sprint(clients), "op": operation})
		}
		require.Equal(t, float64(2*s.Ops), ops("query"))
		require.Equal(t, float64(s.Ops), ops("exec"))
	}
}

func TestExampleMachbaseRollup(t *testing.T) {
	t.Parallel()
	r := machbaseExample(t, "rollup.js", nil)
	require.Len(t, r.lines("rows are summed up at"), 3, r.output)
}

func httpURL(t *testing.T) string {
	t.Helper()
	address := os.Getenv("MACHBASE_HTTP_URL")
	require.NotEmpty(t, address, "run the tests with `make test`, or as MACHBASE_HTTP=true scripts/servers.sh with machbase -- go test ./...")

	return address
}

func TestExamplesMachbaseHTTP(t *testing.T) {
	t.Parallel()
	for name, requests := range map[string]float64{
		"http-query.js": 40, "http-tql.js": 20, "http-write.js": 10 + 3, "http-line-protocol.js": 10 + 4,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := machbaseExample(t, name, map[string]string{"MACHBASE_HTTP_URL": httpURL(t)})
			require.Equal(t, requests, sum(r.samples(t, "http_reqs"), nil))
			for _, check := range r.samples(t, "checks") {
				require.Equal(t, 1.0, check.Data.Value, check.Data.Tags)
			}
		})
	}
}

func TestStockAppend(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "stock-append.js", env: map[string]string{
		"CLIENTS": "1,4", "ITERATIONS": "20", "WARMUP": "100ms", "PAUSE": "0s", "ROWS": "500", "REPEATS": "2",
		"GATES": "../thresholds/stock-append.json",
	}})
	require.Contains(t, []int{exitOK, exitThreshold, exitMarkedFailed}, r.code, r.output) // a busy machine may cross a gate
	require.Empty(t, r.lines("operation failed"), r.output)
	rep := r.report(t, "stock-append")
	require.Len(t, rep.Steps, 4)
	for i, clients := range []int{1, 4, 1, 4} {
		s := rep.Steps[i]
		require.Equal(t, "append", s.Op)
		require.Equal(t, 20*clients, s.Ops)
		require.Zero(t, s.Failed)
		require.True(t, s.Complete)
		require.Equal(t, 500*s.Ops, s.Rows)
		require.InDelta(t, 80, float64(s.BytesSent)/float64(s.Rows), 5, "bytes of a row")
	}
	require.Equal(t, 500.0, rep.Params["rows"])
	require.NotEmpty(t, r.fileGates(t, "stock-append"))
	require.Regexp(t, `\| clients \| repeat \| +rows \| +rows/s \| sent MB/s \| sent bytes/row \|`, r.table(t, "stock-append"))
	require.Equal(t, []any{10000.0, 40000.0, 10000.0, 40000.0}, column(t, rep.Tables[0], "rows"))

	acknowledged := sum(r.samples(t, "machbase_rows_acknowledged"), nil)
	require.GreaterOrEqual(t, acknowledged, float64(500*(2*20+2*80)))
	require.Equal(t, acknowledged, sum(r.samples(t, "stock_append_counted"), nil))
	require.Zero(t, sum(r.samples(t, "stock_append_missing"), nil))
	require.Contains(t, r.output, fmt.Sprintf("%.0f rows acknowledged, %.0f in the table: no acknowledged row is missing", acknowledged, acknowledged))
}

func TestStockAppendFailsWhenAcknowledgedRowsAreMissing(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	var lost *run
	r := k6(t, options{
		script: "stock-append.js",
		env:    map[string]string{"MACHBASE_URL": slowed(t, server.url), "CLIENTS": "2", "DURATION": "8s", "WARMUP": "0s", "ROWS": "100"},
		shows:  `[1-9][0-9]*/s, p99`, // rows are acknowledged
		measuring: func(*os.Process) {
			lost = k6(t, options{script: "testdata/lose.js", env: map[string]string{"MACHBASE_URL": server.url}})
		},
	})
	require.NotNil(t, lost)
	require.NotContains(t, lost.output, "msg=\"0 rows are lost")
	require.Equal(t, exitThreshold, r.code, r.output)
	require.Positive(t, sum(r.samples(t, "stock_append_missing"), nil))
	require.Regexp(t, `\d+ rows acknowledged, \d+ in the table: \d+ acknowledged rows are MISSING`, r.output)
}

func TestStockAppendSettings(t *testing.T) {
	t.Parallel()
	for env, says := range map[string]string{
		"50":   `ROWS must be an integer from 100 to 1000000, but is "50"`,
		"150":  `ROWS must be a multiple of 100, the ticks of 100 ms, but is "150"`,
		"many": `ROWS must be an integer from 100 to 1000000, but is "many"`,
	} {
		r := k6(t, options{script: "stock-append.js", env: map[string]string{"ROWS": env}})
		require.Equal(t, exitInvalidConfig, r.code, r.output)
		require.Contains(t, strings.ReplaceAll(r.output, `\"`, `"`), says)
	}
}

func TestStockAppendKeepsItsTable(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	for range 2 { // the second run begins with a new table
		r := k6(t, options{script: "stock-append.js", env: map[string]string{
			"MACHBASE_URL": server.url, "CLIENTS": "1", "ITERATIONS": "3", "WARMUP": "0s", "ROWS": "100", "KEEP": "true",
		}})
		require.Equal(t, exitOK, r.code, r.output)
		require.Contains(t, r.output, "300 rows acknowledged, 300 in the table")
	}
	lost := k6(t, options{script: "testdata/lose.js", env: map[string]string{"MACHBASE_URL": server.url}})
	require.Equal(t, exitOK, lost.code, lost.output)
	require.Len(t, lost.lines("300 rows are lost"), 1, lost.output)
}

func TestStockBench(t *testing.T) {
	t.Parallel()
	loadStock(t)
	r := k6(t, options{script: "stock-bench.js", env: map[string]string{
		"ITERATIONS": "40", "WARMUP": "0s", "GATES": "../thresholds/stock-bench.json",
	}})
	require.Contains(t, []int{exitOK, exitThreshold, exitMarkedFailed}, r.code, r.output)
	rep := r.report(t, "stock-bench")
	require.Len(t, rep.Steps, 2, "one client")
	rows := map[string]int{"tick": 100, "rollup": 60}
	for _, s := range rep.Steps {
		require.Equal(t, 1, s.Clients)
		require.Equal(t, 20, s.Ops)
		require.Zero(t, s.Failed)
		require.GreaterOrEqual(t, s.Rows, 20*rows[s.Op], s.Op)
		delete(rows, s.Op)
	}
	require.Empty(t, rows)
	require.Equal(t, []any{"BenchmarkSelectRollup", "BenchmarkSelect"}, column(t, rep.Tables[0], "benchmark"))
	require.Equal(t, []any{20.0, 20.0}, column(t, rep.Tables[0], "iterations"))
	require.Equal(t, []any{nil, 14861460.0}, column(t, rep.Tables[0], "published, api/machcli ns/op"))
	require.Equal(t, rep.Steps[0].LatencyMs.Mean*1e6, column(t, rep.Tables[0], "ns/op")[0])
	require.Regexp(t, `\| BenchmarkSelect +\| +20 \| +[\d,]+ \| +14,861,460 \|`, r.table(t, "stock-bench"))
	require.NotEmpty(t, r.fileGates(t, "stock-bench"))
}

func TestGatesOfAppendAndBench(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"stock-append", "stock-bench"} {
		code, stdout, stderr := sweep(t, "validate", filepath.Join(root, "thresholds", scenario+".json"))
		require.Zero(t, code, stdout+stderr)
	}
}

func TestAppenderLeftOpenLosesNoRows(t *testing.T) {
	t.Parallel()
	step := func(name string) *run {
		return k6(t, options{script: "testdata/left.js", env: map[string]string{"STEP": name, "TABLE": "left_open"}})
	}
	r := step("make")
	require.Equal(t, exitOK, r.code, r.output)
	r = step("append")
	require.Equal(t, exitOK, r.code, r.output)
	rejected := step("reject")
	counted := step("count")
	require.Len(t, counted.lines("2 rows"), 1, counted.output)
	require.Equal(t, exitMarkedFailed, rejected.code, rejected.output)
	require.Len(t, rejected.lines("an appender on left_open was not closed, and the server rejected 1 of its rows"), 1, rejected.output)
}
