package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// effort is how much of a part is measured, and what has been measured of it.
type effort struct {
	// seconds is how long a step is to take, roughly.
	seconds float64
	// clients are the only numbers of clients that are measured; all where there are none.
	clients []int
	// until is when no round begins any more; never when zero.
	until time.Time

	kept *ledger
	// target is how many rounds each cell is to have. One that has them is not measured.
	target int
	// failures are of the cells that could not be measured.
	failures []error
}

// numbersOf reads numbers of clients.
func numbersOf(clients string) (numbers []int, err error) {
	if clients == "" {
		return nil, nil
	}
	for text := range strings.SplitSeq(clients, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-clients is %q: it takes numbers of clients with commas, such as 64,512", clients)
		}
		numbers = append(numbers, n)
	}

	return numbers, nil
}

// next makes the target that of one more pass. A cell one of whose rounds has failed has fewer than
// the others, and keeps none of them from theirs.
func (e *effort) next() { e.target = max(e.target, e.kept.least()) + 1 }

// wants tells whether a cell that has so many rounds gets another one.
func (e *effort) wants(clients, rounds int) bool {
	return rounds < e.target && (e.clients == nil || slices.Contains(e.clients, clients)) &&
		(e.until.IsZero() || time.Now().Before(e.until))
}

// share is how many operations each client does, so that a step takes its seconds: one client does
// so many a second, and crowd times as many do together at most.
func (e *effort) share(clients, solo, crowd int) int {
	return max(int(e.seconds*float64(solo*min(clients, crowd)))/clients, leastShare)
}

// leastShare is how many operations a client does at least: fewer measure how it begins.
const leastShare = 20

// again measures one more round of a cell where it is wanted, and returns all that there are. Of a
// cell that could not be measured it returns those that there were: the other cells are measured
// all the same.
func again[T any](e *effort, cell string, clients int, measure func(round int) (T, error)) ([]T, error) {
	if n := len(e.kept.cells[cell]); e.wants(clients, n) {
		round, err := measure(n)
		if err != nil {
			err = fmt.Errorf("%s: %w", cell, err)
			fmt.Fprintln(os.Stderr, "ratios:", err)
			e.failures = append(e.failures, err)
		} else if err := e.kept.add(cell, round); err != nil {
			return nil, err
		}
	}
	rounds := make([]T, 0, len(e.kept.cells[cell]))
	for _, raw := range e.kept.cells[cell] {
		var round T
		if err := json.Unmarshal(raw, &round); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", e.kept.file, cell, err)
		}
		rounds = append(rounds, round)
	}

	return rounds, nil
}
