package main

import (
	"fmt"
	"os"
)

// coresVariable holds the cores that programs run on while it is set, as taskset takes them.
const coresVariable = "BENCH_CORES"

const (
	coresClients = 64
	// mostLocked is the part of the processor time of an operation for which it may wait for locks.
	mostLocked = 0.01
	// manyCores are those of the machine that the model is about.
	manyCores = 16
)

// measureCores is the rate of one process by the cores that it may use. The server may use all.
func measureCores(e *effort) (result, error) {
	share := e.share(coresClients, cacheSolo, cacheCrowd)
	var all []*contest
	for _, on := range []struct{ work, cores string }{{"1 core", "0"}, {"2 cores", "0,1"}} {
		programs := append([]entrant{{program: "k6, client.run", run: k6Gets("memcached", coresClients, share, "get:1", 1)}},
			append(floors("memcached", coresClients, share), cachePeers("memcached", coresClients, share, 1)...)...)
		for i := range programs {
			programs[i].run = onCores(on.cores, programs[i].run)
		}
		all = append(all, &contest{work: on.work, clients: coresClients, k6: programs[0], besideIt: programs[1:]})
	}
	title := fmt.Sprintf("gets of 100 bytes from memcached by %d clients in a process on one core and on two, by taskset", coresClients)
	t, err := compete(e, title, all)

	return &byCores{t}, err
}

// byCores is the table, and what it says of more cores.
type byCores struct{ *contests }

// locked is the part of the processor time of k6's operations on two cores for which they waited
// for locks, as Go's runtime tells it.
func (b *byCores) locked() (part float64, known bool) {
	if b.contests == nil || len(b.all) == 0 || len(b.all[len(b.all)-1].rounds) == 0 {
		return 0, false
	}
	two := b.all[len(b.all)-1]
	var parts []float64
	for _, round := range two.rounds {
		k6 := round[two.k6.program]
		parts = append(parts, k6.LockMicros/k6.CPUMicros)
	}

	return middle(parts), true
}

func (b *byCores) judgements() []judgement {
	all := b.contests.judgements()
	if part, known := b.locked(); known {
		all = append(all, atMost(mostLocked).judged(fmt.Sprintf("2 cores, %d", coresClients), "waiting for locks", part))
	}

	return all
}

// speedup is how many times the rate of one core so many have by Amdahl's law, where this part of
// the work is one after another (Gene M. Amdahl, Validity of the single processor approach to
// achieving large scale computing capabilities, AFIPS 1967).
func speedup(cores int, serial float64) float64 {
	return 1 / (serial + (1-serial)/float64(cores))
}

// String is the table with the model below it.
func (b *byCores) String() string {
	part, known := b.locked()
	if !known {
		return b.contests.String()
	}

	return fmt.Sprintf("%s\n\nOn two cores an operation of k6 waits for locks for %.4f %% of its processor time (<= %.0f %%).\n"+
		"If all of that were one after another, %d cores would have %.1f times the rate of one, by Amdahl's law.\n"+
		"What processors take from each other's caches is not in it, nor is the server.",
		b.contests, 100*part, 100*mostLocked, manyCores, speedup(manyCores, part))
}

// onCores runs a program on some cores.
func onCores(cores string, run func() (figures, error)) func() (figures, error) {
	return func() (figures, error) {
		if err := os.Setenv(coresVariable, cores); err != nil {
			return figures{}, err
		}
		defer os.Unsetenv(coresVariable) //nolint:errcheck // it is there

		return run()
	}
}
