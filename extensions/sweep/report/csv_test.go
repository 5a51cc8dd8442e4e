package report

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

func csvRows(t *testing.T, r *Report) []map[string]string {
	t.Helper()
	out, err := r.CSV()
	require.NoError(t, err)
	lines, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	require.NoError(t, err)
	rows := make([]map[string]string, 0, len(lines))
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range line {
			row[lines[0][i]] = cell
		}
		require.Len(t, row, len(csvColumns), "two columns of one name")
		rows = append(rows, row)
	}

	return rows
}

// All figures of the step are different, so a swapped column fails.
func TestCSVColumns(t *testing.T) {
	server := 34.5
	r := madeUp(func(r *Report) {
		r.Steps = []Step{{
			Clients: 1, Rate: 2.5, Repeat: 3, PerClient: 4, Op: "get", Operations: 5, Failed: 6, Complete: true,
			Seconds: 7.125, OpsPerSecond: 8.5,
			Client: Clients{
				Min: 9.5, P25: 10.5, P50: 11.5, P75: 12.5, Max: 13.5, Avg: 14.5,
				Ops: ClientOps{Min: 15, P25: 16, P50: 17, P75: 18, Max: 19},
			},
			Latency: LatencyMs{P50: 20.5, P90: 21.5, P95: 22.5, P99: 23.5, P999: 24.5, Max: 25.5, Mean: 26.5},
			Rows:    27, BytesSent: 28, BytesReceived: 29, CPU: CPUSeconds{K6: 33.25, Server: &server},
			Extra:         Extra{Unstarted: 35},
			Window:        &Window{Seconds: 6.5, Ops: 4},
			AllClients:    &AllClients{Seconds: 3.5, Ops: 2, OpsPerSecond: 0.5},
			FailedLatency: &FailedLatencyMs{P50: 41.5, P99: 42.5, Max: 43.5},
			ClientWait:    &AnswersMs{Mean: 44.5, P99: 45.5},
			Requests:      &AnswersMs{P50: 51.5, P99: 52.5},
			Witness:       &Witness{LimitedBy: witness.Host},
			Intervals:     &Intervals{OpsPerSecond: Range{46.5, 47.5}, Latency: map[string]Range{"p99": {48.5, 49.5}}},
			OpenLoop: &OpenLoop{
				AchievedRate: 36.5, LongestQueue: 37, AllBusy: 0.75, InTime: 0.76, LateByK6: 0.125,
				Lateness: LatenessMs{P50: 38.5, P99: 39.5, Max: 40.5},
			},
			Timed:      3,
			Standstill: &Standstill{LongestMs: 50.5, Part: 0.375},
		}}
	})
	require.Equal(t, []map[string]string{{
		"scenario": "stock-rollup", "op": "get", "clients": "1", "rate": "2.5", "repeat": "3", "per_client": "4",
		"ops": "5", "failed": "6", "complete": "true", "seconds": "7.125", "ops_per_second": "8.5",
		"client_min_s": "9.5", "client_p25_s": "10.5", "client_p50_s": "11.5", "client_p75_s": "12.5", "client_max_s": "13.5",
		"client_avg_s":   "14.5",
		"client_ops_min": "15", "client_ops_p25": "16", "client_ops_p50": "17", "client_ops_p75": "18", "client_ops_max": "19",
		"p50_ms": "20.5", "p90_ms": "21.5", "p95_ms": "22.5", "p99_ms": "23.5", "p999_ms": "24.5", "max_ms": "25.5", "mean_ms": "26.5",
		"rows": "27", "bytes_sent": "28", "bytes_received": "29", "cpu_k6_s": "33.25", "cpu_server_s": "34.5", "unstarted": "35", "total": "false",
		"window_s": "6.5", "window_ops": "4", "all_clients_s": "3.5", "all_clients_ops": "2", "all_clients_ops_per_second": "0.5",
		"achieved_per_second": "36.5", "longest_queue": "37", "all_busy": "0.75",
		"lateness_p50_ms": "38.5", "lateness_p99_ms": "39.5", "lateness_max_ms": "40.5",
		"failed_p50_ms": "41.5", "failed_p99_ms": "42.5", "failed_max_ms": "43.5",
		"client_wait_mean_ms": "44.5", "client_wait_p99_ms": "45.5", "request_p50_ms": "51.5", "request_p99_ms": "52.5",
		"table": "", "table_row": "", "table_column": "", "table_value": "", "variant": "",
		"limited_by":         "host",
		"ops_per_second_low": "46.5", "ops_per_second_high": "47.5", "p50_ms_low": "", "p50_ms_high": "", "p90_ms_low": "", "p90_ms_high": "",
		"p95_ms_low": "", "p95_ms_high": "", "p99_ms_low": "48.5", "p99_ms_high": "49.5", "p999_ms_low": "", "p999_ms_high": "",
		"mean_ms_low": "", "mean_ms_high": "",
		"in_time": "0.76", "late_by_k6": "0.125", "timings": "3", "standstill_ms": "50.5", "standstill_part": "0.375",
	}}, csvRows(t, r))
}

func TestCSVNumbers(t *testing.T) {
	rows := csvRows(t, madeUp(nil))
	require.Len(t, rows, 3)
	require.Equal(t, "12.5", rows[0]["cpu_server_s"])
	require.Empty(t, rows[1]["cpu_server_s"], "the server ran elsewhere")
	require.Equal(t, "5120000", rows[2]["ops"])
	seconds, err := strconv.ParseFloat(rows[0]["seconds"], 64)
	require.NoError(t, err)
	require.Equal(t, madeUp(nil).Steps[0].Seconds, seconds, "full precision")

	large := madeUp(func(r *Report) { r.Steps[0].Seconds, r.Steps[0].OpsPerSecond = 1e21, 1e-7 })
	require.Equal(t, "1000000000000000000000", csvRows(t, large)[0]["seconds"])
	require.Equal(t, "0.0000001", csvRows(t, large)[0]["ops_per_second"])
}

func TestCSVTexts(t *testing.T) {
	for _, tt := range []struct{ op, want string }{ // NameOf keeps blanks
		{"get", "get"},
		{"", ""},
		{"=1+2", "'=1+2"},
		{"+1", "'+1"},
		{"-1", "'-1"},
		{"@SUM(A1)", "'@SUM(A1)"},
		{" \t=1", "'=1"},
		{"\r\n=1", "'=1"},
		{"\x01=1", "'=1"},
		{"a=b", "a=b"},
		{"a, \"b\"\nc", `a, "b" c`},
		{"é", "é"},
		{"＝1+2", "'＝1+2"},
	} {
		t.Run(tt.op, func(t *testing.T) {
			r := madeUp(func(r *Report) { r.Scenario, r.Steps[0].Op = tt.op, tt.op })
			row := csvRows(t, r)[0]
			require.Equal(t, harmless(NameOf(tt.op)), row["op"])
			require.Equal(t, tt.want, row["scenario"])
		})
	}
}

// RFC 4180: all lines end with CR LF.
func TestCSVLines(t *testing.T) {
	out, err := madeUp(nil).CSV()
	require.NoError(t, err)
	require.Equal(t, 4, strings.Count(string(out), "\r\n"))
	require.Equal(t, 4, strings.Count(string(out), "\n"))
	require.True(t, strings.HasSuffix(string(out), "\r\n"))
}
