package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// csvColumn is a column of the CSV, named by the JSON key and its unit. It has the value at a path
// of the step, or its own cells.
type csvColumn struct {
	name, path string
	cell       func(*Report, *Step) any
}

// csvColumns must not be renamed or moved; new ones come last.
var csvColumns = slices.Concat([]csvColumn{ //nolint:gochecknoglobals // a constant
	{name: "scenario", cell: func(r *Report, _ *Step) any { return r.Scenario }},
	{name: "op", cell: func(_ *Report, s *Step) any { return NameOf(s.Op) }},
	{name: "clients", path: "clients"},
	{name: "rate", path: "rate"},
	{name: "repeat", path: "repeat"},
	{name: "per_client", path: "perClient"},
	{name: "ops", path: "ops"},
	{name: "failed", path: "failed"},
	{name: "complete", path: "complete"},
	{name: "seconds", path: "seconds"},
	{name: "ops_per_second", path: "opsPerSecond"},
	{name: "client_min_s", path: "client.min"},
	{name: "client_p25_s", path: "client.p25"},
	{name: "client_p50_s", path: "client.p50"},
	{name: "client_p75_s", path: "client.p75"},
	{name: "client_max_s", path: "client.max"},
	{name: "client_avg_s", path: "client.avg"},
	{name: "client_ops_min", path: "client.ops.min"},
	{name: "client_ops_p25", path: "client.ops.p25"},
	{name: "client_ops_p50", path: "client.ops.p50"},
	{name: "client_ops_p75", path: "client.ops.p75"},
	{name: "client_ops_max", path: "client.ops.max"},
}, latencyColumns(), []csvColumn{
	{name: "rows", path: "rows"},
	{name: "bytes_sent", path: "bytesSent"},
	{name: "bytes_received", path: "bytesReceived"},
	{name: "cpu_k6_s", path: "cpuSeconds.k6"},
	{name: "cpu_server_s", path: "cpuSeconds.server"},
	{name: "unstarted", path: "extra.unstarted"},
	{name: "total", cell: func(_ *Report, s *Step) any { return s.Op == TotalOp }},
	{name: "window_s", path: "window.seconds"},
	{name: "window_ops", path: "window.ops"},
	{name: "all_clients_s", path: "allClients.seconds"},
	{name: "all_clients_ops", path: "allClients.ops"},
	{name: "all_clients_ops_per_second", path: "allClients.opsPerSecond"},
	{name: "achieved_per_second", path: "openLoop.achievedRate"},
	{name: "longest_queue", path: "openLoop.longestQueue"},
	{name: "all_busy", path: "openLoop.allBusy"},
	{name: "lateness_p50_ms", path: "openLoop.latenessMs.p50"},
	{name: "lateness_p99_ms", path: "openLoop.latenessMs.p99"},
	{name: "lateness_max_ms", path: "openLoop.latenessMs.max"},
	{name: "failed_p50_ms", path: "failedLatencyMs.p50"},
	{name: "failed_p99_ms", path: "failedLatencyMs.p99"},
	{name: "failed_max_ms", path: "failedLatencyMs.max"},
	{name: "client_wait_mean_ms", path: "clientWaitMs.mean"},
	{name: "client_wait_p99_ms", path: "clientWaitMs.p99"},
	{name: "request_p50_ms", path: "requestMs.p50"},
	{name: "request_p99_ms", path: "requestMs.p99"},
	{name: csvTable, cell: ofTable}, {name: "table_row", cell: ofTable},
	{name: "table_column", cell: ofTable}, {name: "table_value", cell: ofTable},
	{name: "limited_by", path: "witness.limitedBy"},
}, intervalColumns(), []csvColumn{
	{name: "variant", cell: func(_ *Report, s *Step) any { return NameOf(s.Variant) }},
	{name: "in_time", path: "openLoop.inTime"},
	{name: "late_by_k6", path: "openLoop.lateByK6"},
	{name: "timings", cell: func(_ *Report, s *Step) any { return s.Timings() }},
	{name: "standstill_ms", path: "standstill.longestMs"},
	{name: "standstill_part", path: "standstill.part"},
})

// intervalColumns returns the columns of interval ends; cells are empty without an interval.
func intervalColumns() (columns []csvColumn) {
	for i := range Figures {
		if f := &Figures[i]; !f.Chance {
			columns = append(columns,
				csvColumn{name: f.Column() + "_low", path: "intervals." + f.JSON + ".low"},
				csvColumn{name: f.Column() + "_high", path: "intervals." + f.JSON + ".high"})
		}
	}

	return columns
}

func latencyColumns() (columns []csvColumn) {
	for _, f := range Latencies() {
		columns = append(columns, csvColumn{name: f.Column(), path: f.JSON})
	}

	return columns
}

// CSV renders a header and one line for each step and kind of operation, as in RFC 4180. A step
// with several kinds has another line for their total, marked in the column total. Names end in
// their unit (_s, _ms) or in a noun for counts. Numbers have full precision and no thousands
// separators. rate is 0 for closed loops, per_client is 0 for steps with a duration, and
// cpu_server_s is empty for a remote server. Columns that do not apply are empty.
//
// After them comes a line for each cell of the script's tables: scenario, title, row (from 1),
// column and value.
func (r *Report) CSV() ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.UseCRLF = true

	lines := make([][]string, 0, 1+len(r.Steps))
	header := make([]string, len(csvColumns))
	for i, c := range csvColumns {
		header[i] = c.name
	}
	lines = append(lines, header)
	for _, s := range r.WithTotals() {
		line := make([]string, len(csvColumns))
		for j, c := range csvColumns {
			if c.path != "" {
				line[j] = csvCell(s.Value(c.path))
			} else {
				line[j] = csvCell(c.cell(r, s))
			}
		}
		lines = append(lines, line)
	}
	lines = append(lines, r.csvCells()...)
	if err := w.WriteAll(lines); err != nil {
		return nil, fmt.Errorf("report of %s as CSV: %w", r.Scenario, err)
	}

	return out.Bytes(), nil
}

const csvTable = "table"

// ofTable is the value of a table column in the line of a step.
func ofTable(*Report, *Step) any { return nil }

// csvCells returns a line for each non-empty cell of the script's tables.
func (r *Report) csvCells() (lines [][]string) {
	first := slices.IndexFunc(csvColumns, func(c csvColumn) bool { return c.name == csvTable })
	for i := range r.Tables {
		t := &r.Tables[i]
		for n, row := range t.Rows {
			for j, cell := range row {
				if cell == nil {
					continue
				}
				line := make([]string, len(csvColumns))
				line[0] = harmless(r.Scenario)
				copy(line[first:], []string{harmless(t.Title), strconv.Itoa(n + 1), harmless(t.Columns[j].Heading()), csvCell(cell)})
				lines = append(lines, line)
			}
		}
	}

	return lines
}

// harmless prevents spreadsheets from reading a text as a formula, by a leading apostrophe. Some
// accept wide forms of the signs as well. Line breaks are removed, because many tools read CSV by
// line.
func harmless(text string) string {
	text = oneLineOf(text)
	if first, _ := utf8.DecodeRuneInString(text); strings.ContainsRune("=+-@＝＋－＠", first) {
		return "'" + text
	}

	return text
}

// csvCell formats a value with full precision; nil is empty.
func csvCell(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return harmless(v)
	}

	return fmt.Sprint(value)
}
