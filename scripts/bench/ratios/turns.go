package main

import (
	"fmt"
	"slices"
)

// inTurns runs programs in turns, as a round of a cell: every other round from the last one to the
// first. It returns the medians of each, and of how many rounds: none where the cell has not been
// measured yet.
func inTurns(e *effort, cell string, clients int, programs ...func() (figures, error)) ([]figures, int, error) {
	rounds, err := again(e, cell, clients, func(round int) ([]figures, error) {
		return oneRound(round, programs)
	})
	if err != nil || len(rounds) == 0 {
		return nil, 0, err
	}
	medians := make([]figures, 0, len(programs))
	for i := range programs {
		runs := make([]figures, 0, len(rounds))
		for _, round := range rounds {
			if len(round) != len(programs) {
				return nil, 0, fmt.Errorf("%s: %s has a round of %d programs, not %d", e.kept.file, cell, len(round), len(programs))
			}
			runs = append(runs, round[i])
		}
		medians = append(medians, median(runs))
	}

	return medians, len(rounds), nil
}

// oneRound runs each program once. A run with failures proves nothing.
func oneRound(round int, programs []func() (figures, error)) ([]figures, error) {
	order := make([]int, len(programs))
	for i := range order {
		order[i] = i
	}
	if round%2 == 1 {
		slices.Reverse(order)
	}
	runs := make([]figures, len(programs))
	for _, i := range order {
		f, err := programs[i]()
		if err == nil && f.Failed > 0 {
			err = fmt.Errorf("%d operations failed", f.Failed)
		}
		if err != nil {
			return nil, err
		}
		runs[i] = f
	}

	return runs, nil
}
