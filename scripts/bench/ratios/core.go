package main

import (
	"fmt"
	"slices"
)

// mostAdded is how many bytes 20 million operations at 512 clients may add to 512 idle VUs.
const mostAdded = 64 << 20

const (
	coreClients    = 512
	coreOperations = 39063 // of each client: 20 million in all
	soloOperations = 10_000_000
)

// core is what k6 needs for operations of nothing, round by round.
type core struct {
	rounds []coreRound
}

// coreRound is one round, with its resident memories in bytes. PlainSolo and PlainMany are what a
// plain Go program came to that calls the same function, FloorSolo and FloorMany one that calls it
// from within JavaScript, as k6 does, reads the clock once, and counts.
type coreRound struct {
	Solo, Many           step
	PlainSolo, PlainMany figures
	FloorSolo, FloorMany figures
	Idle, After          int64
}

// measureCore runs operations of nothing with one client and with 512, by k6 and by the Go
// programs, in turns.
func measureCore(e *effort) (result, error) {
	rounds, err := again(e, "core", coreClients, func(number int) (c coreRound, err error) {
		ways := []func(*coreRound) error{runCore, runPlainCore, runFloorCore}
		if number%2 == 1 {
			slices.Reverse(ways)
		}
		for _, run := range ways {
			if err := run(&c); err != nil {
				return c, err
			}
		}

		return c, nil
	})

	return &core{rounds}, err
}

// runCore is k6's part. The memory of 512 VUs that do next to nothing is measured first.
func runCore(c *coreRound) (err error) {
	for _, run := range []struct {
		clients, operations int
		step                *step
		memory              *int64
	}{
		{1, soloOperations, &c.Solo, new(int64)},
		{coreClients, 1, new(step), &c.Idle},
		{coreClients, coreOperations, &c.Many, &c.After},
	} {
		*run.step, *run.memory, err = runScript("scripts/bench/empty.js", "empty", map[string]string{
			"CLIENTS": fmt.Sprint(run.clients), "ITERATIONS": fmt.Sprint(run.operations),
		})
		if err != nil {
			return err
		}
	}

	return nil
}

func runPlainCore(c *coreRound) error { return runEmpty(&c.PlainSolo, &c.PlainMany) }

func runFloorCore(c *coreRound) error { return runEmpty(&c.FloorSolo, &c.FloorMany, "-floor") }

// runEmpty is the part of a Go program.
func runEmpty(solo, many *figures, flags ...string) (err error) {
	if *solo, err = runProgram("empty", append(flags, "-ops", fmt.Sprint(soloOperations))...); err != nil {
		return err
	}
	*many, err = runProgram("empty", append(flags, "-clients", fmt.Sprint(coreClients), "-ops", fmt.Sprint(coreOperations))...)

	return err
}

// nanoseconds is the processor time of an operation.
func nanoseconds(s step) float64 { return s.CPU.K6 / float64(s.Operations) * 1e9 }

// The times of k6 and of the Go programs, in nanoseconds.
func solo(r coreRound) float64      { return nanoseconds(r.Solo) }
func many(r coreRound) float64      { return nanoseconds(r.Many) }
func plainSolo(r coreRound) float64 { return r.PlainSolo.CPUMicros * 1e3 }
func plainMany(r coreRound) float64 { return r.PlainMany.CPUMicros * 1e3 }
func floorSolo(r coreRound) float64 { return r.FloorSolo.CPUMicros * 1e3 }
func floorMany(r coreRound) float64 { return r.FloorMany.CPUMicros * 1e3 }

// beside is how a time of k6's stands to that of a Go program.
func (c *core) beside(value, other func(coreRound) float64, most float64) bounded {
	return bounded{ratioOf(valuesOf(c.rounds, func(r coreRound) float64 { return value(r) / other(r) })), atMost(most)}
}

func (c *core) judgements() []judgement {
	if len(c.rounds) == 0 {
		return nil
	}
	crowd := fmt.Sprintf("sweep.run, %d", coreClients)

	return []judgement{
		c.beside(solo, plainSolo, mostOfPlain).judged("sweep.run, 1, beside Go", "us"),
		c.beside(many, plainMany, mostOfPlain).judged(crowd+", beside Go", "us"),
		c.beside(solo, floorSolo, mostOfFloor).judged("sweep.run, 1, beside floor, Go", "us"),
		c.beside(many, floorMany, mostOfFloor).judged(crowd+", beside floor, Go", "us"),
		atMost(mostAdded>>20).judged(crowd, "MB added", slices.Max(c.added())),
		atMost(0).judged("sweep.run", "failed or lost", slices.Max(c.lost())),
	}
}

// added is what its memory has grown by, of each round in MB.
func (c *core) added() []float64 {
	return valuesOf(c.rounds, func(r coreRound) float64 { return megabytes(r.After - r.Idle) })
}

// lost are the operations that failed or were not done, of each round.
func (c *core) lost() []float64 {
	return valuesOf(c.rounds, func(r coreRound) float64 {
		return r.Solo.lost(soloOperations) + r.Many.lost(coreClients*coreOperations)
	})
}

// front is how k6 stands to the plain Go program.
func (c *core) front() string {
	if len(c.rounds) == 0 {
		return ""
	}

	return fmt.Sprintf("%.2f of that of a plain Go program with the same function, %.2f with %d clients",
		c.beside(solo, plainSolo, mostOfPlain).middle, c.beside(many, plainMany, mostOfPlain).middle, coreClients)
}

// String says what it came to.
func (c *core) String() string {
	if len(c.rounds) == 0 {
		return unmeasured
	}
	of := func(value func(coreRound) float64) float64 { return middle(valuesOf(c.rounds, value)) }
	after := valuesOf(c.rounds, func(r coreRound) float64 { return float64(r.After >> 20) })

	beside := func(plain, crowd func(coreRound) float64, most float64) string {
		return fmt.Sprintf("%.0f and %.0f ns; k6 beside it: %s and %s",
			of(plain), of(crowd), c.beside(solo, plain, most), c.beside(many, crowd, most))
	}

	return fmt.Sprintf("processor time of sweep.run of an empty function, with 1 client and %d (%d rounds): %.0f and %.0f ns\n"+
		"a plain Go program that calls it, and keeps its times: %s\n"+
		"one that calls it from within JavaScript, reads the clock once, and counts, floor, Go:\n%s\n"+
		"%d operations with %d clients: resident memory at most %.0f MB, %.0f MB more than idle (<= %d MB)",
		coreClients, len(c.rounds), of(solo), of(many),
		beside(plainSolo, plainMany, mostOfPlain), beside(floorSolo, floorMany, mostOfFloor),
		coreClients*coreOperations, coreClients, slices.Max(after), slices.Max(c.added()), mostAdded>>20)
}
