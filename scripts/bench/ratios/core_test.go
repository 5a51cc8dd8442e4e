package main

import "testing"

func TestCoreBounds(t *testing.T) {
	of := func(operations int, nanoseconds float64) step {
		s := step{Operations: operations}
		s.CPU.K6 = nanoseconds * float64(operations) / 1e9

		return s
	}
	good := core{
		solo: of(soloOperations, mostNanoseconds-1), many: of(coreClients*coreOperations, mostNanoseconds-1),
		idle: 100 << 20, after: 100<<20 + mostAdded,
	}
	if !good.holds() {
		t.Error("the good one does not hold")
	}
	for name, spoil := range map[string]func(*core){
		"a failure with 1 client":      func(c *core) { c.solo.Failed = 1 },
		"a failure with 512 clients":   func(c *core) { c.many.Failed = 1 },
		"a lost operation":             func(c *core) { c.many.Operations-- },
		"no operation":                 func(c *core) { c.solo = step{} },
		"too much time, 1 client":      func(c *core) { c.solo = of(soloOperations, mostNanoseconds+1) },
		"too much time, 512 clients":   func(c *core) { c.many = of(coreClients*coreOperations, mostNanoseconds+1) },
		"more memory than may be used": func(c *core) { c.after++ },
	} {
		bad := good
		spoil(&bad)
		if bad.holds() {
			t.Errorf("%s holds", name)
		}
	}
}
