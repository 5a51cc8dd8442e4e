package main

import (
	"runtime"
	"strings"
	"testing"
)

// with is contestOf five rounds, in which k6 is spoilt, with another program.
func with(spoil func(*figures), program string, f figures) *contests {
	all := contestOf(5, spoil)
	c := all.all[0]
	c.besideIt = append(c.besideIt, entrant{program: program})
	for _, round := range c.rounds {
		round[program] = f
	}

	return all
}

// redisOf is contestOf five rounds of Redis, in which k6 is spoilt.
func redisOf(spoil func(*figures)) *contests {
	all := contestOf(5, spoil)
	all.all[0].work = "redis"

	return all
}

// What k6 cannot hold beside a benchmark in C, as the figures of others show, is not crossed.
func TestBehindBenchmarksInC(t *testing.T) {
	t.Parallel()
	slow := func(k6 *figures) { k6.OpsPerSecond = 129_000 }
	late := func(k6 *figures) { k6.P99Ms = 12 }
	for name, c := range map[string]struct {
		all  *contests
		want string
	}{
		"a rate that C has not either": {
			with(slow, programFloorC, figures{OpsPerSecond: 120_000}),
			"- memcached, 512, beside memtier_benchmark: rate:\n  an event loop in C that decodes nothing, `floor, C`, comes to 1.20.",
		},
		"a p99 that C has not either": {with(late, programFloorC, figures{P99Ms: 11}), "memtier_benchmark: p99:\n  an event loop in C"},
		"a rate that the processors do not have": {
			with(func(k6 *figures) {
				k6.OpsPerSecond, k6.ServerMicros = 120_000, float64(runtime.NumCPU())*8
			}, programFloorC, figures{OpsPerSecond: 140_000, CPUMicros: 1}),
			" of `floor, C`, of which k6 may take 1.5 times as much:",
		},
		"a rate that a thread has not": {
			redisOf(func(k6 *figures) { k6.OpsPerSecond, k6.ServerMicros = 120_000, 8 }),
			"takes 8.00 us of the server, which does all of them on one thread:\n  if that did nothing else, it would come to 1.25.",
		},
		"a p99 that one loop has": {with(late, programOneLoop, figures{P99Ms: 9}), "with one loop, `k6, GOMAXPROCS=1`, it comes to 0.90."},
	} {
		text := c.all.String()
		if !holds(c.all) || !strings.Contains(text, ": behind)") || strings.Contains(text, "crossed") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q is not in\n%s", name, c.want, text)
		}
	}
	for name, all := range map[string]*contests{
		"a rate that C has":           with(slow, programFloorC, figures{OpsPerSecond: 131_000}),
		"a p99 that one loop has not": with(late, programOneLoop, figures{P99Ms: 11}),
		"a rate that the processors have": with(func(k6 *figures) {
			k6.OpsPerSecond, k6.ServerMicros = 120_000, 1
		}, programFloorC, figures{OpsPerSecond: 140_000, CPUMicros: 1}),
		"a rate that threads have":      with(func(k6 *figures) { k6.OpsPerSecond, k6.ServerMicros = 120_000, 8 }, "another", figures{}),
		"a rate that a thread has":      redisOf(func(k6 *figures) { k6.OpsPerSecond, k6.ServerMicros = 120_000, 7 }),
		"a rate, and who has a p99":     with(slow, programOneLoop, figures{P99Ms: 1}),
		"figures that nobody has taken": with(slow, programFloorC, figures{}),
	} {
		if name == "figures that nobody has taken" {
			for _, round := range all.all[0].rounds {
				delete(round, programFloorC)
			}
		}
		if holds(all) || strings.Contains(all.String(), "behind") {
			t.Errorf("%s: k6 is behind for no reason:\n%s", name, all)
		}
	}
}

// Beside the floor in C, k6 is behind where the floor in Go is as well.
func TestBehindTheFloorInC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		inGo float64
		is   outcome
	}{{3, behind}, {1.4, crossed}} {
		all := with(func(k6 *figures) { k6.CPUMicros = 2 }, programFloorC, figures{CPUMicros: 1})
		of := all.all[0]
		of.besideIt[len(of.besideIt)-1] = entrant{program: programFloorC, peer: true, bounds: besideFloorC(1)}
		for _, round := range of.rounds {
			round[programFloorGo] = figures{CPUMicros: c.inGo}
		}
		judged := of.judged(&of.besideIt[len(of.besideIt)-1])
		if len(judged) != 1 || judged[0].outcome != c.is {
			t.Errorf("%g us in Go: %+v, not %s", c.inGo, judged, c.is)
		}
		if said := strings.Contains(all.String(), "a program in Go that decodes nothing, `floor, Go`, comes to 3.00"); said != (c.is == behind) {
			t.Errorf("%g us in Go: %s", c.inGo, all)
		}
	}
}

// Beside others than benchmarks in C a reason is told, and what is crossed is crossed.
func TestReasonsBesideOthers(t *testing.T) {
	t.Parallel()
	all := contestOf(5, func(k6 *figures) { k6.CPUMicros = 4 })
	plain := &all.all[0].besideIt[0]
	plain.bounds = besidePlain(1, because("so it is"))
	if text := all.String(); holds(all) || !strings.Contains(text, "- memcached, 512, beside Go: us;\n  memcached, 512, beside Go: p99:\n  so it is.") {
		t.Errorf("it holds, or does not say why not:\n%s", text)
	}
}
