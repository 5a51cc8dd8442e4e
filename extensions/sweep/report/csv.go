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

// csvColumn is a column of the CSV, named by the JSON key and its unit.
type csvColumn struct {
	name string
	cell func(*Report, *Step) string
}

// csvColumns must not be renamed or moved; new ones come last.
var csvColumns = slices.Concat([]csvColumn{ //nolint:gochecknoglobals // a constant
	{"scenario", func(r *Report, _ *Step) string { return harmless(r.Scenario) }},
	{"op", func(_ *Report, s *Step) string { return harmless(NameOf(s.Op)) }},
	{"clients", whole(func(s *Step) int64 { return int64(s.Clients) })},
	{"rate", number(func(s *Step) float64 { return s.Rate })},
	{"repeat", whole(func(s *Step) int64 { return int64(s.Repeat) })},
	{"per_client", natural(func(s *Step) uint64 { return s.PerClient })},
	{"ops", whole(func(s *Step) int64 { return s.Operations })},
	{"failed", natural(func(s *Step) uint64 { return s.Failed })},
	{"complete", func(_ *Report, s *Step) string { return strconv.FormatBool(s.Complete) }},
	{"seconds", number(func(s *Step) float64 { return s.Seconds })},
	{FigureOf("ops_per_second").Column(), number(opsOf)},
	{"client_min_s", number(func(s *Step) float64 { return s.Client.Min })},
	{"client_p25_s", number(func(s *Step) float64 { return s.Client.P25 })},
	{"client_p50_s", number(func(s *Step) float64 { return s.Client.P50 })},
	{"client_p75_s", number(func(s *Step) float64 { return s.Client.P75 })},
	{"client_max_s", number(func(s *Step) float64 { return s.Client.Max })},
	{"client_avg_s", number(func(s *Step) float64 { return s.Client.Avg })},
	{"client_ops_min", whole(func(s *Step) int64 { return s.Client.Ops.Min })},
	{"client_ops_p25", whole(func(s *Step) int64 { return s.Client.Ops.P25 })},
	{"client_ops_p50", whole(func(s *Step) int64 { return s.Client.Ops.P50 })},
	{"client_ops_p75", whole(func(s *Step) int64 { return s.Client.Ops.P75 })},
	{"client_ops_max", whole(func(s *Step) int64 { return s.Client.Ops.Max })},
}, latencyColumns(), []csvColumn{
	{"rows", natural(func(s *Step) uint64 { return s.Rows })},
	{"bytes_sent", natural(func(s *Step) uint64 { return s.BytesSent })},
	{"bytes_received", natural(func(s *Step) uint64 { return s.BytesReceived })},
	{"cpu_k6_s", number(func(s *Step) float64 { return s.CPU.K6 })},
	{"cpu_server_s", serverCPU},
	{"unstarted", natural(func(s *Step) uint64 { return s.Extra.Unstarted })},
	{"total", func(_ *Report, s *Step) string { return strconv.FormatBool(s.Op == TotalOp) }},
	{"window_s", ofWindow(func(w *Window) float64 { return w.Seconds })},
	{"window_ops", ofWindow(func(w *Window) float64 { return float64(w.Ops) })},
	{"all_clients_s", ofAllClients(func(a *AllClients) float64 { return a.Seconds })},
	{"all_clients_ops", ofAllClients(func(a *AllClients) float64 { return float64(a.Ops) })},
	{"all_clients_ops_per_second", ofAllClients(func(a *AllClients) float64 { return a.OpsPerSecond })},
	{"achieved_per_second", ofOpenLoop(func(o *OpenLoop) float64 { return o.AchievedRate })},
	{"longest_queue", ofOpenLoop(func(o *OpenLoop) float64 { return float64(o.LongestQueue) })},
	{"all_busy", ofOpenLoop(func(o *OpenLoop) float64 { return o.AllBusy })},
	{"lateness_p50_ms", ofOpenLoop(func(o *OpenLoop) float64 { return o.Lateness.P50 })},
	{"lateness_p99_ms", ofOpenLoop(func(o *OpenLoop) float64 { return o.Lateness.P99 })},
	{"lateness_max_ms", ofOpenLoop(func(o *OpenLoop) float64 { return o.Lateness.Max })},
	{"failed_p50_ms", ofFailed(func(f *FailedLatencyMs) float64 { return f.P50 })},
	{"failed_p99_ms", ofFailed(func(f *FailedLatencyMs) float64 { return f.P99 })},
	{"failed_max_ms", ofFailed(func(f *FailedLatencyMs) float64 { return f.Max })},
	{"client_wait_mean_ms", ofAnswers(clientWait, func(w *AnswersMs) float64 { return w.Mean })},
	{"client_wait_p99_ms", ofAnswers(clientWait, func(w *AnswersMs) float64 { return w.P99 })},
	{"request_p50_ms", ofAnswers(requests, func(w *AnswersMs) float64 { return w.P50 })},
	{"request_p99_ms", ofAnswers(requests, func(w *AnswersMs) float64 { return w.P99 })},
	{csvTable, ofTable},
	{"table_row", ofTable},
	{"table_column", ofTable},
	{"table_value", ofTable},
	{"limited_by", func(_ *Report, s *Step) string { return string(s.LimitedBy()) }},
}, intervalColumns(), []csvColumn{
	{"variant", func(_ *Report, s *Step) string { return harmless(NameOf(s.Variant)) }},
	{"in_time", ofOpenLoop(func(o *OpenLoop) float64 { return o.InTime })},
	{"late_by_k6", ofOpenLoop(func(o *OpenLoop) float64 { return o.LateByK6 })},
	{"timings", whole((*Step).Timings)},
	{"standstill_ms", ofStandstill(func(s *Standstill) float64 { return s.LongestMs })},
	{"standstill_part", ofStandstill(func(s *Standstill) float64 { return s.Part })},
})

