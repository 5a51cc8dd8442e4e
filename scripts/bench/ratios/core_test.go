package main

import (
	"slices"
	"testing"
)

func TestCoreBounds(t *testing.T) {
	of := func(operations int, nanoseconds float64) step {
		s := step{Operations: operations}
		s.CPU.K6 = nanoseconds * float64(operations) / 1e9

		return s
	}
	const plain = mostNanoseconds / mostOfPlain
	good := coreRound{
		Solo: of(soloOperations, mostNanoseconds-1), Many: of(coreClients*coreOperations, mostNanoseconds-1),
		PlainSolo: figures{CPUMicros: plain * 1e-3}, PlainMany: figures{CPUMicros: plain * 1e-3},
		Idle: 100 << 20, After: 100<<20 + mostAdded,
	}
	if !holds(&core{[]coreRound{good}}) {
		t.Error("the good one does not hold")
	}
	for name, spoil := range map[string]func(*coreRound){
		"a failure with 1 client":      func(c *coreRound) { c.Solo.Failed = 1 },
		"a failure with 512 clients":   func(c *coreRound) { c.Many.Failed = 1 },
		"a lost operation":             func(c *coreRound) { c.Many.Operations-- },
		"more than Go, 1 client":       func(c *coreRound) { c.PlainSolo.CPUMicros *= 0.9 },
		"more than Go, 512 clients":    func(c *coreRound) { c.PlainMany.CPUMicros *= 0.9 },
		"no plain program":             func(c *coreRound) { c.PlainMany = figures{} },
		"no operation":                 func(c *coreRound) { c.Solo = step{} },
		"too much time, 1 client":      func(c *coreRound) { c.Solo = of(soloOperations, mostNanoseconds+1) },
		"too much time, 512 clients":   func(c *coreRound) { c.Many = of(coreClients*coreOperations, mostNanoseconds+1) },
		"more memory than may be used": func(c *coreRound) { c.After++ },
	} {
		bad := good
		spoil(&bad)
		if holds(&core{[]coreRound{good, bad, bad, bad, bad, bad, bad, bad}}) {
			t.Errorf("%s holds", name)
		}
	}
}

// TestCoreOnSlowMachines has a plain program as slow as the machine makes it, and k6 beside it.
func TestCoreOnSlowMachines(t *testing.T) {
	for _, c := range []struct {
		what      string
		k6, plain float64
		time      outcome
		holds     bool
	}{
		{"both come to it", 199, 195, held, true},
		{"plain Go alone does", 201, 199, crossed, false},
		{"neither does", 205, 201, behind, true},
		{"neither does, and k6 takes more than it may beside plain Go", 220, 201, behind, false},
	} {
		round := coreRound{Solo: step{Operations: soloOperations}, Many: step{Operations: coreClients * coreOperations}}
		round.Solo.CPU.K6 = c.k6 * soloOperations / 1e9
		round.Many.CPU.K6 = c.k6 * coreClients * coreOperations / 1e9
		round.PlainSolo.CPUMicros, round.PlainMany.CPUMicros = c.plain/1e3, c.plain/1e3
		all := &core{slices.Repeat([]coreRound{round}, 5)}
		for _, j := range []judgement{all.soloWithin(), all.manyWithin()} {
			if j.outcome != c.time {
				t.Errorf("%s: %s is %s, want %s", c.what, j.row, j.outcome, c.time)
			}
		}
		if holds(all) != c.holds {
			t.Errorf("%s: holds is %t", c.what, !c.holds)
		}
	}
}
