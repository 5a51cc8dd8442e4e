package main

import "testing"

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
		"a failure with 1 client":    func(c *coreRound) { c.Solo.Failed = 1 },
		"a failure with 512 clients": func(c *coreRound) { c.Many.Failed = 1 },
		"a lost operation":           func(c *coreRound) { c.Many.Operations-- },
		"more than Go, 1 client":     func(c *coreRound) { c.PlainSolo.CPUMicros *= 0.9 },
		"more than Go, 512 clients":  func(c *coreRound) { c.PlainMany.CPUMicros *= 0.9 },
		"no plain program":           func(c *coreRound) { c.PlainMany = figures{} },
		"no operation":               func(c *coreRound) { c.Solo = step{} },
		"too much time, 1 client, as plain Go": func(c *coreRound) {
			c.Solo, c.PlainSolo.CPUMicros = of(soloOperations, mostNanoseconds+1), (mostNanoseconds+1)*1e-3
		},
		"too much time, 512 clients, as plain Go": func(c *coreRound) {
			c.Many, c.PlainMany.CPUMicros = of(coreClients*coreOperations, mostNanoseconds+1), (mostNanoseconds+1)*1e-3
		},
		"more memory than may be used": func(c *coreRound) { c.After++ },
	} {
		bad := good
		spoil(&bad)
		if holds(&core{[]coreRound{good, bad, bad, bad, bad, bad, bad, bad}}) {
			t.Errorf("%s holds", name)
		}
	}
}
