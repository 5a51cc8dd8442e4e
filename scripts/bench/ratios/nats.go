package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The bounds that k6 has to hold against a plain Go program over nats.go.
const (
	leastOfNats    = 0.9 // of its operations a second
	leastPublished = 0.8 // of the messages that it publishes a second
	mostOfNats     = 1.1 // times its processor time
)

const (
	natsBatch    = 10000 // messages of an operation that publishes
	natsCrowd    = 16    // times as many operations for as many clients or more: together they are some six times as quick as one
	publishTimes = 1000  // as many messages as operations that wait for an answer: they are as much quicker
	leastBatches = 4     // of each client: one would measure how 512 begin
)

// natsWork is one kind of work: what k6 and the program are asked for.
type natsWork struct {
	name     string // the program's
	title    string
	least    float64
	batch    int // messages of an operation, 1 where it is one
	script   string
	scenario string
	settings map[string]string
}

func natsWorks() []natsWork {
	kv := func(name, title string) natsWork {
		return natsWork{
			name: name, title: title, least: leastOfNats, batch: 1, script: "scenarios/natsjs-kv-sweep.js", scenario: "natsjs-kv-sweep",
			settings: map[string]string{"LAYOUT": "orb", "MIX": name},
		}
	}
	core := func(name, title string, least float64, batch int, settings map[string]string) natsWork {
		settings["WORK"] = name

		return natsWork{
			name: name, title: title, least: least, batch: batch, script: "scenarios/nats-core.js", scenario: "nats-core", settings: settings,
		}
	}

	return []natsWork{
		kv("put", "key-value put"),
		kv("get", "key-value get"),
		core("request", "request-reply", leastOfNats, 1, map[string]string{}),
		core("publish", "publishBatch", leastPublished, natsBatch, map[string]string{"BATCH": strconv.Itoa(natsBatch)}),
	}
}

// natsCell holds the medians of both for one kind of work and number of connections. Figures are of
// messages where it publishes.
type natsCell struct {
	work    natsWork
	clients int
	k6      figures
	// plain is the program as a user would write it, and alike the one over sockets as k6's are.
	plain, alike figures
}

// natsRatios is the whole table.
type natsRatios struct {
	rounds, operations int
	cells              []*natsCell
}

func measureNats(e effort) (*natsRatios, error) {
	all := &natsRatios{rounds: e.rounds, operations: e.operations}
	for _, work := range natsWorks() {
		for _, clients := range e.of(1, 8, 64, 512) {
			perClient := work.share(e.operations, clients)
			medians, err := allInTurns(e.rounds,
				work.k6(clients, perClient), work.program(clients, perClient), work.program(clients, perClient, "-quiet"))
			if err != nil {
				return nil, fmt.Errorf("%s, %d clients: %w", work.title, clients, err)
			}
			all.cells = append(all.cells, &natsCell{work: work, clients: clients, k6: medians[0], plain: medians[1], alike: medians[2]})
		}
	}

	return all, nil
}

// share is how many operations each client does.
func (w *natsWork) share(operations, clients int) int {
	if w.batch > 1 {
		return max(operations*publishTimes/w.batch/clients, leastBatches)
	}

	return operations * min(clients, natsCrowd) / clients
}

func (w *natsWork) k6(clients, perClient int) func() (figures, error) {
	return w.each(func() (figures, error) {
		settings := map[string]string{"CLIENTS": strconv.Itoa(clients), "ITERATIONS": strconv.Itoa(perClient), "WARMUP": warmup, "VALUE": "100"}
		for name, value := range w.settings {
			settings[name] = value
		}

		return stepFigures(w.script, w.scenario, settings)
	})
}

func (w *natsWork) program(clients, perClient int, more ...string) func() (figures, error) {
	return w.each(func() (figures, error) {
		return runProgram("nats", append([]string{
			"-work=" + w.name, "-clients=" + strconv.Itoa(clients), "-ops=" + strconv.Itoa(perClient),
			"-size=100", "-batch=" + strconv.Itoa(natsBatch),
		}, more...)...)
	})
}

// each turns the figures of operations that are a batch into those of messages.
func (w *natsWork) each(run func() (figures, error)) func() (figures, error) {
	return func() (figures, error) {
		f, err := run()
		f.OpsPerSecond *= float64(w.batch)
		f.CPUMicros /= float64(w.batch)
		f.Allocations /= float64(w.batch)

		return f, err
	}
}

func (c *natsCell) speed() bounded { return bounded{c.k6.over(c.alike, rate), atLeast(c.work.least)} }
func (c *natsCell) cpu() bounded   { return bounded{c.k6.over(c.alike, processor), atMost(mostOfNats)} }

// holds looks at the rate where clients together keep the processors at work.
func (c *natsCell) holds() bool {
	return noneCrossed(c.cpu()) && (c.clients == 1 || noneCrossed(c.speed()))
}

// String is a line of the table.
func (c *natsCell) String() string {
	speed := c.speed().String()
	if c.clients == 1 {
		speed = c.speed().ratio.String()
	}

	return fmt.Sprintf("| %-13s | %7d | %9.0f | %9.0f | %9.0f | %s | %8.2f | %8.2f | %8.2f | %s | %9.2f | %9.2f |", c.work.title, c.clients,
		c.k6.OpsPerSecond, c.plain.OpsPerSecond, c.alike.OpsPerSecond, speed,
		c.k6.CPUMicros, c.plain.CPUMicros, c.alike.CPUMicros, c.cpu(), c.k6.P99Ms, c.alike.P99Ms)
}

func (r *natsRatios) holds() bool {
	return !slices.ContainsFunc(r.cells, func(c *natsCell) bool { return !c.holds() })
}

// String is the table.
func (r *natsRatios) String() string {
	lines := make([]string, 0, 3+len(r.cells))
	lines = append(lines,
		fmt.Sprintf("NATS, 100 bytes: %d rounds, %d operations of each client up to %d and as many for more,\n"+
			"%d times as many messages published in all but at least %d batches each, in turns; medians\n",
			r.rounds, r.operations, natsCrowd, publishTimes, leastBatches),
		"| work          | clients |      k6/s |      Go/s |   alike/s | k6 over alike  |    k6 us |    Go us | alike us |"+
			" k6 over alike | k6 p99 ms | alike p99 |",
		"|---------------|--------:|----------:|----------:|----------:|----------------|---------:|---------:|---------:|"+
			"---------------|----------:|----------:|",
	)
	for _, c := range r.cells {
		lines = append(lines, c.String())
	}

	return strings.Join(lines, "\n")
}
