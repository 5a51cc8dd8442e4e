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
	leastOfLoop       = 0.9  // of the values a second of a plain Go program over the same wire code
	mostOfLoop        = 1.1  // times its processor time
	mostOfLoopBatched = 1.3  // times its processor time in batches, of which k6 keeps every answer
	mostLoopP99       = 1.5  // times its p99
	mostOfGomemcache  = 1.0  // times the processor time of a plain Go program over bradfitz/gomemcache
	leastBatched      = 5.0  // times as many in batches as one at a time
	mostOfCalls       = 1.05 // times the processor time of a get in a call of JavaScript
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
		programs = append(programs, memtierGets("memcached", clients, perClient))
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

// mostAlike is with how many clients k6 and the plain programs do the same: beyond, a goroutine a
// connection goes on with one client while the answers of others wait, and k6 does not. See fair.
const mostAlike = 64

// bounds are what k6 has to hold beside the plain programs. One client alone leaves the processor
// idle, so that its rate says little of k6.
func (g *gotten) bounds() (loop, gomemcache []bounded) {
	if g.clients > mostAlike {
		return nil, nil
	}
	loop = []bounded{{g.k6.over(g.loop, processor), atMost(mostOfLoop)}, {g.k6.over(g.loop, p99), atMost(mostLoopP99)}}
	if g.clients > 1 {
		loop = append(loop, bounded{g.k6.over(g.loop, rate), atLeast(leastOfLoop)})
	}

	return loop, []bounded{{g.k6.over(g.gomemcache, processor), atMost(mostOfGomemcache)}}
}

func (g *gotten) byMulti() bounded { return bounded{g.k6Multi.over(g.k6, rate), atLeast(leastBatched)} }
func (g *gotten) byPipeline() bounded {
	return bounded{g.k6Pipeline.over(g.k6, rate), atLeast(leastBatched)}
}

func (g *gotten) ofLoopMulti() bounded {
	return bounded{g.k6Multi.over(g.loopMulti, processor), atMost(mostOfLoopBatched)}
}

func (g *gotten) ofLoopPipeline() bounded {
	return bounded{g.k6Pipeline.over(g.loopPipeline, processor), atMost(mostOfLoopBatched)}
}

func (g *gotten) holds() bool {
	loop, gomemcache := g.bounds()

	return noneCrossed(loop...) && noneCrossed(gomemcache...) &&
		noneCrossed(g.byMulti(), g.byPipeline(), g.ofLoopMulti(), g.ofLoopPipeline())
}

func (c *caches) holds() bool {
	return !slices.ContainsFunc(c.gotten, func(g *gotten) bool { return !g.holds() }) &&
		!slices.ContainsFunc(c.calls, func(one *calls) bool { return !one.holds() })
}

// beside says how k6 stands to a program: by the bounds, or without.
func (g *gotten) beside(bounds []bounded, other figures) string {
	names := []string{"us", "p99", "rate"}
	said := make([]string, 0, len(names))
	for i, b := range bounds {
		said = append(said, names[i]+" "+b.String())
	}
	if len(bounds) == 0 {
		said = append(said, "us "+g.k6.over(other, processor).String(), "p99 "+g.k6.over(other, p99).String())
	}
	if len(bounds) < len(names) {
		said = append(said, "rate "+g.k6.over(other, rate).String())
	}

	return strings.Join(said, "; ")
}

// lines are those of the table.
func (g *gotten) lines() []string {
	line := func(program string, f figures, ratio string) string {
		return fmt.Sprintf("| %7d | %-23s | %8.0f | %8.2f | %6.3f | %s |", g.clients, program, f.OpsPerSecond, f.CPUMicros, f.P99Ms, ratio)
	}
	loop, gomemcache := g.bounds()
	lines := []string{
		line("k6, client.run", g.k6, ""),
		line("Go, wire", g.loop, g.beside(loop, g.loop)),
		line("Go, gomemcache", g.gomemcache, g.beside(gomemcache, g.gomemcache)),
	}
	if g.memtier != nil {
		lines = append(lines, line("memtier_benchmark", *g.memtier, g.beside(nil, *g.memtier)))
	}

	return append(lines,
		line("k6, multi-get of 50", g.k6Multi, "rate, times one at a time: "+g.byMulti().String()),
		line("Go, wire, multi-get", g.loopMulti, "us "+g.ofLoopMulti().String()),
		line("k6, pipeline of 50", g.k6Pipeline, "rate, times one at a time: "+g.byPipeline().String()),
		line("Go, wire, pipeline", g.loopPipeline, "us "+g.ofLoopPipeline().String()),
	)
}

// String is two tables.
func (c *caches) String() string {
	lines := []string{
		fmt.Sprintf("gets of 100 bytes from memcached: %d rounds, %d values a cell (%d times as many with %d clients or more), "+
			"%d times as many in batches, in turns; medians\n",
			c.rounds, c.operations, cacheCrowd, cacheCrowd, cacheBatched),
		"| clients | program                 | values/s | us/value | p99 ms | k6 over it                        |",
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
