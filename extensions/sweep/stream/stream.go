// Package stream is how the exact figures of a running sweep reach an output in the same process:
// on k6's own way, in the containers in which its samples go out. An output that knows them reads
// the figures; to every other they are samples.
package stream

import (
	"time"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Phases of a step.
const (
	Warmup  = "warmup"  // what is done is not measured
	Measure = "measure" // from the start line on
)

// Figures are what a step has come to since the figures before, and its samples. Those of seconds
// before any operation had ended come, with their own times, once it is known which kinds there
// are. Nobody writes to them once they are sent.
type Figures struct {
	metrics.Samples

	Step    Step
	At      time.Time     // no two figures of a step have the same
	Done    int           // clients that have ended since the step began
	Seconds []Second      // one for each kind of operation
	Ended   []report.Step // once the step has ended: what it came to, one for each kind of operation
}

// Step is the step that figures are of.
type Step struct {
	Scenario string
	Target   string // its kind, as the script has told it; "" when it has not
	Clients  int
	Rate     float64 // of an open-loop step: operations a second that were asked for; else 0
	Repeat   int     // from 1
}

// Second is what the clients of a step did of one kind of operation in a second, or in the rest of
// one at the step's end. The Seconds of the phase Measure add up to the report's figures of the
// step.
type Second struct {
	Phase   string
	Elapsed time.Duration // how long it was
	Op      string
	// Variant is the one of a duet; empty in other steps.
	Variant string

	Ops, Failed              uint64                // successful operations, failed ones
	BytesSent, BytesReceived uint64                // 0 in a warm-up
	Durations                *measure.Distribution // of the successful ones; nil in a warm-up

	// Counters are of all kinds of operations together.
	Counters measure.Counters
}