// intervalColumns returns the columns of interval ends; cells are empty without an interval.
func intervalColumns() (columns []csvColumn) {
	for i := range Figures {
		f := &Figures[i]
		if f.Chance {
			continue
		}
		end := func(of func(Range) float64) func(*Report, *Step) string {
			return func(_ *Report, s *Step) string {
				r, known := s.Interval(f)
				if !known {
					return ""
				}

				return strconv.FormatFloat(of(r), 'f', -1, 64)
			}
		}
		columns = append(columns,
			csvColumn{f.Column() + "_low", end(func(r Range) float64 { return r.Low })},
			csvColumn{f.Column() + "_high", end(func(r Range) float64 { return r.High })})
	}

	return columns
}

func latencyColumns() (columns []csvColumn) {
	for _, f := range Latencies() {
		columns = append(columns, csvColumn{f.Column(), number(f.Of)})
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
			line[j] = c.cell(r, s)
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
func ofTable(*Report, *Step) string { return "" }

// csvCells returns a line for each non-empty cell of the script's tables.
func (r *Report) csvCells() (lines [][]string) {
	first := slices.IndexFunc(csvColumns, func(c csvColumn) bool { return c.name == csvTable })
	for i := range r.Tables {
		t := &r.Tables[i]
		for n, row := range t.Rows {
			for j, cell := range row {
				value := ""
				switch v := cell.(type) {
				case nil:
					continue
				case string:
					value = harmless(v)
				case float64:
					value = strconv.FormatFloat(v, 'f', -1, 64)
				}
				line := make([]string, len(csvColumns))
				line[0] = harmless(r.Scenario)
				copy(line[first:], []string{harmless(t.Title), strconv.Itoa(n + 1), harmless(t.Columns[j].Heading()), value})
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

func whole(figure func(*Step) int64) func(*Report, *Step) string {
	return func(_ *Report, s *Step) string { return strconv.FormatInt(figure(s), 10) }
}

func natural(figure func(*Step) uint64) func(*Report, *Step) string {
	return func(_ *Report, s *Step) string { return strconv.FormatUint(figure(s), 10) }
}

func number(figure func(*Step) float64) func(*Report, *Step) string {
	return func(_ *Report, s *Step) string { return strconv.FormatFloat(figure(s), 'f', -1, 64) }
}

func ofWindow(figure func(*Window) float64) func(*Report, *Step) string {
	return func(_ *Report, s *Step) string {
		if s.Window == nil {
			return ""
		}

		return strconv.FormatFloat(figure(s.Window), 'f', -1, 64)
	}
}

func ofAllClients(figure func(*AllClients) float64) func(*Report, *Step) string {
	return func(_ *Report, s *Step) string {
		if s.AllClients == nil {
			return ""
		}

		return strconv.FormatFloat(figure(s.AllClients), 'f', -1, 64)
	}
}

func ofFailed(figure func(*FailedLatencyMs) float64) func(*Report, *Step) string {
	return func(_ *Report, s *Step) string {
		if s.FailedLatency == nil {
			return ""
		}

		return strconv.FormatFloat(figure(s.FailedLatency), 'f', -1, 64)
	}
}

func clientWait(s *Step) *AnswersMs { return s.ClientWait }

func requests(s *Step) *AnswersMs { return s.Requests }

// ofAnswers is a figure of steps that have such times of answers.
func ofAnswers(of func(*Step) *AnswersMs, figure func(*AnswersMs) float64) func(*Report, *Step) string {
	return func(_ *Report, s *Step) string {
		answers := of(s)
		if answers == nil {
			return ""
		}

		return strconv.FormatFloat(figure(answers), 'f', -1, 64)
	}
}

func ofOpenLoop(figure func(*OpenLoop) float64) func(*Report, *Step) string {
	return func(_ *Report, s *Step) string {
		if s.OpenLoop == nil {
			return ""
		}

		return strconv.FormatFloat(figure(s.OpenLoop), 'f', -1, 64)
	}
}

func ofStandstill(figure func(*Standstill) float64) func(*Report, *Step) string {
	return func(_ *Report, s *Step) string {
		if s.Standstill == nil {
			return ""
		}

		return strconv.FormatFloat(figure(s.Standstill), 'f', -1, 64)
	}
}

func serverCPU(_ *Report, s *Step) string {
	if s.CPU.Server == nil {
		return ""
	}

	return strconv.FormatFloat(*s.CPU.Server, 'f', -1, 64)
}
