package crew

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Result is what one run measured; the exported fields are the JSON.
type Result struct {
	Clients        int     `json:"clients"`
	Ops            int     `json:"ops"`    // of all clients, failed ones included
	Failed         int     `json:"failed"` // never counted as work done
	Seconds        float64 `json:"seconds"`
	OpsPerSecond   float64 `json:"opsPerSecond"` // successful ones
	P50Ms          float64 `json:"p50Ms"`
	P99Ms          float64 `json:"p99Ms"`
	CPUMicrosPerOp float64 `json:"cpuMicrosPerOp"` // user and system, this process
	AllocsPerOp    float64 `json:"allocsPerOp"`
	Rows           int64   `json:"rows"`
	ClientSpread   float64 `json:"clientSpread"` // the shortest client time over the longest

	minClient, maxClient, avgClient time.Duration
	firstFailure                    error
}

// Err says how many operations failed, and why the first one did; nil when none has.
func (r *Result) Err() error {
	if r.Failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d operations failed, the first one: %w", r.Failed, r.Ops, r.firstFailure)
}

// Print writes the result as one line of JSON or as lines to read.
func (r *Result) Print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	_, err := fmt.Fprintf(w, `clients        %d
ops            %d
failed         %d
rows           %d
seconds        %.3f
ops/s          %.0f
min client     %v
max client     %v
avg client     %v
p50 ms         %.3f
p99 ms         %.3f
cpu us per op  %.1f
allocs per op  %.1f
`, r.Clients, r.Ops, r.Failed, r.Rows, r.Seconds, r.OpsPerSecond,
		r.minClient.Round(time.Millisecond), r.maxClient.Round(time.Millisecond), r.avgClient.Round(time.Millisecond),
		r.P50Ms, r.P99Ms, r.CPUMicrosPerOp, r.AllocsPerOp)
	return err
}
