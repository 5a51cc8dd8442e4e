package main

import (
	"errors"
	"testing"
)

func TestFiguresOfBatchesAreThoseOfValues(t *testing.T) {
	run := batched(func() (figures, error) {
		return figures{OpsPerSecond: 1000, CPUMicros: 100, P99Ms: 3, Failed: 2, Allocations: 150}, errors.New("broken")
	})
	got, err := run()
	if want := (figures{OpsPerSecond: 50_000, CPUMicros: 2, P99Ms: 3, Failed: 2, Allocations: 3}); got != want || err == nil {
		t.Errorf("%+v, error %v, want %+v", got, err, want)
	}
}

func TestMemtiersFile(t *testing.T) {
	got, err := parseMemtier([]byte(`{"ALL STATS": {"Gets": {"Misses/sec": 0.0},
		"Totals": {"Count": 1600, "Ops/sec": 80000.5, "Percentile Latencies": {"p50.00": 0.1, "p99.00": 0.25}}}}`))
	if want := (figures{OpsPerSecond: 80000.5, P50Ms: .1, P99Ms: .25}); err != nil || got != want {
		t.Errorf("%+v, error %v, want %+v", got, err, want)
	}
	got, err = parseMemtier([]byte(`{"ALL STATS": {"Gets": {"Misses/sec": 100}, "Totals": {"Count": 1600, "Ops/sec": 1000}}}`))
	if err != nil || got.Failed != 160 {
		t.Errorf("%d failed, error %v, want 160 misses", got.Failed, err)
	}
	for _, bad := range []string{``, `{}`, `{"ALL STATS": {"Totals": {"Count": 0, "Ops/sec": 1}}}`} {
		if _, err := parseMemtier([]byte(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
