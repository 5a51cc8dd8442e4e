package report_test

import (
	"fmt"
	"os"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// A program reads the figures of a run from its JSON file.
func ExampleRead() {
	raw, err := os.ReadFile("testdata/duration.json")
	if err != nil {
		panic(err)
	}
	r, err := report.Read(raw)
	if err != nil {
		panic(err)
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		fmt.Printf("%d clients: %.0f ops/s, p99 %.2f ms, %d failed\n", s.Clients, s.OpsPerSecond, s.Latency.P99, s.Failed)
	}
	// Output:
	// 1 clients: 968 ops/s, p99 0.90 ms, 0 failed
	// 8 clients: 6316 ops/s, p99 7.20 ms, 0 failed
	// 512 clients: 28339 ops/s, p99 460.80 ms, 0 failed
}
