package main

import (
	"fmt"
	"runtime"
)

// why says why k6 cannot hold a bound beside another program; "" where that is not known, or where
// the contest's own figures say otherwise.
type why func(c *contested, other *entrant, of *named) string

// because is a reason that no figure of the contest can prove.
func because(text string) why {
	return func(*contested, *entrant, *named) string { return text }
}

// either is the first of the reasons that is one.
func either(reasons ...why) why {
	return func(c *contested, other *entrant, of *named) string {
		for _, reason := range reasons {
			if text := reason(c, other, of); text != "" {
				return text
			}
		}

		return ""
	}
}

// floorCannot is one where the floor in C would not hold the bound either, floorInGoCannot where
// that in Go would not.
func floorCannot(c *contested, other *entrant, of *named) string {
	return neitherCan(programFloorC, "an event loop in C", c, other, of)
}

func floorInGoCannot(c *contested, other *entrant, of *named) string {
	return neitherCan(programFloorGo, "a program in Go", c, other, of)
}

// neitherCan is one where a floor would not hold the bound either.
func neitherCan(program, what string, c *contested, other *entrant, of *named) string {
	floor, its, n := c.of(program, other.program)
	if n == 0 {
		return ""
	}
	r := floor.over(its, of.figure)
	if of.bound.good(r.middle) {
		return ""
	}

	return fmt.Sprintf("%s that decodes nothing, `%s`, comes to %.2f", what, program, r.middle)
}

// coresCannot is one, of a rate, where the processors would not come to the bound if k6 took no
// more of them than it may beside the floor in C: the server has its part of each operation,
// whoever asks.
func coresCannot(c *contested, other *entrant, of *named) string {
	k6, its, n := c.of(c.k6.program, other.program)
	floor, _, floors := c.of(programFloorC, other.program)
	if n == 0 || floors == 0 || k6.ServerMicros == 0 {
		return ""
	}
	cores := runtime.NumCPU()
	reach := float64(cores) * 1e6 / (k6.ServerMicros + mostOfFloor*floor.CPUMicros) / its.OpsPerSecond
	if of.bound.good(reach) {
		return ""
	}

	return fmt.Sprintf("an operation takes %.1f us of the server, and %.1f us of `%s`, of which k6 may take %g times as much:\n"+
		"  %d cores that did nothing else would come to %.2f",
		k6.ServerMicros, floor.CPUMicros, programFloorC, mostOfFloor, cores, reach)
}

// threadCannot is one, of a rate, where the one thread on which Redis does all commands would not
// come to the bound, whoever asks.
func threadCannot(c *contested, other *entrant, of *named) string {
	k6, its, n := c.of(c.k6.program, other.program)
	if n == 0 || k6.ServerMicros == 0 || c.work != "redis" {
		return ""
	}
	reach := 1e6 / k6.ServerMicros / its.OpsPerSecond
	if of.bound.good(reach) {
		return ""
	}

	return fmt.Sprintf("an operation takes %.2f us of the server, which does all of them on one thread:\n"+
		"  if that did nothing else, it would come to %.2f",
		k6.ServerMicros, reach)
}

// oneLoopCan is one where k6 holds the bound with one event loop.
func oneLoopCan(c *contested, other *entrant, of *named) string {
	one, its, n := c.of(programOneLoop, other.program)
	if n == 0 {
		return ""
	}
	r := one.over(its, of.figure)
	if !of.bound.good(r.middle) {
		return ""
	}

	return fmt.Sprintf("two loops of k6's share two cores with the server's thread, and each of the three has to wait for one;\n"+
		"  with one loop, `%s`, it comes to %.2f", programOneLoop, r.middle)
}
