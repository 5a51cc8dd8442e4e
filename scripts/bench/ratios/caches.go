package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// The bounds that k6 has to hold for gets of 100 bytes from memcached.
const (
	leastOfLoop       = 0.9 // of the values a second of a plain Go program over the same wire code
	leastOfGomemcache = 1.0 // of those of one over bradfitz/gomemcache
	leastBatched      = 5.0 // times as many in batches as one at a time
)

const (
	cacheTimes   = 10 // as many operations as of the others: they are as much quicker
	cacheCrowd   = 8  // times as many again for as many clients or more: together they are some ten times as quick as one
	cacheKeys    = "10000"
	cacheBatch   = 50 // keys of a multi-get, commands of a pipeline
	cacheBatched = 5  // times as many values are got in batches as one at a time
)

// gotten are the medians of gets for one number of clients. Figures are of values, whatever an
// operation is; p99 is that of operations.
type gotten struct {
	clients                  int
	k6, loop, gomemcache     figures // one at a time
	k6Multi, loopMulti       figures
	k6Pipeline, loopPipeline figures
	memtier                  *figures // one at a time; nil where it is not installed
}

// caches is what gets come to, and what they cost where each is a call of JavaScript.
type caches struct {
	rounds, operations int
	gotten             []*gotten
	calls              []*calls
}

func measureCaches(e effort) (*caches, error) {
	c := &caches{rounds: e.rounds, operations: e.operations * cacheTimes}
	for _, clients := range e.of(1, 8, 64, 512) {
		g, err := getFrom(e.rounds, clients, c.operations*min(clients, cacheCrowd)/clients)
		if err != nil {
			return nil, fmt.Errorf("%d clients: %w", clients, err)
		}
		c.gotten = append(c.gotten, g)
	}
	for _, clients := range e.of(1, 8, 64) {
		called, err := measureCalls(e.rounds, clients, c.operations/clients)
		if err != nil {
			return nil, fmt.Errorf("%d clients: %w", clients, err)
		}
		c.calls = append(c.calls, called)
	}

	return c, nil
}

func getFrom(rounds, clients, perClient int) (*gotten, error) {
	batches := max(perClient*cacheBatched/cacheBatch, 1)
	programs := []func() (figures, error){
		k6Gets("memcached", clients, perClient, "get:1"),
		loopGets("wire", clients, perClient, "one"),
		loopGets("gomemcache", clients, perClient, "one"),
		batched(k6Gets("memcached", clients, batches, "getMulti:1")),
		batched(loopGets("wire", clients, batches, "multi")),
		k6Script("memcached", clients, batches*cacheBatch, cacheBatch),
		batched(loopGets("wire", clients, batches, "pipeline", "-meta")),
	}
	if _, err := exec.LookPath(memtier); err == nil {
		programs = append(programs, memtierGets(clients, perClient))
	}
	medians, err := allInTurns(rounds, programs...)
	if err != nil {
		return nil, err
	}
	g := &gotten{
		clients: clients, k6: medians[0], loop: medians[1], gomemcache: medians[2],
		k6Multi: medians[3], loopMulti: medians[4], k6Pipeline: medians[5], loopPipeline: medians[6],
	}
	if installed := medians[7:]; len(installed) > 0 {
		g.memtier = &installed[0]
	}

	return g, nil
}

// k6Gets is a run of client.run, over the cache's own module.
func k6Gets(target string, clients, perClient int, mix string) func() (figures, error) {
	return func() (figures, error) {
		return stepFigures("scenarios/cache-sweep.js", "cache-sweep", map[string]string{
			"TARGET": target, "CLIENTS": strconv.Itoa(clients), "ITERATIONS": strconv.Itoa(perClient), "WARMUP": warmup,
			"MIX": mix, "KEYS": cacheKeys, "VALUE": "100", "BATCH": strconv.Itoa(cacheBatch),
		})
	}
}

