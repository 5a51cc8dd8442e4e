package main

import (
	"errors"
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

// appendSolo is how many batches of 1000 rows one client appends a second, roughly.
const appendSolo = 250

// versus is what two programs came to, in turns.
type versus struct {
	reuse           bool
	clients, rounds int
	native, other   figures
}

// compared are the native driver and machgo, doing the same.
type compared struct {
	asking  []versus // both in a plain Go program
	append  []versus // the same, rows; one where it has been measured
	through []versus // the native driver in k6
}

func compareDrivers(e *effort) (result, error) {
	c := &compared{}
	add := func(to *[]versus, cell string, v versus, native, other func() (figures, error)) error {
		medians, n, err := inTurns(e, fmt.Sprintf("%s, %d, reuse %s", cell, v.clients, onOff(v.reuse)), v.clients, native, other)
		if err == nil && n > 0 {
			v.rounds, v.native, v.other = n, medians[0], medians[1]
			*to = append(*to, v)
		}

		return err
	}
	batches := max(int(e.seconds*appendSolo), leastShare)
	appending := func(driver string) func() (figures, error) {
		return func() (figures, error) { return runNative(driver, "-query=append", "-ops="+strconv.Itoa(batches)) }
	}
	err := add(&c.append, "append", versus{clients: 1}, appending("native"), appending("machgo"))
	for _, reuse := range []bool{false, true} {
		for _, clients := range []int{1, 8} {
			share := e.share(clients, machbaseSolo, machbaseCrowd)
			err = errors.Join(err, add(&c.asking, "ask", versus{reuse: reuse, clients: clients},
				nativeRun("native", clients, share, reuse), nativeRun("machgo", clients, share, reuse)))
		}
		for _, clients := range []int{8, 64} {
			share := e.share(clients, machbaseSolo, machbaseCrowd)
			err = errors.Join(err, add(&c.through, "through k6", versus{reuse: reuse, clients: clients},
				func() (figures, error) { return runK6(clients, share, reuse, false) }, nativeRun("machgo", clients, share, reuse)))
		}
	}

	return c, err
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

// row names what the two have done.
func (v versus) row(work string) string {
	return fmt.Sprintf("%s, reuse %s, %d, beside machgo", work, onOff(v.reuse), v.clients)
}

func (c *compared) judgements() (all []judgement) {
	for _, v := range c.asking {
		row := v.row("query")
		all = append(all, v.cpu().judged(row, "us"), atMost(mostAllocations).judged(row, "allocations", v.native.Allocations))
	}
	for _, v := range c.append {
		all = append(all, v.appending().judged(v.row("append"), "rows for a second of processor time"))
	}
	for _, v := range c.through {
		all = append(all, v.speed().judged(v.row("query through k6"), "rate"))
	}

	return all
}

// front is the least and the most of machgo's processor time that a query takes.
func (c *compared) front() string {
	if len(c.asking) == 0 {
		return ""
	}
	ratios := valuesOf(c.asking, func(v versus) float64 { return v.cpu().middle })

	return fmt.Sprintf("%.2f to %.2f", slices.Min(ratios), slices.Max(ratios))
}

// String is three tables.
func (c *compared) String() string {
	lines := make([]string, 0, 6+len(c.asking)+len(c.through))
	lines = append(lines,
		"native and machgo in a plain Go program\n",
		"| reuse | clients |  n | native us/op | machgo us/op | ratio           "+
			"| native allocs/op (<= 30) | machgo allocs/op | native ops/s | machgo ops/s |",
		"|-------|--------:|---:|-------------:|-------------:|-----------------"+
			"|-------------------------:|-----------------:|-------------:|-------------:|",
	)
	for _, v := range c.asking {
		lines = append(lines, fmt.Sprintf("| %-5s | %7d | %2d | %12.1f | %12.1f | %s | %24.1f | %16.1f | %12.0f | %12.0f |",
			onOff(v.reuse), v.clients, v.rounds, v.native.CPUMicros, v.other.CPUMicros, v.cpu(),
			v.native.Allocations, v.other.Allocations, v.native.OpsPerSecond, v.other.OpsPerSecond))
	}
	for _, v := range c.append {
		lines = append(lines, fmt.Sprintf("\nticks appended, %d rounds: native %.0f, machgo %.0f rows for a second of processor time, ratio %s",
			v.rounds, v.native.RowsPerCPU, v.other.RowsPerCPU, v.appending()))
	}
	lines = append(lines,
		"\n| reuse | clients |  n | k6 + native ops/s | Go + machgo ops/s | ratio           |",
		"|-------|--------:|---:|------------------:|------------------:|-----------------|",
	)
	for _, v := range c.through {
		lines = append(lines, fmt.Sprintf("| %-5s | %7d | %2d | %17.0f | %17.0f | %s |",
			onOff(v.reuse), v.clients, v.rounds, v.native.OpsPerSecond, v.other.OpsPerSecond, v.speed()))
	}

	return strings.Join(lines, "\n")
}

func onOff(on bool) string {
	if on {
		return "on"
	}

	return "off"
}
