package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

type report struct {
	Schema      string     `json:"schema"`
	Started     time.Time  `json:"started"`
	Interrupted bool       `json:"interrupted"`
	Host        host       `json:"host"`
	Settings    conditions `json:"settings"`
	Clients     []outcome  `json:"clients"`
	Total       total      `json:"total"`
}

type host struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Cores int    `json:"cores"`
}

type conditions struct {
	Address         string  `json:"address"`
	TLS             bool    `json:"tls"`
	Tags            string  `json:"tags"`
	BulkSize        int     `json:"bulkSize"`
	DurationSeconds float64 `json:"durationSeconds"`
	WarmupSeconds   float64 `json:"warmupSeconds"`
	TimeoutSeconds  float64 `json:"timeoutSeconds"`
}

// total is the sum over all clients with a result. Percentiles cannot be added.
type total struct {
	Clients           int     `json:"clients"`
	TotalCalls        int64   `json:"totalCalls"`
	FailedCalls       int64   `json:"failedCalls"`
	TotalReadResults  int64   `json:"totalReadResults"`
	CachedReadResults int64   `json:"cachedReadResults"`
	CallsPerSecond    float64 `json:"callsPerSecond"`
}

func newReport(s settings, started time.Time, outcomes []outcome) report {
	r := report{
		Schema:  "xk6-sweep-read-bulk/1",
		Started: started.UTC(),
		Host:    host{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU()},
		Settings: conditions{
			Address: s.address, TLS: s.tls, Tags: s.pattern, BulkSize: s.bulk, DurationSeconds: s.duration.Seconds(),
			WarmupSeconds: s.warmup.Seconds(), TimeoutSeconds: s.timeout().Seconds(),
		},
		Clients: outcomes,
	}
	for _, o := range outcomes {
		if o.Result == nil {
			continue
		}
		r.Total.Clients++
		r.Total.TotalCalls += o.Result.TotalCalls
		r.Total.FailedCalls += o.Result.FailedCalls
		r.Total.TotalReadResults += o.Result.TotalReadResults
		r.Total.CachedReadResults += o.Result.CachedReadResults
		r.Total.CallsPerSecond += o.Result.CallsPerSecond
	}

	return r
}

func (r report) hasProblem() bool {
	return slices.ContainsFunc(r.Clients, func(o outcome) bool { return o.Problem != "" })
}

func (r report) table() string {
	rows := make([][]string, 0, len(r.Clients)+2)
	rows = append(rows, []string{"client", "calls/sec", "cached/total", "p50 ms", "p95 ms", "p99 ms", "max ms", ""})
	for _, o := range r.Clients {
		row := []string{o.Name, "-", "-", "-", "-", "-", "-", o.Problem}
		if o.Result != nil {
			l := o.Result.LatencyMs
			copy(row[1:], []string{
				hundredths(o.Result.CallsPerSecond), share(o.Result.CachedReadResults, o.Result.TotalReadResults),
				hundredths(l.P50), hundredths(l.P95), hundredths(l.P99), hundredths(l.Max),
			})
		}
		rows = append(rows, row)
	}
	t := r.Total
	rows = append(rows, []string{
		"total", hundredths(t.CallsPerSecond), share(t.CachedReadResults, t.TotalReadResults), "", "", "", "", "",
	})

	var text strings.Builder
	text.WriteString(align(rows))
	fmt.Fprintf(&text, "\n%d of %d clients at once: %d calls, %d failed; %d results", t.Clients, len(r.Clients), t.TotalCalls, t.FailedCalls,
		t.TotalReadResults)
	if t.TotalReadResults > 0 {
		fmt.Fprintf(&text, ", %.1f %% of them cached", 100*float64(t.CachedReadResults)/float64(t.TotalReadResults))
	}
	text.WriteString("\n")
	for _, o := range r.Clients {
		if o.About != "" {
			fmt.Fprintf(&text, "%s: %s\n", o.Name, o.About)
		}
	}
	for _, name := range r.backends() {
		fmt.Fprintf(&text, "backend: %s\n", name)
	}

	return text.String()
}

func (r report) backends() []string {
	var names []string
	for _, o := range r.Clients {
		if o.Backend != "" && !slices.Contains(names, o.Backend) {
			names = append(names, o.Backend)
		}
	}

	return names
}

func hundredths(n float64) string { return fmt.Sprintf("%.2f", n) }

func share(part, whole int64) string { return fmt.Sprintf("%d/%d", part, whole) }

func align(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var text strings.Builder
	for _, row := range rows {
		last := len(row) - 1
		line := fmt.Sprintf("%-*s", widths[0], row[0])
		for i := 1; i < last; i++ {
			line += fmt.Sprintf("  %*s", widths[i], row[i])
		}
		text.WriteString(strings.TrimRight(line+"  "+row[last], " ") + "\n")
	}

	return text.String()
}

func tryFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("the folder of the report cannot be made: %w", err)
	}
	file, err := os.CreateTemp(folder, ".try-*")
	if err != nil {
		return fmt.Errorf("the folder of the report cannot be written to: %w", err)
	}

	return errors.Join(file.Close(), os.Remove(file.Name()))
}

func (r report) write(folder string) (string, error) {
	path := filepath.Join(folder, r.Started.Format("20060102T150405.000Z")+".json")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	encoder := json.NewEncoder(file)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // commands often have > and &

	return path, errors.Join(encoder.Encode(r), file.Close())
}