// loopGets is a run of the plain Go program, over this client library.
func loopGets(library string, clients, perClient int, get string, more ...string) func() (figures, error) {
	return func() (figures, error) {
		return runProgram("caches", append([]string{
			"-client=" + library, "-clients=" + strconv.Itoa(clients), "-ops=" + strconv.Itoa(perClient),
			"-get=" + get, "-batch=" + strconv.Itoa(cacheBatch),
		}, more...)...)
	}
}

// batched turns the figures of operations that get a batch into those of values.
func batched(run func() (figures, error)) func() (figures, error) {
	return func() (figures, error) {
		f, err := run()
		f.OpsPerSecond *= cacheBatch
		f.CPUMicros /= cacheBatch
		f.Allocations /= cacheBatch

		return f, err
	}
}

func (g *gotten) ofLoop() float64       { return g.k6.OpsPerSecond / g.loop.OpsPerSecond }
func (g *gotten) ofGomemcache() float64 { return g.k6.OpsPerSecond / g.gomemcache.OpsPerSecond }
func (g *gotten) byMulti() float64      { return g.k6Multi.OpsPerSecond / g.k6.OpsPerSecond }
func (g *gotten) byPipeline() float64   { return g.k6Pipeline.OpsPerSecond / g.k6.OpsPerSecond }

func (g *gotten) holds() bool {
	return g.ofLoop() >= leastOfLoop && g.ofGomemcache() >= leastOfGomemcache &&
		g.byMulti() >= leastBatched && g.byPipeline() >= leastBatched
}

func (c *caches) holds() bool {
	return !slices.ContainsFunc(c.gotten, func(g *gotten) bool { return !g.holds() })
}

// lines are those of the table.
func (g *gotten) lines() []string {
	line := func(program string, f figures, ratio string) string {
		return fmt.Sprintf("| %7d | %-23s | %8.0f | %8.2f | %6.3f | %-33s |", g.clients, program, f.OpsPerSecond, f.CPUMicros, f.P99Ms, ratio)
	}
	lines := []string{
		line("k6, client.run", g.k6, ""),
		line("Go, wire", g.loop, fmt.Sprintf("k6 is %.2f of it (>= %.2f)", g.ofLoop(), leastOfLoop)),
		line("Go, gomemcache", g.gomemcache, fmt.Sprintf("k6 is %.2f of it (>= %.2f)", g.ofGomemcache(), leastOfGomemcache)),
	}
	if g.memtier != nil {
		lines = append(lines, line("memtier_benchmark", *g.memtier, fmt.Sprintf("k6 is %.2f of it", g.k6.OpsPerSecond/g.memtier.OpsPerSecond)))
	}

	return append(lines,
		line("k6, multi-get of 50", g.k6Multi, fmt.Sprintf("%.1f times one at a time (>= %.0f)", g.byMulti(), leastBatched)),
		line("Go, wire, multi-get", g.loopMulti, fmt.Sprintf("k6 is %.2f of it", g.k6Multi.OpsPerSecond/g.loopMulti.OpsPerSecond)),
		line("k6, pipeline of 50", g.k6Pipeline, fmt.Sprintf("%.1f times one at a time (>= %.0f)", g.byPipeline(), leastBatched)),
		line("Go, wire, pipeline", g.loopPipeline, fmt.Sprintf("k6 is %.2f of it", g.k6Pipeline.OpsPerSecond/g.loopPipeline.OpsPerSecond)),
	)
}

// String is two tables.
func (c *caches) String() string {
	lines := []string{
		fmt.Sprintf("gets of 100 bytes from memcached: %d rounds, %d values a cell (%d times as many with %d clients or more), "+
			"%d times as many in batches, in turns; medians\n",
			c.rounds, c.operations, cacheCrowd, cacheCrowd, cacheBatched),
		"| clients | program                 | values/s | us/value | p99 ms |                                   |",
		"|--------:|-------------------------|---------:|---------:|-------:|-----------------------------------|",
	}
	for _, g := range c.gotten {
		lines = append(lines, g.lines()...)
	}
	lines = append(lines, "\none get in each call of JavaScript, beside client.run\n", callsHead)
	for _, called := range c.calls {
		lines = append(lines, called.String())
	}

	return strings.Join(lines, "\n")
}
