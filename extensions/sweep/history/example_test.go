package history_test

import (
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/history"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Ten runs are slower than the ten before.
func ExampleNew() {
	var records []history.Record
	for i := range 20 {
		rate := 1000 + float64(i%3)
		if i >= 10 {
			rate -= 100
		}
		at := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		r, err := history.NewRecord(&report.Report{
			Schema: report.Schema, Scenario: "cache", Started: at,
			Steps: []report.Step{{
				Clients: 8, Op: "get", Repeat: 1, Operations: 10_000, Complete: true, Seconds: 10, OpsPerSecond: rate,
				Latency: report.LatencyMs{P50: 1, P99: 2},
			}},
		}, history.Commit{ID: fmt.Sprintf("%040x", i+1), Time: at}, "")
		if err != nil {
			panic(err)
		}
		records = append(records, *r)
	}
	worse, _ := history.New(records, history.Options{}).Worse(20)
	for _, found := range worse {
		fmt.Println(found.Series.Name(), found.Change.Text())
	}
	// Output: ops/s of get, 8 clients 0.900x (0.899 to 0.901)
}
