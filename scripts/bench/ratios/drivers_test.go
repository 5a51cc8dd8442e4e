package main

import (
	"strings"
	"testing"
)

func comparison() *compared {
	good := versus{clients: 8, rounds: 5, native: figures{CPUMicros: 50, Allocations: 30, OpsPerSecond: 1200}, other: figures{CPUMicros: 100, OpsPerSecond: 1000}}

	return &compared{
		asking: []versus{good, good}, through: []versus{good, good},
		append: []versus{{clients: 1, rounds: 5, native: figures{RowsPerCPU: 1.5e6}, other: figures{RowsPerCPU: 1e6}}},
	}
}

func TestBoundsOfDrivers(t *testing.T) {
	if c := comparison(); !holds(c) {
		t.Errorf("the good one does not hold: %s", c)
	}
	for name, spoil := range map[string]func(*compared){
		"processor time": func(c *compared) { c.asking[1].native.CPUMicros = 51 },
		"allocations":    func(c *compared) { c.asking[1].native.Allocations = 31 },
		"appending":      func(c *compared) { c.append[0].native.RowsPerCPU = 1.49e6 },
		"through k6":     func(c *compared) { c.through[1].native.OpsPerSecond = 1199 },
	} {
		c := comparison()
		spoil(c)
		if holds(c) {
			t.Errorf("too bad and holds: %s", name)
		}
	}
}

func TestTablesOfDrivers(t *testing.T) {
	text := comparison().String()
	for _, want := range []string{
		"| off   |       8 |  5 |         50.0 |        100.0 | 0.50 (<= 0.50) |                     30.0 |",
		"native 1500000, machgo 1000000 rows for a second of processor time, ratio 1.50 (>= 1.50)",
		"| off   |       8 |  5 |              1200 |              1000 | 1.20 (>= 1.20) |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestRowsForASecondOfProcessorTime(t *testing.T) {
	f, err := parseProgram([]byte(`{"ops":10,"rows":5000,"cpuMicrosPerOp":100,"allocsPerOp":3,"opsPerSecond":7,"p99Ms":1,"failed":0}`))
	if want := (figures{OpsPerSecond: 7, CPUMicros: 100, P99Ms: 1, Allocations: 3, RowsPerCPU: 5e6}); err != nil || f != want {
		t.Errorf("%+v, error %v, want %+v", f, err, want)
	}
	if _, err := parseProgram([]byte(`nothing`)); err == nil {
		t.Error("no error")
	}
}
