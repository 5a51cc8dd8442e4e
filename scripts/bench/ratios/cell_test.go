package main

import (
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 5}, 5},
		{[]float64{4, 1, 3, 2}, 2.5},
		{[]float64{1, 1, 1, 100, 100}, 1},
	} {
		runs := make([]figures, len(c.values))
		for i, v := range c.values {
			runs[i] = figures{OpsPerSecond: v, CPUMicros: 2 * v, P99Ms: 3 * v, Allocations: 4 * v, RowsPerCPU: 5 * v, P50Ms: 6 * v, ClientSpread: 7 * v, ClientWaitMs: 8 * v}
		}
		want := figures{
			OpsPerSecond: c.want, CPUMicros: 2 * c.want, P99Ms: 3 * c.want, Allocations: 4 * c.want, RowsPerCPU: 5 * c.want,
			P50Ms: 6 * c.want, ClientSpread: 7 * c.want, ClientWaitMs: 8 * c.want,
		}
		got := median(runs)
		if got.runs == nil || len(*got.runs) != len(runs) {
			t.Errorf("the median of %v does not keep them", c.values)
		}
		if got.runs = nil; got != want {
			t.Errorf("median of %v is %v, want %v", c.values, got, want)
		}
	}
}

func TestBounds(t *testing.T) {
	native := figures{OpsPerSecond: 1000, CPUMicros: 100}
	for _, c := range []struct {
		ops, cpu float64
		holds    bool
	}{
		{1000, 100, true},
		{950, 115, true},
		{949, 100, false},
		{1000, 116, false},
	} {
		got := &cell{clients: 8, k6: figures{OpsPerSecond: c.ops, CPUMicros: c.cpu}, native: native}
		if got.holds() != c.holds {
			t.Errorf("%v ops/s at %v us: holds is %v", c.ops, c.cpu, got.holds())
		}
	}
	alone := &cell{clients: 1, k6: figures{OpsPerSecond: 10, CPUMicros: 100}, native: native}
	if !alone.holds() {
		t.Error("the rate of one client is bounded, which leaves the processor idle")
	}
	if alone.k6.CPUMicros = 116; alone.holds() {
		t.Error("the processor time of one client is not bounded")
	}
}

func TestGarbageCollectionOfCells(t *testing.T) {
	c := &cell{reuse: true, clients: 8, k6: figures{OpsPerSecond: 1, CPUMicros: 1}, native: figures{OpsPerSecond: 1, CPUMicros: 1}}
	if want := "| on    | own  |       8 |"; !strings.HasPrefix(c.String(), want) {
		t.Errorf("no %q in %s", want, c)
	}
	c.collecting = alike(100)
	if want := "| on    | 100  |       8 |"; !strings.HasPrefix(c.String(), want) {
		t.Errorf("no %q in %s", want, c)
	}
}

func TestProgramsTakeTurns(t *testing.T) {
	var order string
	program := func(name string, speed float64) func() (figures, error) {
		return func() (figures, error) {
			order += name
			return figures{OpsPerSecond: speed}, nil
		}
	}
	one, other, err := inTurns(4, program("a", 1), program("b", 2))
	if err != nil || one.OpsPerSecond != 1 || other.OpsPerSecond != 2 || order != "abbaabba" {
		t.Errorf("%s: %v, %v, error %v", order, one, other, err)
	}
	if _, _, err := inTurns(1, program("a", 1), func() (figures, error) { return figures{Failed: 1}, nil }); err == nil {
		t.Error("a failure goes unnoticed")
	}
}

func TestManyProgramsTakeTurns(t *testing.T) {
	var order string
	program := func(name string, speed float64) func() (figures, error) {
		return func() (figures, error) {
			order += name
			return figures{OpsPerSecond: speed}, nil
		}
	}
	got, err := allInTurns(3, program("a", 1), program("b", 2), program("c", 3))
	if err != nil || len(got) != 3 || got[0].OpsPerSecond != 1 || got[2].OpsPerSecond != 3 || order != "abccbaabc" {
		t.Errorf("%s: %v, error %v", order, got, err)
	}
}

func TestFailuresProveNothing(t *testing.T) {
	var list []figures
	if err := keep(&list)(figures{Failed: 2}, nil); err == nil || !strings.Contains(err.Error(), "2 operations failed") {
		t.Errorf("error is %v", err)
	}
	if err := keep(&list)(figures{}, nil); err != nil {
		t.Error(err)
	}
}

func TestCrowdBounds(t *testing.T) {
	good := crowd{step: step{Operations: crowdClients * crowdOperations}, memory: mostMemory}
	if !good.holds() {
		t.Error("the good one does not hold")
	}
	for name, spoil := range map[string]func(*crowd){
		"a failure":        func(c *crowd) { c.step.Failed = 1 },
		"a lost operation": func(c *crowd) { c.step.Operations-- },
		"too much memory":  func(c *crowd) { c.memory++ },
	} {
		bad := good
		spoil(&bad)
		if bad.holds() {
			t.Errorf("%s holds", name)
		}
	}
}
