package main

import (
	"math"
	"strings"
	"testing"
)

// lockedFor is the part of cores in which k6's operations take 10 us, and wait so long for locks.
func lockedFor(micros float64) *byCores {
	c := &contested{contest: &contest{work: "2 cores", clients: coresClients, k6: entrant{program: "k6"}}}
	for range 5 {
		c.rounds = append(c.rounds, map[string]figures{"k6": {OpsPerSecond: 1, CPUMicros: 10, LockMicros: micros}})
	}

	return &byCores{&contests{title: "gets", all: []*contested{c}}}
}

func TestOperationsThatWaitForLocks(t *testing.T) {
	t.Parallel()
	for micros, want := range map[float64]bool{0: true, 0.1: true, 0.11: false, 5: false} {
		if b := lockedFor(micros); holds(b) != want {
			t.Errorf("%g us of 10: holds is %v: %s", micros, holds(b), b)
		}
	}
	const want = "waits for locks for 0.5000 % of its processor time (<= 1 %).\n" +
		"If all of that were one after another, 16 cores would have 14.9 times the rate of one, by Amdahl's law."
	if text := lockedFor(0.05).String(); !strings.Contains(text, want) {
		t.Errorf("%q is not in\n%s", want, text)
	}
	if none := (&byCores{&contests{}}); !holds(none) || strings.Contains(none.String(), "locks") {
		t.Errorf("without a round: %s", none)
	}
}

func TestSpeedup(t *testing.T) {
	t.Parallel()
	for serial, want := range map[float64]float64{0: 16, 1: 1, 0.5: 1.8823529411764706} {
		if got := speedup(16, serial); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g: %g, want %g", serial, got, want)
		}
	}
}
