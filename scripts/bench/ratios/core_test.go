package main

import "testing"

func TestCoreBounds(t *testing.T) {
	of := func(operations int, nanoseconds float64) step {
		s := step{Operations: operations}
		s.CPU.K6 = nanoseconds * float64(operations) / 1e9

		return s
	}
	const k6 = 200 // nanoseconds
	plain, floor := figures{CPUMicros: k6 * 1e-3 / mostOfPlain * 1.001}, figures{CPUMicros: k6 * 1e-3 / mostOfFloor * 1.001}
	good := coreRound{
		Solo: of(soloOperations, k6), Many: of(coreClients*coreOperations, k6),
		PlainSolo: plain, PlainMany: plain, FloorSolo: floor, FloorMany: floor,
		Idle: 100 << 20, After: 100<<20 + mostAdded,
	}
	if !holds(&core{[]coreRound{good}}) {
		t.Error("the good one does not hold")
	}
	for name, spoil := range map[string]func(*coreRound){
		"a failure with 1 client":          func(c *coreRound) { c.Solo.Failed = 1 },
		"a failure with 512 clients":       func(c *coreRound) { c.Many.Failed = 1 },
		"a lost operation":                 func(c *coreRound) { c.Many.Operations-- },
		"more than Go, 1 client":           func(c *coreRound) { c.PlainSolo.CPUMicros *= 0.9 },
		"more than Go, 512 clients":        func(c *coreRound) { c.PlainMany.CPUMicros *= 0.9 },
		"no plain program":                 func(c *coreRound) { c.PlainMany = figures{} },
		"no floor":                         func(c *coreRound) { c.FloorMany = figures{} },
		"no operation":                     func(c *coreRound) { c.Solo = step{} },
		"more than the floor, 1 client":    func(c *coreRound) { c.FloorSolo.CPUMicros *= 0.9 },
		"more than the floor, 512 clients": func(c *coreRound) { c.FloorMany.CPUMicros *= 0.9 },
		"more memory than may be used":     func(c *coreRound) { c.After++ },
	} {
		bad := good
		spoil(&bad)
		if holds(&core{[]coreRound{good, bad, bad, bad, bad, bad, bad, bad}}) {
			t.Errorf("%s holds", name)
		}
	}
}
