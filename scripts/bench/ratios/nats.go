package main

import "strconv"

// natsBatch is the messages of an operation that publishes.
const natsBatch = 10_000

// natsWork is one kind of work: what k6 and the programs are asked for.
type natsWork struct {
	// name is the programs', and title that of the table.
	name, title string
	clients     []int
	// solo is how many operations a second one client does, roughly; crowd times as many do many.
	solo, crowd int
	// batch is the messages of an operation.
	batch            int
	script, scenario string
	settings         map[string]string
}

func natsWorks() []natsWork {
	kv := func(name, title string, clients ...int) natsWork {
		return natsWork{
			name: name, title: title, clients: clients, solo: 12_000, crowd: 4, batch: 1,
			script: "scenarios/natsjs-kv-sweep.js", scenario: "natsjs-kv-sweep", settings: map[string]string{"LAYOUT": "orb", "MIX": name},
		}
	}

	return []natsWork{
		kv("get", "key-value get", 1, 8, 64, 512),
		kv("put", "key-value put", 8, 512),
		{
			name: "request", title: "request-reply", clients: []int{1, 8, 64, 512}, solo: 8000, crowd: 6, batch: 1,
			script: "scenarios/nats-core.js", scenario: "nats-core", settings: map[string]string{"WORK": "request"},
		},
		{
			name: "publish", title: "publishBatch", clients: []int{8, 512}, solo: 250, crowd: 1, batch: natsBatch,
			script: "scenarios/nats-core.js", scenario: "nats-core",
			settings: map[string]string{"WORK": "publish", "BATCH": strconv.Itoa(natsBatch)},
		},
	}
}

// measureNats is NATS beside a plain Go program over nats.go: as a user would write it, and over
// sockets as k6's are ("quiet"), which the bounds are beside.
func measureNats(e *effort) (result, error) {
	var all []*contest
	for _, work := range natsWorks() {
		for _, clients := range work.clients {
			all = append(all, work.contest(clients, e.share(clients, work.solo, work.crowd)))
		}
	}

	return compete(e, "NATS, values and messages of 100 bytes; rate and us of publishBatch are of messages", all)
}

// leastNatsBatches is how many batches a client publishes at least. Where each of 512 has two, 0.14
// of k6's processor time is none of a message's: each VU comes to the step, and leaves it.
const leastNatsBatches = 6

func (w *natsWork) contest(clients, perClient int) *contest {
	if w.batch > 1 {
		perClient = max(w.solo/clients, leastNatsBatches)
	}
	bench := entrant{program: "nats bench", needs: natsCLI, peer: true, run: natsBench(w.name, clients, perClient, w.batch)}
	c := &contest{
		work: w.title, clients: clients,
		k6: entrant{program: "k6", run: w.k6(clients, perClient)},
		besideIt: []entrant{
			{program: "Go, nats.go", run: w.program(clients, perClient)},
			{program: "Go, quiet", bounds: besidePlain(clients, because(whyCalls)), run: w.program(clients, perClient, "-quiet")},
		},
	}
	if w.batch == 1 {
		c.besideIt = append(c.besideIt, floors("nats", clients, perClient, "-work="+w.name)...)
	}
	switch w.name {
	case "get", "put":
		bench.bounds = besidePeer(clients)
	case "request":
		bench.bounds = besidePeersService(clients)
	default: // it does not wait for the server's word that it has the messages
	}
	c.besideIt = append(c.besideIt, bench)

	return c
}

func (w *natsWork) k6(clients, perClient int) func() (figures, error) {
	return func() (figures, error) {
		settings := map[string]string{"CLIENTS": strconv.Itoa(clients), "ITERATIONS": strconv.Itoa(perClient), "WARMUP": warmup, "VALUE": "100"}
		for name, value := range w.settings {
			settings[name] = value
		}
		f, err := stepFigures(w.script, w.scenario, settings)

		return f.each(w.batch), err
	}
}

func (w *natsWork) program(clients, perClient int, more ...string) func() (figures, error) {
	return func() (figures, error) {
		f, err := runProgram("nats", append([]string{
			"-work=" + w.name, "-clients=" + strconv.Itoa(clients), "-ops=" + strconv.Itoa(perClient),
			"-size=100", "-batch=" + strconv.Itoa(w.batch),
		}, more...)...)

		return f.each(w.batch), err
	}
}
