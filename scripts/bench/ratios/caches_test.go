package main

import (
	"errors"
	"strings"
	"testing"
)

func goodGets() *gotten {
	of := func(speed float64) figures { return figures{OpsPerSecond: speed, CPUMicros: 1e6 / speed, P99Ms: 1} }

	return &gotten{
		clients: 8, k6: of(90_000), loop: of(100_000), gomemcache: of(90_000),
		k6Multi: of(450_000), loopMulti: of(500_000), k6Pipeline: of(450_000), loopPipeline: of(500_000),
	}
}

func TestBoundsOfCaches(t *testing.T) {
	if c := (&caches{gotten: []*gotten{goodGets(), goodGets()}}); !c.holds() {
		t.Errorf("the good one does not hold: %s", c)
	}
	for name, spoil := range map[string]func(*gotten){
		"slower than the loop":       func(g *gotten) { g.loop.OpsPerSecond = 100_100 },
		"slower than gomemcache":     func(g *gotten) { g.gomemcache.OpsPerSecond = 90_001 },
		"multi-gets that are slow":   func(g *gotten) { g.k6Multi.OpsPerSecond = 449_000 },
		"pipelines that are slow":    func(g *gotten) { g.k6Pipeline.OpsPerSecond = 449_000 },
		"nothing got, one at a time": func(g *gotten) { g.k6 = figures{} },
	} {
		bad := goodGets()
		spoil(bad)
		if c := (&caches{gotten: []*gotten{goodGets(), bad}}); c.holds() {
			t.Errorf("too bad and holds: %s", name)
		}
	}
}

func TestTablesOfCaches(t *testing.T) {
	withMemtier := goodGets()
	withMemtier.memtier = &figures{OpsPerSecond: 180_000}
	c := &caches{rounds: 5, operations: 160_000, gotten: []*gotten{goodGets(), withMemtier}, calls: []*calls{{
		clients: 64, run: figures{OpsPerSecond: 90_000}, call: figures{OpsPerSecond: 45_000},
		respRun: figures{OpsPerSecond: 80_000}, redisCall: figures{OpsPerSecond: 20_000},
	}}}
	text := c.String()
	for _, want := range []string{
		"5 rounds, 160000 values a cell",
		"|       8 | Go, wire                |   100000 |    10.00 |  1.000 | k6 is 0.90 of it (>= 0.90)        |",
		"k6 is 1.00 of it (>= 1.00)",
		"| k6, pipeline of 50      |   450000 |     2.22 |  1.000 | 5.0 times one at a time (>= 5)    |",
		"|      64 |           90000 |  45000 |          2.00 |",
		"|      80000 |        20000 |          4.00 |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Count(text, "memtier_benchmark") != 1 || !strings.Contains(text, "k6 is 0.50 of it") {
		t.Errorf("memtier is to be in the second cell alone:\n%s", text)
	}
}

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
	got, operations, err := parseMemtier([]byte(`{"ALL STATS": {"Gets": {"Misses/sec": 0.0},
		"Totals": {"Count": 1600, "Ops/sec": 80000.5, "Percentile Latencies": {"p50.00": 0.1, "p99.00": 0.25}}}}`))
	if want := (figures{OpsPerSecond: 80000.5, P50Ms: .1, P99Ms: .25}); err != nil || got != want || operations != 1600 {
		t.Errorf("%+v of %v, error %v, want %+v", got, operations, err, want)
	}
	got, _, err = parseMemtier([]byte(`{"ALL STATS": {"Gets": {"Misses/sec": 100}, "Totals": {"Count": 1600, "Ops/sec": 1000}}}`))
	if err != nil || got.Failed != 160 {
		t.Errorf("%d failed, error %v, want 160 misses", got.Failed, err)
	}
	for _, bad := range []string{``, `{}`, `{"ALL STATS": {"Totals": {"Count": 0, "Ops/sec": 1}}}`} {
		if _, _, err := parseMemtier([]byte(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
