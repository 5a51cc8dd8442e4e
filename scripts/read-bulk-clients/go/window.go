package main

import (
	"math"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

type window struct {
	elapsed         time.Duration
	latencies       []time.Duration // latencies of all calls, including failed ones
	failed          int
	results, cached int
}

func (w *window) add(took time.Duration, results []*gatewaypb.BulkReadResult, err error) {
	w.latencies = append(w.latencies, took)
	if err != nil {
		w.failed++
	}
	w.results += len(results)
	for _, result := range results {
		if result.GetWasSuccessful() && result.GetWasCached() {
			w.cached++
		}
	}
}

type summary struct {
	Language          string    `json:"language"`
	DurationMs        float64   `json:"durationMs"`
	TotalCalls        int       `json:"totalCalls"`
	SuccessfulCalls   int       `json:"successfulCalls"`
	FailedCalls       int       `json:"failedCalls"`
	TotalReadResults  int       `json:"totalReadResults"`
	CachedReadResults int       `json:"cachedReadResults"`
	CallsPerSecond    float64   `json:"callsPerSecond"`
	LatencyMs         latencies `json:"latencyMs"`
}

type latencies struct {
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

func (w *window) summary() summary {
	calls := len(w.latencies)
	s := summary{
		Language: "go", DurationMs: milliseconds(w.elapsed),
		TotalCalls: calls, SuccessfulCalls: calls - w.failed, FailedCalls: w.failed,
		TotalReadResults: w.results, CachedReadResults: w.cached,
	}
	if calls == 0 {
		return s
	}
	s.CallsPerSecond = float64(calls) / w.elapsed.Seconds()

	slices.Sort(w.latencies)
	var sum time.Duration
	for _, took := range w.latencies {
		sum += took
	}
	// The smallest latency that is not exceeded by a share of all calls.
	rank := func(share float64) float64 { return milliseconds(w.latencies[int(math.Ceil(share*float64(calls)))-1]) }
	s.LatencyMs = latencies{P50: rank(0.50), P95: rank(0.95), P99: rank(0.99), Max: rank(1), Mean: milliseconds(sum) / float64(calls)}

	return s
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
