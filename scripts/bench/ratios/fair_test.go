package main

import (
	"strings"
	"testing"
)

func TestFairnessBesideMemtier(t *testing.T) {
	t.Parallel()
	of := func(change func(*shares)) *fairness {
		s := &shares{
			clients: 512,
			k6:      figures{OpsPerSecond: 130_000, CPUMicros: 6, P50Ms: 3.9, P99Ms: 10, ClientSpread: 0.98, ClientWaitMs: 1.5},
			loop:    figures{OpsPerSecond: 128_000, CPUMicros: 7, P50Ms: 0.01, P99Ms: 41},
			memtier: &figures{OpsPerSecond: 100_000, CPUMicros: 16, P50Ms: 5, P99Ms: 10},
		}
		change(s)

		return &fairness{rounds: 3, all: []*shares{s}}
	}
	f := of(func(*shares) {})
	if !f.holds() {
		t.Errorf("it does not hold:\n%s", f)
	}
	for _, want := range []string{
		"|     512 | k6, client.run    |   130000 |    6.00 |   3.900 |  10.000 |    0.98 |   1.500 |",
		"| rate 1.30 (>= 1.30); p99 1.00 (<= 1.00); us 0.38 (<= 1.00) |",
	} {
		if !strings.Contains(f.String(), want) {
			t.Errorf("%q is not in\n%s", want, f)
		}
	}
	if f := of(func(s *shares) { s.memtier = nil }); !f.holds() {
		t.Errorf("without memtier there is no bound:\n%s", f)
	}
	for name, crossed := range map[string]func(*shares){
		"slow": func(s *shares) { s.k6.OpsPerSecond = 129_000 },
		"late": func(s *shares) { s.k6.P99Ms = 10.1 },
		"dear": func(s *shares) { s.k6.CPUMicros = 16.1 },
	} {
		if f := of(crossed); f.holds() {
			t.Errorf("%s: it holds:\n%s", name, f)
		}
	}
}
