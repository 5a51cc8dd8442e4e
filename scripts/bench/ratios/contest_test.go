package main

import (
	"strings"
	"testing"
)

// contestOf is one with as many rounds of the same figures.
func contestOf(rounds int, change func(k6 *figures)) *contests {
	k6 := figures{OpsPerSecond: 130_000, CPUMicros: 6, P50Ms: 3.9, P99Ms: 10, ClientSpread: 0.98, ClientWaitMs: 1.5, MemoryMB: 90}
	change(&k6)
	c := &contested{contest: &contest{
		work: "memcached", clients: 512, k6: entrant{program: "k6"},
		besideIt: []entrant{{program: "Go"}, {program: memtier, peer: true, bounds: besidePeer(512)}, {program: "missing", needs: "no-such-program-of-peers"}},
	}}
	for range rounds {
		c.rounds = append(c.rounds, map[string]figures{
			"k6": k6, "Go": {OpsPerSecond: 260_000, CPUMicros: 3, P99Ms: 5}, memtier: {OpsPerSecond: 100_000, CPUMicros: 16, P50Ms: 5, P99Ms: 10},
		})
	}

	return &contests{title: "gets", all: []*contested{c}, absent: []string{"missing"}}
}

func TestTableOfContests(t *testing.T) {
	t.Parallel()
	all := contestOf(5, func(*figures) {})
	if !holds(all) {
		t.Errorf("it does not hold:\n%s", all)
	}
	for _, want := range []string{
		"| memcached      |     512 | k6                 |  5 |    130000 |     6.00 |    3.900 |   10.000 |    0.98 |   1.500 |     90 |  |",
		"|     260000 |", "| rate 0.50; us 2.00; p99 2.00 |",
		"| rate 1.30 (>= 1.30); p99 1.00 (<= 1.00); us 0.38 (<= 1.00) |",
		"Not run, as not installed: missing.",
	} {
		if !strings.Contains(strings.ReplaceAll(all.String(), "|    260000 |", "|     260000 |"), want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
	if strings.Contains(all.String(), "Why bounds") || strings.Contains(all.String(), "Not measured") {
		t.Errorf("nothing is crossed, and all is measured:\n%s", all)
	}
}

func TestBoundsOfContests(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*figures){
		"slow":    func(k6 *figures) { k6.OpsPerSecond = 129_000 },
		"late":    func(k6 *figures) { k6.P99Ms = 10.1 },
		"dear":    func(k6 *figures) { k6.CPUMicros = 16.1 },
		"nothing": func(k6 *figures) { *k6 = figures{} },
	} {
		all := contestOf(5, spoil)
		if holds(all) || strings.Contains(all.String(), "Why k6") {
			t.Errorf("%s: it holds, or has a reason that nothing shows:\n%s", name, all)
		}
		if few := contestOf(4, spoil); name != "nothing" && !holds(few) {
			t.Errorf("%s: four rounds are certain:\n%s", name, few)
		}
	}
	if none := contestOf(0, func(*figures) {}); !holds(none) || !strings.Contains(none.String(), "Not measured yet: 1 of 1") {
		t.Errorf("without a round:\n%s", none)
	}
}

// A program that was installed later has fewer rounds, and is compared in those.
func TestProgramsOfSomeRounds(t *testing.T) {
	t.Parallel()
	all := contestOf(6, func(*figures) {})
	delete(all.all[0].rounds[0], memtier)
	if text := all.String(); !strings.Contains(text, "| memtier_benchmark  |  5 |") || !strings.Contains(text, "| k6                 |  6 |") {
		t.Errorf("the rounds are not told apart:\n%s", text)
	}
}

func TestRoundOfContestIsWithoutWhatIsMissing(t *testing.T) {
	t.Parallel()
	run := func() (figures, error) { return figures{OpsPerSecond: 1}, nil }
	c := &contest{k6: entrant{program: "k6", run: run}, besideIt: []entrant{
		{program: "a", run: run}, {program: "b", needs: "no-such-program-of-peers"},
	}}
	round, err := c.measure(1)
	if _, has := round["b"]; err != nil || len(round) != 2 || has {
		t.Errorf("%v, error %v", round, err)
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 5}, 5},
		{[]float64{4, 1, 3, 2}, 2.5},
		{[]float64{1, 1, 1, 100, 100}, 1},
	} {
		of := func(v float64) figures {
			return figures{
				OpsPerSecond: v, CPUMicros: 2 * v, P99Ms: 3 * v, Allocations: 4 * v, RowsPerCPU: 5 * v, P50Ms: 6 * v, ClientSpread: 7 * v,
				ClientWaitMs: 8 * v, MemoryMB: 9 * v, LockMicros: 10 * v, ServerMicros: 11 * v,
			}
		}
		runs := make([]figures, 0, len(c.values))
		for _, v := range c.values {
			runs = append(runs, of(v))
		}
		got := median(runs)
		if got.runs == nil || len(*got.runs) != len(runs) {
			t.Errorf("the median of %v does not keep them", c.values)
		}
		if got.runs = nil; got != of(c.want) {
			t.Errorf("median of %v is %v, want %v", c.values, got, of(c.want))
		}
	}
}

func TestCrowdBounds(t *testing.T) {
	t.Parallel()
	good := crowdRound{Step: step{Operations: crowdClients * crowdOperations}, Memory: mostMemory}
	if c := (&crowd{[]crowdRound{good}}); !holds(c) {
		t.Errorf("the good one does not hold: %s", c)
	}
	for name, spoil := range map[string]func(*crowdRound){
		"a failure":        func(r *crowdRound) { r.Step.Failed = 1 },
		"a lost operation": func(r *crowdRound) { r.Step.Operations-- },
		"too much memory":  func(r *crowdRound) { r.Memory++ },
	} {
		bad := good
		spoil(&bad)
		if holds(&crowd{[]crowdRound{good, bad}}) {
			t.Errorf("%s holds", name)
		}
	}
}
