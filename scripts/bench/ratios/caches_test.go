package main

import (
	"errors"
	"strings"
	"testing"
)

func goodGets() *gotten {
	of := func(speed float64) figures { return figures{OpsPerSecond: speed, CPUMicros: 1e6 / speed, P99Ms: 1} }
	g := &gotten{
		clients: 8, k6: of(90_000), loop: of(100_000), gomemcache: of(90_000),
		k6Multi: of(450_000), loopMulti: of(500_000), k6Pipeline: of(450_000), loopPipeline: of(500_000),
	}
	g.k6.CPUMicros, g.gomemcache.CPUMicros = 11, 11

	return g
}

func TestBoundsOfCaches(t *testing.T) {
	if c := (&caches{gotten: []*gotten{goodGets(), goodGets()}}); !c.holds() {
		t.Errorf("the good one does not hold: %s", c)
	}
	for name, spoil := range map[string]func(*gotten){
		"slower than the loop":       func(g *gotten) { g.loop.OpsPerSecond = 100_100 },
		"dearer than the loop":       func(g *gotten) { g.loop.CPUMicros = 9.9 },
		"later than the loop":        func(g *gotten) { g.k6.P99Ms = 1.51 },
		"dearer than gomemcache":     func(g *gotten) { g.gomemcache.CPUMicros = 10.9 },
		"dear multi-gets":            func(g *gotten) { g.loopMulti.CPUMicros = 1.7 },
		"dear pipelines":             func(g *gotten) { g.loopPipeline.CPUMicros = 1.7 },
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
	alone, crowd := goodGets(), goodGets()
	alone.clients, alone.k6.OpsPerSecond, alone.k6Multi.OpsPerSecond = 1, 50_000, 450_000
	if !alone.holds() {
		t.Errorf("the rate of one client is bounded: %s", strings.Join(alone.lines(), "\n"))
	}
	if alone.k6.CPUMicros = 11.1; alone.holds() {
		t.Error("the processor time of one client is not bounded")
	}
	if crowd.clients, crowd.k6.CPUMicros = 512, 20; !crowd.holds() {
		t.Error("clients in turns are held to those that are not")
	}
	dear := &calls{clients: 8, run: figures{CPUMicros: 10.6}, call: figures{CPUMicros: 10}, respRun: figures{CPUMicros: 1}, redisCall: figures{CPUMicros: 1}}
	if c := (&caches{gotten: []*gotten{goodGets()}, calls: []*calls{dear}}); c.holds() {
		t.Error("client.run takes more than calls and holds")
	}
}

func TestTablesOfCaches(t *testing.T) {
	withMemtier := goodGets()
	withMemtier.memtier = &figures{OpsPerSecond: 180_000}
	c := &caches{rounds: 5, operations: 160_000, gotten: []*gotten{goodGets(), withMemtier}, calls: []*calls{{
		clients: 64, run: figures{OpsPerSecond: 90_000, CPUMicros: 6}, call: figures{OpsPerSecond: 45_000, CPUMicros: 9},
		respRun: figures{OpsPerSecond: 80_000, CPUMicros: 8}, redisCall: figures{OpsPerSecond: 20_000, CPUMicros: 32},
	}}}
	text := c.String()
	for _, want := range []string{
		"5 rounds, 160000 values a cell",
		"|       8 | Go, wire                |   100000 |    10.00 |  1.000 | us 1.10 (<= 1.10); p99 1.00 (<= 1.50); rate 0.90 (>= 0.90) |",
		"| us 1.00 (<= 1.00); rate 1.00 |",
		"| k6, pipeline of 50      |   450000 |     2.22 |  1.000 | rate, times one at a time: 5.00 (>= 5.00) |",
		"| us 1.11 (<= 1.30) |",
		"|      64 |           90000 |  45000 |          2.00 |   6.00 |    9.00 | 0.67 (<= 1.05) |",
		"|      80000 |        20000 |          4.00 |   8.00 |   32.00 | 0.25 (<= 1.05) |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Count(text, "memtier_benchmark") != 1 || !strings.Contains(text, "rate 0.50 |") {
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
