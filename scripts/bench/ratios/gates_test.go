package main

import (
	"slices"
	"strings"
	"testing"
)

func TestRegressed(t *testing.T) {
	const opsPerSecond, p99 = 0, 1
	held := []verdict{
		{Gate: "ops/s of rollup with 4 clients >= 90 % of baseline", Held: true},
		{Gate: "p99 of rollup with 4 clients <= 130 % of baseline", Held: true},
		{Gate: "baseline fits", Held: true},
		{Gate: "every step complete and no operation failed", Held: true},
		{Gate: "sweep_failed rate==0", Held: true},
		{Gate: "p99 of rollup in every step <= 2000ms", Held: true},
	}
	cross := func(which ...int) []verdict {
		gates := slices.Clone(held)
		for _, i := range which {
			gates[i].Held, gates[i].Detail = false, "for a reason"
		}

		return gates
	}
	for name, c := range map[string]struct {
		gates  []verdict
		slower bool
		wrong  string
	}{
		"all held":          {held, false, ""},
		"ops/s":             {cross(opsPerSecond), true, ""},
		"p99":               {cross(p99), true, ""},
		"both":              {cross(opsPerSecond, p99), true, ""},
		"the baseline":      {cross(opsPerSecond, p99, 2), false, `the gate "baseline fits" was crossed, and only those of ops/s and p99 may be: for a reason`},
		"a failure":         {cross(p99, 3), false, `the gate "every step complete and no operation failed" was crossed`},
		"k6's threshold":    {cross(4), false, `the gate "sweep_failed rate==0" was crossed`},
		"an absolute bound": {cross(5), false, `the gate "p99 of rollup in every step <= 2000ms" was crossed`},
		"no gates":          {nil, false, `the report must have the gate "baseline fits"`},
		"not every step":    {held[:3], false, `the report must have the gate "every step complete and no operation failed"`},
		"not compared":      {held[2:], false, "the report must have gates of ops/s and p99 against the baseline"},
	} {
		slower, err := regressed(c.gates)
		if slower != c.slower {
			t.Errorf("%s: slower is %v", name, slower)
		}
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}
