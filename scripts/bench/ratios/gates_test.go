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
	unsure := func(which ...int) []verdict {
		gates := cross(which...)
		for _, i := range which {
			gates[i].Outcome = "undecided"
		}

		return gates
	}
	slower, none := found{slower: true}, found{}
	for name, c := range map[string]struct {
		gates []verdict
		found found
		wrong string
	}{
		"all held":          {held, none, ""},
		"ops/s":             {cross(opsPerSecond), slower, ""},
		"p99":               {cross(p99), slower, ""},
		"both":              {cross(opsPerSecond, p99), slower, ""},
		"p99 cannot tell":   {unsure(p99), found{unsure: true}, ""},
		"one of two tells":  {append(cross(opsPerSecond), unsure(p99)[p99]), slower, ""},
		"the baseline":      {cross(opsPerSecond, p99, 2), none, `the gate "baseline fits" did not hold, and only those of ops/s and p99 may: for a reason`},
		"a failure":         {cross(p99, 3), none, `the gate "every step complete and no operation failed" did not hold`},
		"k6's threshold":    {cross(4), none, `the gate "sweep_failed rate==0" did not hold`},
		"an absolute bound": {cross(5), none, `the gate "p99 of rollup in every step <= 2000ms" did not hold`},
		"no gates":          {nil, none, `the report must have the gate "baseline fits"`},
		"not every step":    {held[:3], none, `the report must have the gate "every step complete and no operation failed"`},
		"not compared":      {held[2:], none, "the report must have gates of ops/s and p99 against the baseline"},
	} {
		got, err := regressed(c.gates)
		if got != c.found {
			t.Errorf("%s: found %+v", name, got)
		}
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}
