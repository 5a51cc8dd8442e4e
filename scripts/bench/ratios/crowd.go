package main

import (
	"fmt"
	"slices"
)

const (
	crowdClients    = 512
	crowdOperations = 9766 // of each client: five million in all
	crowdQueries    = 100  // one operation in so many is a query: see crowd.js
	mostMemory      = 400 << 20
)

// crowd is k6 with 512 clients and five million operations, round by round.
type crowd struct {
	rounds []crowdRound
}

// crowdRound is one round: its step, and k6's largest resident memory in bytes.
type crowdRound struct {
	Step   step
	Memory int64
}

// measureCrowd lets 512 clients connect to the server and do five million operations, one in a
// hundred of them a query: what k6 itself needs for as many operations is the question, not what
// the server does in ten minutes.
func measureCrowd(e *effort) (result, error) {
	rounds, err := again(e, "crowd", crowdClients, func(int) (crowdRound, error) {
		s, memory, err := runScript("scripts/bench/crowd.js", "crowd", map[string]string{
			"CLIENTS": fmt.Sprint(crowdClients), "ITERATIONS": fmt.Sprint(crowdOperations),
		})

		return crowdRound{s, memory}, err
	})

	return &crowd{rounds}, err
}

func (c *crowd) judgements() []judgement {
	if len(c.rounds) == 0 {
		return nil
	}
	row := fmt.Sprintf("empty functions, %d", crowdClients)
	lost := valuesOf(c.rounds, func(r crowdRound) float64 { return r.Step.lost(crowdClients * crowdOperations) })

	return []judgement{
		atMost(mostMemory>>20).judged(row, "MB", slices.Max(c.memories())),
		atMost(0).judged(row, "failed or lost", slices.Max(lost)),
	}
}

// memories are k6's of each round, in MB.
func (c *crowd) memories() []float64 {
	return valuesOf(c.rounds, func(r crowdRound) float64 { return megabytes(r.Memory) })
}

// String says what it came to.
func (c *crowd) String() string {
	if len(c.rounds) == 0 {
		return unmeasured
	}
	rates := valuesOf(c.rounds, func(r crowdRound) float64 { return r.Step.OpsPerSecond })

	return fmt.Sprintf("%d clients of Machbase, %d operations, of which 99 in 100 are empty functions and one a roll-up query (%d rounds):\n"+
		"%.0f of these a second, which is %.0f queries; resident memory at most %.0f MB (<= %d MB)",
		crowdClients, crowdClients*crowdOperations, len(c.rounds), middle(rates),
		middle(rates)/crowdQueries, slices.Max(c.memories()), mostMemory>>20)
}
