package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The bounds that the native driver has to hold against machgo.
const (
	mostOfMachgosCPU = 0.5 // of the client's processor time for an operation
	mostAllocations  = 30  // of an operation
	leastAppending   = 1.5 // times as many rows for a second of the client's processor time
	leastThroughK6   = 1.2 // times as many operations a second, through k6, as a plain Go program over machgo
)

// appendBatches is how many batches of 1000 rows a run appends.
const appendBatches = 500

// versus is what two programs came to, in turns.
type versus struct {
	reuse         bool
	clients       int
	native, other figures
}

// compared are the native driver and machgo, doing the same.
type compared struct {
	rounds, operations int

	asking  []versus // both in a plain Go program
	append  versus   // the same, rows
	through []versus // the native driver in k6
}

func compareDrivers(e effort) (*compared, error) {
	rounds, operations := e.rounds, e.operations
	c := &compared{rounds: rounds, operations: operations}
	for _, reuse := range []bool{false, true} {
		for _, clients := range e.of(1, 8) {
			v, err := against(rounds, versus{reuse: reuse, clients: clients},
				nativeRun("native", clients, operations/clients, reuse), nativeRun("machgo", clients, operations/clients, reuse))
			if err != nil {
				return nil, err
			}
			c.asking = append(c.asking, v)
		}
	}
	appending := func(driver string) func() (figures, error) {
		return func() (figures, error) {
			return runNative(driver, "-query=append", "-ops="+strconv.Itoa(appendBatches))
		}
	}
	var err error
	if c.append, err = against(rounds, versus{clients: 1}, appending("native"), appending("machgo")); err != nil {
		return nil, err
	}
	for _, reuse := range []bool{false, true} {
		for _, clients := range e.of(8, 16, 32, 64) {
			v, err := against(rounds, versus{reuse: reuse, clients: clients},
				func() (figures, error) { return runK6(clients, share(operations, clients), reuse) },
				nativeRun("machgo", clients, share(operations, clients), reuse))
			if err != nil {
				return nil, err
			}
			c.through = append(c.through, v)
		}
	}

	return c, nil
}

// share is how many queries each client of a cell does: fewer measure little but its start.
func share(operations, clients int) int { return max(operations/clients, 500) }

// against fills in the medians of both.
func against(rounds int, v versus, native, other func() (figures, error)) (versus, error) {
	var err error
	if v.native, v.other, err = inTurns(rounds, native, other); err != nil {
		return v, fmt.Errorf("%d clients: %w", v.clients, err)
	}

	return v, nil
}

func (v versus) speed() bounded {
	return bounded{v.native.over(v.other, rate), atLeast(leastThroughK6)}
}
func (v versus) cpu() bounded {
	return bounded{v.native.over(v.other, processor), atMost(mostOfMachgosCPU)}
}

func (v versus) appending() bounded {
	rows := func(f figures) float64 { return f.RowsPerCPU }

	return bounded{v.native.over(v.other, rows), atLeast(leastAppending)}
}

func (v versus) asksWell() bool {
	return noneCrossed(v.cpu()) && v.native.Allocations <= mostAllocations
}

func (v versus) isFast() bool { return noneCrossed(v.speed()) }

func (c *compared) holds() bool {
	return !slices.ContainsFunc(c.asking, func(v versus) bool { return !v.asksWell() }) &&
		noneCrossed(c.append.appending()) &&
		!slices.ContainsFunc(c.through, func(v versus) bool { return !v.isFast() })
}

// String is three tables.
func (c *compared) String() string {
	lines := make([]string, 0, 6+len(c.asking)+len(c.through))
	lines = append(lines,
		fmt.Sprintf("native and machgo in a plain Go program: %d rounds, %d operations, in turns; medians\n", c.rounds, c.operations),
		"| reuse | clients | native us/op | machgo us/op | ratio           "+
			"| native allocs/op (<= 30) | machgo allocs/op | native ops/s | machgo ops/s |",
		"|-------|--------:|-------------:|-------------:|-----------------"+
			"|-------------------------:|-----------------:|-------------:|-------------:|",
	)
	for _, v := range c.asking {
		lines = append(lines, fmt.Sprintf("| %-5s | %7d | %12.1f | %12.1f | %s | %24.1f | %16.1f | %12.0f | %12.0f |",
			onOff(v.reuse), v.clients, v.native.CPUMicros, v.other.CPUMicros, v.cpu(),
			v.native.Allocations, v.other.Allocations, v.native.OpsPerSecond, v.other.OpsPerSecond))
	}
	lines = append(lines,
		fmt.Sprintf("\n%d ticks appended: native %.0f, machgo %.0f rows for a second of processor time, ratio %s\n",
			appendBatches*1000, c.append.native.RowsPerCPU, c.append.other.RowsPerCPU, c.append.appending()),
		"| reuse | clients | k6 + native ops/s | Go + machgo ops/s | ratio           |",
		"|-------|--------:|------------------:|------------------:|-----------------|",
	)
	for _, v := range c.through {
		lines = append(lines, fmt.Sprintf("| %-5s | %7d | %17.0f | %17.0f | %s |",
			onOff(v.reuse), v.clients, v.native.OpsPerSecond, v.other.OpsPerSecond, v.speed()))
	}

	return strings.Join(lines, "\n")
}

func onOff(on bool) string {
	if on {
		return "on"
	}

	return "off"
}
