// Package stream carries the exact figures of a running sweep to outputs in the same process,
// inside k6's sample containers. Outputs that know the containers read the figures; others see
// samples.
package stream

import (
	"time"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Phases of a step.
const (
	Warmup  = "warmup"  // not measured
	Measure = "measure" // measured: from the start line on
)

// Figures are a step's samples and exact figures since the last ones. Seconds before the first
// finished operation arrive after it, with their own times. Figures are not modified after sending.
type Figures struct {
	metrics.Samples

	Step    Step
	At      time.Time     // unique in the step
	Done    int           // clients that have ended
	Seconds []Second      // one per operation, and in the phase Measure a total of several (report.TotalOp)
	Ended   []report.Step // figures of the step, one per operation, and their total; only at its end
}

// Step identifies the step of figures.
type Step struct {
	Scenario string
	Target   string // kind of the target, if the script names it
	Clients  int
	Rate     float64 // ops/s requested in an open loop; 0 otherwise
	Repeat   int     // from 1
}

// Second counts one operation in a second, or in the rest of one at the end of the step. In the
// phase Measure, Seconds add up to the report's figures.
type Second struct {
	Phase   string
	Elapsed time.Duration // length of the second
	Op      string
	// Variant is empty outside duets.
	Variant string

	Ops, Failed              uint64                // successful and failed operations
	BytesSent, BytesReceived uint64                // 0 in a warm-up
	Durations                *measure.Distribution // successful operations; nil in a warm-up

	// Counters cover all operations.
	Counters measure.Counters
}
