package gate_test

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// A run is judged by a bound.
func ExampleFile_Judge() {
	file, err := gate.OfBounds("cache", []string{"get"}, map[string]string{"p99": "5ms"})
	if err != nil {
		panic(err)
	}
	run := &report.Report{Schema: report.Schema, Scenario: "cache", Steps: []report.Step{{
		Clients: 8, Op: "get", Repeat: 1, Operations: 100_000, Complete: true, Seconds: 10, OpsPerSecond: 10_000,
		Latency: report.LatencyMs{P50: 0.5, P99: 7, Max: 9},
	}}}
	for _, verdict := range file.Judge(run) {
		fmt.Println(verdict.Gate, verdict.Outcome, verdict.Detail)
	}
	// Output:
	// p99 of get in every step <= 5ms crossed 7.000ms with 8 clients
	// every step complete and no operation failed held 1 of 1
}
