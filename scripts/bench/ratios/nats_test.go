package main

import (
	"errors"
	"strings"
	"testing"
)

func natsCellOf(name string, k6, program float64) *natsCell {
	for _, work := range natsWorks() {
		if work.name == name {
			return &natsCell{
				work: work, clients: 64, k6: figures{OpsPerSecond: k6, CPUMicros: 33, P99Ms: 2}, plain: figures{OpsPerSecond: 1, CPUMicros: 40, P99Ms: 1}, alike: figures{OpsPerSecond: program, CPUMicros: 30, P99Ms: 1},
			}
		}
	}

	return nil
}

func TestBoundsOfNats(t *testing.T) {
	for _, name := range []string{"put", "get", "request"} {
		if c := natsCellOf(name, 90, 100); !c.holds() {
			t.Errorf("%s holds not: %s", name, c)
		}
		if c := natsCellOf(name, 89, 100); c.holds() {
			t.Errorf("too slow and holds: %s", c)
		}
	}
	good, slow := natsCellOf("publish", 80, 100), natsCellOf("publish", 79, 100)
	if all := (&natsRatios{cells: []*natsCell{good}}); !all.holds() {
		t.Errorf("the good one holds not: %s", all)
	}
	if all := (&natsRatios{cells: []*natsCell{good, slow}}); all.holds() {
		t.Errorf("too slow and holds: %s", all)
	}
	dear := natsCellOf("put", 100, 100)
	if dear.k6.CPUMicros = 33.1; dear.holds() {
		t.Errorf("too dear and holds: %s", dear)
	}
	alone := natsCellOf("put", 50, 100)
	if alone.clients = 1; !alone.holds() {
		t.Errorf("the rate of one client is bounded: %s", alone)
	}
	if c := natsCellOf("put", 0, 0); c.holds() {
		t.Errorf("nothing was done and it holds: %s", c)
	}
}

func TestTableOfNats(t *testing.T) {
	all := &natsRatios{rounds: 5, operations: 16000, cells: []*natsCell{natsCellOf("request", 18000, 20000)}}
	for _, want := range []string{
		"5 rounds, 16000 operations of each client up to 16 and as many for more,\n1000 times as many messages published in all",
		"| request-reply |      64 |     18000 |         1 |     20000 | 0.90 (>= 0.90) |    33.00 |    40.00 |    30.00 | 1.10 (<= 1.10) |      2.00 |      1.00 |",
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
}

func TestFiguresOfPublishingAreThoseOfMessages(t *testing.T) {
	work := natsCellOf("publish", 1, 1).work
	got, err := work.each(func() (figures, error) {
		return figures{OpsPerSecond: 300, CPUMicros: 2000, P99Ms: 3, Failed: 1, Allocations: 10000}, errors.New("broken")
	})()
	if want := (figures{OpsPerSecond: 3_000_000, CPUMicros: .2, P99Ms: 3, Failed: 1, Allocations: 1}); got != want || err == nil {
		t.Errorf("%+v, error %v, want %+v", got, err, want)
	}
	for clients, want := range map[int]int{1: 1600, 8: 200, 512: 4, 10000: 4} {
		if got := work.share(16000, clients); got != want {
			t.Errorf("%d clients do %d operations each, want %d", clients, got, want)
		}
	}
	put := natsCellOf("put", 1, 1).work
	for clients, want := range map[int]int{1: 16000, 8: 16000, 16: 16000, 64: 4000, 512: 500} {
		if got := put.share(16000, clients); got != want {
			t.Errorf("each of %d clients puts %d times, want %d", clients, got, want)
		}
	}
}
